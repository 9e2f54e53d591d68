/* Device tables: on the emulator, which finds races, pages and tables that are made there are the
 * host's, byte for byte; with one thing wrong in the text they are not, or the emulator says why. */
#include "kernels/cut/cut_kernels.h"
#include "kernels/loops/kernel_table.h"
#include "strategy_bench.h"

/* Of cells that have fewer than four neighbours: some slots are added to, others only read. */
static const tess_kernel_arg args[] = {
    ARG_THROUGH("cells:cells", -1, "cells", "q", 1, "real", TESS_READ),
    ARG_THROUGH("cells:cells", 1, "cells", "sum", 1, "real", TESS_INC),
    ARG_THROUGH("cells:cells", 3, "cells", "sum", 1, "real", TESS_INC),
};
static const tess_kernel neighbours = {
    .name = "neighbours",
    .set = "cells",
    .n_args = 3,
    .args = args,
    .text = "static inline void neighbours(const real *q, real *one, real *other) {\n"
            "    one[0] += q[0] + q[2];\n    other[0] -= q[0] - q[2];\n}\n",
};

static bench_scene neighbours_open(const char *mesh) {
    bench_scene s = {.mesh = generated_mesh(mesh), .kernel = &neighbours, .real = TESS_DOUBLE};
    OK(tess_mesh_derive(s.mesh, "cells:cells"));
    OK(tess_state_new(s.mesh, TESS_DOUBLE, &s.start));
    OK(tess_state_add(s.start, "q", "cells", 1, "real"));
    OK(tess_state_add(s.start, "sum", "cells", 1, "real"));
    return s;
}

/* A loop on a mesh by a strategy. */
typedef struct attempt {
    const char *application, *loop, *mesh, *strategy, *layout;
    int block_size;
    const char *renumber;
    bool scattered;
} attempt;

static const attempt halo = {"airfoil", NULL, "quads:nx=14:ny=11", "halo-atomics", "soa", 32,
                             "blocks", false},
                     unordered = {"airfoil", NULL, "irregular:nx=12:ny=12", "halo-atomics", "aos",
                                  40, NULL, false},
                     scattered = {"volna", NULL, "tris:nx=9:ny=8", "halo-atomics:prefetch=2",
                                  "soa,cells=aos", 64, NULL, true},
                     nodes = {"lulesh", NULL, "hexes:nx=4:ny=4:nz=4", "halo-atomics", "soa", 40,
                              NULL, true},
                     pairs = {"fun3d", "visjac_tets", "tets:nx=3:ny=3:nz=3", "halo-atomics", "soa", 64, NULL, false},
                     corners = {"bookleaf", NULL, "quads:nx=13:ny=12", "halo-atomics", "soa", 64, "blocks", false},
                     phases = {"fun3d", "roe_flux", "tets:nx=3:ny=3:nz=3",
                               "halo-atomics:parts=staged", "soa", 64, NULL, false},
                     each = {"fun3d", "visjac_tets", "tets:nx=3:ny=3:nz=3",
                               "halo-atomics:made=per-part", "soa", 64, NULL, false},
                     kept = {"airfoil", NULL, "tris:nx=9:ny=8", "halo-atomics:border=ordered",
                             "soa", 64, NULL, true},
                     gathered = {"airfoil", NULL, "tris:nx=9:ny=8", "halo-atomics:sum=block-gather",
                             "soa", 64, NULL, true},
                     colours = {"airfoil", NULL, "tris:nx=9:ny=8", "halo-atomics:sum=thread-colours",
                             "soa", 64, NULL, true},
                     incr = {"airfoil", NULL, "tris:nx=9:ny=8", "halo-atomics:stage=increments",
                             "soa", 64, NULL, true},
                     owned = {"airfoil", NULL, "quads:nx=14:ny=11", "owner-block:sum=slots", "soa",
                              32, "owner", false},
                     owned_nodes = {"lulesh", NULL, "hexes:nx=4:ny=4:nz=4", "owner-block", "soa",
                                    40, NULL, true},
                     owned_pairs = {"fun3d", "visjac_tets", "tets:nx=3:ny=3:nz=3", "owner-block",
                                    "soa", 16, NULL, false},
                     owned_order = {"airfoil", NULL, "tris:nx=9:ny=8", "owner-block:sum=mesh-order", "soa", 64, NULL, true},
                     coloured = {"airfoil", NULL, "quads:nx=14:ny=11", "block-colour", "soa", 32,
                                 "blocks", false},
                     coloured_aos = {"volna", NULL, "tris:nx=9:ny=8", "block-colour:loads=vector",
                                     "aos", 64, NULL, true},
                     coloured_nodes = {"bookleaf", NULL, "quads:nx=13:ny=12", "block-colour", "soa", 64,
                                       NULL, true},
                     coloured_incr = {"lulesh", NULL, "hexes:nx=4:ny=4:nz=4", "block-colour:stage=increments", "soa", 40,
                                       NULL, true},
                     coloured_phases = {"fun3d", "roe_flux", "tets:nx=3:ny=3:nz=3",
                                        "block-colour:parts=staged", "soa", 64, NULL, false},
                     wide = {"airfoil", NULL, "irregular:nx=12:ny=12", "halo-atomics", "soa", 96, NULL, false},
                     some = {NULL, NULL, "quads:nx=14:ny=11", "halo-atomics", "soa", 32, "gps", true},
                     some_owned = {NULL, NULL, "quads:nx=14:ny=11", "owner-block:sum=slots", "soa", 32, NULL, true},
                     some_coloured = {NULL, NULL, "quads:nx=14:ny=11", "block-colour", "soa", 64, "gps", true},
                     large = {"airfoil", NULL, "quads:nx=60:ny=50", "halo-atomics", "soa", 2100,
                              NULL, false};

static void open_attempt(const attempt *a, const char *tables_page, bench_scene *scene,
                         bench_opened *o) {
    *scene = a->application ? bench_scene_open(a->application, a->loop, a->mesh)
                            : neighbours_open(a->mesh);
    const bench_case c = {.scene = scene,
                          .strategy = a->strategy,
                          .layout = a->layout,
                          .device = "emulator:seed=3:count=no",
                          .block_size = a->block_size,
                          .renumber = a->renumber,
                          .scattered = a->scattered,
                          .tables_page = tables_page};
    (void)bench_open(&c, NULL, o);
}

/* Fails (CHECK) where an array of two pages differs. */
static tess_status compare_arrays(const bench_opened *here, const bench_opened *there) {
    const tess_page *one = &here->execution->page, *other = &there->execution->page;
    if (strcmp(one->text.text, other->text.text) != 0)
        FAIL(TESS_ERROR_CHECK, "another page");
    if (one->n_arrays != other->n_arrays)
        FAIL(TESS_ERROR_CHECK, "%d arrays, not %d", other->n_arrays, one->n_arrays);
    for (int i = 0; i < one->n_arrays; i++) {
        const tess_page_table *a = &one->arrays[i], *b = &other->arrays[i];
        char *values[2] = {NULL, NULL};
        if (strcmp(a->name, b->name) != 0 || a->bytes != b->bytes)
            FAIL(TESS_ERROR_CHECK, "%s of %lld bytes, not %s of %lld", b->name, (long long)b->bytes,
                 a->name, (long long)a->bytes);
        OK(TESS_ALLOC(a->bytes, &values[0]));
        OK(TESS_ALLOC(a->bytes, &values[1]));
        OK(here->device->download(here->target, values[0], a->address, a->bytes));
        OK(there->device->download(there->target, values[1], b->address, b->bytes));
        const bool same = memcmp(values[0], values[1], (size_t)a->bytes) == 0;
        free(values[0]);
        free(values[1]);
        if (!same)
            FAIL(TESS_ERROR_CHECK, "other values of %s", a->name);
    }
    return TESS_OK;
}

/* By a page of kernels: gives the status where it fails, else CHECK where tables differ, or where
 * the host made them. */
static tess_status try_page(const char *page, const attempt *a) {
    bench_scene scene[2];
    bench_opened here, there;
    tess_status status = TESS_OK;
    open_attempt(a, NULL, &scene[0], &here);
    assert_non_null(here.execution);
    open_attempt(a, page, &scene[1], &there);
    if (!there.execution)
        status = tess_fail(TESS_ERROR_CHECK, "no execution: %s", tess_message());
    else if (!there.execution->tables_there)
        status = tess_fail(TESS_ERROR_MISSING, "%s", there.execution->remark);
    else
        status = compare_arrays(&here, &there);
    bench_close(&here);
    bench_close(&there);
    bench_scene_close(&scene[0]);
    bench_scene_close(&scene[1]);
    return status;
}

static void tables_are_those_of_the_host(void **state) {
    (void)state;
    static const attempt *const cases[] = {&halo, &unordered, &scattered, &nodes, &pairs, &corners, &phases, &each, &kept, &gathered, &colours, &incr, &owned, &owned_nodes, &owned_pairs, &owned_order, &coloured, &coloured_aos, &coloured_nodes, &coloured_incr, &coloured_phases, &wide, &some, &some_owned, &some_coloured};
    char *page = NULL;
    OK(tess_cut_page(&page));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (try_page(page, cases[i]) != TESS_OK)
            print_error("case %zu: %s\n", i, tess_message());
    free(page);
}

/* The host makes them, and a line says why. */
static void tables_of_large_blocks_are_the_hosts(void **state) {
    (void)state;
    char *page = NULL;
    OK(tess_cut_page(&page));
    assert_int_equal(try_page(page, &large), TESS_ERROR_MISSING);
    assert_non_null(strstr(tess_message(), "tables made on the host: tables of a block with more "
                                           "than 2048 points"));
    free(page);
}

static const struct {
    const char *from, *to;
    const attempt *on;
} mutants[] = {
    {"if (i < n && (!p->owners ||", "if (i < n && (p->owners ||", &halo},
    {"        store(&bits[w], 0);\n    barrier();", "        store(&bits[w], 0);", &halo},
    {"if (is_incremented_slot(p, i % n_slots) && place != 0xffff)\n            set_bit", "if (place != 0xffff)\n            set_bit", &some},
    {"(p, i % n_slots) && place != 0xffff)\n            set_bit", "(p, i % n_slots))\n            set_bit", &some},
    {"            set_bit(bits, place);\n    }\n    barrier();", "            set_bit(bits, place);\n    }", &halo},
    {"atomic_add(&p->holders[fetch(&p->points[b.first + i])], 1);", "atomic_add(&p->holders[i], 1);", &halo},
    {"        if (has_bit(bits, i))\n            atomic_add(", "        if (1)\n            atomic_add(", &some},
    {"            atomic_max(&p->most[0], 1u);", "            ;", &some},
    {"p->map ? fetch(&p->map[2ll * point]) : point]) != block_index()", "point]) != block_index()", &owned_pairs},
    {"fetch(&p->map[2ll * point])", "fetch(&p->map[2ll * point + 1])", &owned_pairs},
    {": point]) != block_index();", ": point]) == block_index();", &owned},
    {"load(&p->holders[point]) > 1", "load(&p->holders[point]) > 2", &halo},
    {"is_marked(p, point) ? ~stored : stored", "stored", &halo},
    {"at = b.first + fetch(&p->staged_at[b.first + i])", "at = b.first + i", &some},
    {"            store(&p->flags_out[at], ", "            store(&p->flags_out[b.first + i], ", &some},
    {"stored_point(p, b.first + i) + 1", "stored_point(p, b.first + i)", &scattered},
    {"        store(most, 0);\n    barrier();", "        store(most, 0);", &scattered},
    {"    atomic_max(most, own);\n    barrier();", "    atomic_max(most, own);", &scattered},
    {"if (fetch(&p->flags[b.first + i]))\n            set_bit", "if (1)\n            set_bit", &some_coloured},
    {"set_bit(bits, fetch(&p->staged_at[b.first + i]));\n    barrier();", "set_bit(bits, fetch(&p->staged_at[b.first + i]));", &coloured},
    {"set_bit(bits, fetch(&p->staged_at[b.first + i]))", "set_bit(bits, i)", &some_coloured},
    {"store(&before[w], sum);\n    barrier();", "store(&before[w], sum);", &coloured},
    {"rank = load(&before[word]) + count", "rank = count", &coloured_incr},
    {"(load(&bits[word]) & ((1u << position % WARP) - 1));\n        const int at", "(load(&bits[word]));\n        const int at", &coloured},
    {"? rank : n + position - rank", "? rank : position - rank", &some_coloured},
    {"&p->points_out[b.first + at], stored", "&p->points_out[b.first + i], stored", &some_coloured},
    {"store(&p->n_first[block_index()], n)", "store(&p->n_first[block_index()], b.n_points)", &some_coloured},
    {"        store(&counts[i], 0);\n    warp_barrier(ALL_LANES);", "        store(&counts[i], 0);", &halo},
    {"? load(&counts[place]) : 0;\n        const", "? 0 : 0;\n        const", &wide},
    {"colour = start + count_lanes(same & ((1u << lane()) - 1));\n        warp_barrier(ALL_LANES);", "colour = start + count_lanes(same & ((1u << lane()) - 1));", &halo},
    {"colour = start + count_lanes(same & ((1u << lane()) - 1))", "colour = start", &halo},
    {"colour >= n_colours ? colour + 1", "colour >= n_colours ? colour + 2", &halo},
    {"if (lane() == lowest_lane(same))\n                store(&counts", "if (1)\n                store(&counts", &halo},
    {"start + count_lanes(same));\n        }\n        warp_barrier(ALL_LANES);", "start + count_lanes(same));\n        }", &wide},
    {"slot * p->n + b->begin + element], (un", "b->begin + element], (un", &halo},
    {"(int *)shared_memory() + warp * p->n_staged", "(int *)shared_memory()", &halo},
    {"if (is_incremented_slot(p, slot))\n            atomic_max", "if (1)\n            atomic_max", &some},
    {"store(word, load(word) | value", "store(word, value", &halo},
    {"place == 0xffff ? none : ", "0 ? none : ", &some},
    {"(int)p->slot) : 0;", "0) : 0;", &halo},
    {"(int)p->colour_at, fetch(&p->colours", "(int)p->at, fetch(&p->colours", &halo},
    {"slot < (int)p->n_slots && place == 0xffff; slot++)", "slot < (int)p->n_slots; slot++)", &owned},
    {"        if (is_incremented_slot(p, slot))\n                place", "        if (1)\n                place", &some_owned},
    {"place != 0xffff && fetch(&p->owners[", "1 && fetch(&p->owners[", &some_owned},
};

/* The page without the texts that make no tables, so that it compiles sooner. */
static char *page_of_tables(void) {
    static const char *const texts[] = {"scan.cu", "plan_blocks.cu", "stage_tables.cu",
                                        "slot_tables.cu"};
    static const char mark[] = "#line 1 \"";
    char *page = NULL, *out = NULL;
    size_t size = 0;
    OK(tess_cut_page(&page));
    FILE *stream = open_memstream(&out, &size);
    assert_non_null(stream);
    char *at = strstr(page, mark);
    fprintf(stream, "%.*s", (int)(at - page), page);
    for (char *end = NULL; at; at = end) {
        end = strstr(at + 1, mark);
        const size_t n = end ? (size_t)(end - at) : strlen(at);
        for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
            if (strncmp(at + strlen(mark), texts[i], strlen(texts[i])) == 0)
                fwrite(at, 1, n, stream);
    }
    fclose(stream);
    free(page);
    return out;
}

static void one_thing_wrong_is_found(void **state) {
    (void)state;
    char *page = page_of_tables();
    for (size_t i = 0; i < sizeof mutants / sizeof mutants[0]; i++) {
        const char *at = strstr(page, mutants[i].from);
        char *mutant = NULL;
        if (!at)
            {print_error("the texts have no '%s'\n", mutants[i].from); continue;}
        if (strstr(at + 1, mutants[i].from))
            print_error("the texts have '%s' twice\n", mutants[i].from);
        OK(tess_text_print(&mutant, "%.*s%s%s", (int)(at - page), page, mutants[i].to,
                           at + strlen(mutants[i].from)));
        if (try_page(mutant, mutants[i].on) == TESS_OK)
            print_error("mutant %zu ('%s') is not found\n", i, mutants[i].to);
        print_error("%zu %s\n", i, tess_message()); free(mutant);
    }
    free(page);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_those_of_the_host),
        cmocka_unit_test(tables_of_large_blocks_are_the_hosts),
        cmocka_unit_test(one_thing_wrong_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
