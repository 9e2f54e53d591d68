/* Device tables: on the emulator, which finds races, pages and tables that are made there are the
 * host's, byte for byte; with one thing wrong in the text they are not, or the emulator says why.
 *
 * usage: device_tables_test [DEVICE MESH...]     of all applications that a mesh fits, on a device
 */
#include "data/mesh_open.h"
#include "strategy_variants.h"
#include "tables_bench.h"

#define POINTS "point-parallel"

static const attempt
    pairs = {"airfoil", .mesh = "quads:nx=14:ny=11", .block_size = 32, .renumber = "owner"},
    rows = {"airfoil", .mesh = "irregular:nx=12:ny=12", .layout = "aos", .block_size = 30},
    nodes = {"bookleaf", .mesh = "quads:nx=13:ny=12", .block_size = 64, .renumber = "owner"},
    tets = {"miniaero", .mesh = "tets:nx=4:ny=4:nz=4", .strategy = POINTS ":direct=staged",
            .block_size = 32, .renumber = "owner"},
    scattered = {"volna",
                 .mesh = "tris:nx=9:ny=8",
                 .strategy = POINTS ":prefetch=2",
                 .layout = "soa,cells=aos",
                 .block_size = 64,
                 .scattered = true},
    each = {"lulesh", .mesh = "hexes:nx=4:ny=4:nz=4", .strategy = POINTS ":slots=each",
            .block_size = 40, .scattered = true},
    in_place = {"airfoil", .mesh = "tris:nx=9:ny=8", .block_size = 64, .scattered = true,
                .strategy = POINTS ":stage=none:antisymmetry=ignore"},
    ordered = {"airfoil", .mesh = "tris:nx=9:ny=8", .strategy = POINTS ":sum=mesh-order",
               .block_size = 64, .scattered = true},
    phases = {"fun3d", "roe_flux", "tets:nx=3:ny=3:nz=3", POINTS ":parts=staged", .block_size = 64},
    partly = {"fun3d", "spmv", "tets:nx=3:ny=3:nz=3", .block_size = 64, .renumber = "owner"},
    padded = {"airfoil", .mesh = "quads:nx=14:ny=11", .block_size = 32, .padded = true},
    wide = {"airfoil", .mesh = "quads:nx=30:ny=25", .block_size = 300},
    words = {"lulesh", .mesh = "hexes:nx=6:ny=6:nz=6", .strategy = POINTS ":direct=staged",
             .block_size = 300},
    alone = {"miniaero", .mesh = "tets:nx=2:ny=2:nz=2", .strategy = POINTS ":direct=staged",
             .block_size = 64},
    large = {"airfoil", .mesh = "quads:nx=60:ny=50", .block_size = 2100},
    halo = {"airfoil", .mesh = "quads:nx=90:ny=60", .strategy = "halo-atomics", .block_size = 8000};

static void tables_are_those_of_the_host(void **state) {
    static const attempt *const cases[] = {&pairs,  &rows,     &nodes,   &tets,   &scattered,
                                           &each,   &in_place, &ordered, &phases, &partly,
                                           &padded, &wide,     &words,   &alone};
    tables_try(cases, sizeof cases / sizeof cases[0]);
}

/* The host makes them, and a line says why. */
static void is_left_to_the_host(const attempt *a, const char *device, const char *said) {
    char *page = NULL;
    bench_scene scene = bench_scene_open(a->application, a->loop, a->mesh);
    OK(tess_cut_page(TESS_CUT_TABLES, &page));
    assert_int_equal(try_scene(page, a, device, &scene), TESS_ERROR_MISSING);
    if (strstr(tess_message(), said) != tess_message())
        fail_msg("said: %s", tess_message());
    bench_scene_close(&scene);
    free(page);
}

static void what_is_too_large_is_left_to_the_host(void **state) {
    is_left_to_the_host(&large, "emulator:count=no:check=no",
                        "tables made on the host: blocks of more than 2048 points");
    is_left_to_the_host(&halo, "emulator:count=no:check=no",
                        "tables made on the host: blocks of more than 2048 points");
    is_left_to_the_host(&pairs, "emulator:count=no:memory=30000", "tables made on the host: ");
}

static const table_mutant mutants[] = {
    {"p->order ? fetch(&p->order[point]) : point", "point", &pairs},
    {"p->points ? fetch(&p->points[i]) : i", "fetch(&p->points[i])", &alone},
    {"fetch(&p->owners[fetch(&p->points[first + i])]) == block_index()", "i % 2 == 0", &pairs},
    {"own[k] < 0 ? -1 : place_of", "own[k] < 0 ? 0 : place_of", &pairs},
    {"if (stored != own_first + rank)", "if (stored < 0)", &scattered},
    {"<< 16 | (0xffff - i)", "<< 16 | i", &scattered},
    {"middle == ahead)", "middle >= ahead)", &scattered},
    {"(end_of_run(sorted, n, i) - i)", "1", &scattered},
    {"    barrier();\n    if (n > 0) {\n        run.length", "    if (n > 0) {\n        run.length",
     &scattered},
    {"    barrier(); /* the others are written", "    /* the others are written", &scattered},
    {"        store(longest, 0);\n    barrier();", "        store(longest, 0);", &scattered},
    {"run.begin % RUN_ALIGNED", "0", &scattered},
    {"p->in_order ? first : 0", "0", &rows},
    {"at < run.at ? at : at - n_taken", "at", &scattered},
    {"n_sorted - n_taken)", "n_sorted)", &scattered},
    {"is_other = at < run.at || ", "is_other = ", &scattered},
    {"i < n ? load(&p->others[first + i]) : -1", "load(&p->others[first + i])", &scattered},
    {"(n_own + 7) / 8", "(n_own + 3) / 4", &rows},
    {"slot * own->n_elements + k)", "k)", &pairs},
    {"* own.stride + i]) > key", "* own.stride + i]) < key", &tets},
    {"own.stride + i], -1)", "own.stride + i], 0)", &tets},
    {"!(p->incremented >> slot & 1) || ", "", &partly},
    {"local == 0xffff ? -1 : fetch(&p->own_ranks", "0 ? -1 : fetch(&p->own_ranks", &padded},
    {"local == 0xffff ? (1u << p->bits) - 1", "0 ? 0", &padded},
    {"rank < 0 ? 0 : atomic_take(&counts[rank], 1)", "0", &pairs},
    {"        store(&counts[i], 0);\n    barrier();", "        store(&counts[i], 0);", &pairs},
    {"keys[round * own->stride + rank], slot * own->n_elements + k);\n    }\n  "
     "  barrier();",
     "keys[round * own->stride + rank], slot * own->n_elements + k);\n    }", &pairs},
    {"entry.slot < 0 ? 0xffffffffu : 0", "0", &tets},
    {"p->staged_at ? fetch(&p->staged_at[own.begin + entry.k])", "0 ? 0", &tets},
    {"field >= entry.slot ? field + 1", "field > entry.slot ? field + 1", &pairs},
    {"p->exchanged && entry.slot ?", "p->exchanged && !entry.slot ?", &pairs},
    {"> 32)\n        *used =", "> 64)\n        *used =", &words},
    {"ballot(ALL_LANES, slot >= 0 && lane() == lowest_lane(same))", "1u", &nodes},
    {"round * bits % 32;", "round * bits % 31;", &pairs},
    {"        if (value >> 32)\n", "        if (value >> 40)\n", &pairs},
    {"3 * n * (n - 1) + 1", "1", &pairs},
    {" || (leaves && comes && old_bank == new_bank)", "", &pairs},
    {"lane / r->at_once * (r->n_positions + 1)", "0", &pairs},
    {"lane / r->at_once * r->at_once + ", "", &pairs},
    {"        count_read(&to, point, next, -1);\n", "", &pairs},
    {"        store(&to.position[point], (unsigned short)position);\n", "", &pairs},
    {" || ((one ^ other) & ((1u << w->p->slot_bits) - 1))", "", &each},
    {"one == 0xffffffffu || other == 0xffffffffu", "0", &pairs},
    {"bank_field(w, f, BANK_WEIGHT) *", "", &pairs},
    {"return change < 0;", "return change <= 0 && !change;", &pairs},
    {"            warp_barrier(ALL_LANES);\n            exchange", "            exchange", &pairs},
    {"        store(other, kept);\n    }\n    warp_barrier(ALL_LANES);",
     "        store(other, kept);\n    }", &pairs},
    {"left = first == WARP - 1 ? 0 : ALL_LANES << (first + 1)", "left = ALL_LANES", &pairs},
    {"i < p->n_sweeps && spread", "i < 1 && spread", &pairs},
    {"while (b >= w->n_rounds && a < w->n_rounds)", "if (b >= w->n_rounds)", &tets},
    {"first += (int)p->n_warps * WARP", "first += 2 * (int)p->n_warps * WARP", &wide},
};

static void one_thing_wrong_is_found(void **state) {
    tables_find(mutants, sizeof mutants / sizeof mutants[0]);
}

/* A loop of an application, NULL: its primary one, on a mesh; false: it does not fit. */
static bool open_scene(const tess_application *application, const char *loop, const char *mesh,
                       bench_scene *s) {
    *s = (bench_scene){.real = TESS_DOUBLE};
    OK(tess_mesh_open(mesh, &s->mesh));
    return tess_application_kernel(application, loop, &s->kernel) == TESS_OK &&
           tess_application_bind(application, s->mesh) == TESS_OK &&
           tess_kernel_derive(s->kernel, s->mesh) == TESS_OK &&
           tess_application_start(application, s->mesh, TESS_DOUBLE, &s->start) == TESS_OK &&
           tess_application_prepare(application, s->kernel, s->start) == TESS_OK;
}

/* Where a page is made, and of what. */
typedef struct look {
    const char *page, *device, *mesh;
} look;

/* By strategies that end with NULL; gives how many are wrong. */
static int look_at_loop(const look *at, const tess_application *application, const char *loop,
                        const char *const *strategies) {
    bench_scene scene;
    int n_wrong = 0;
    const bool fits = open_scene(application, loop, at->mesh, &scene);
    for (; fits && *strategies; strategies++) {
        const bool owns = strcmp(*strategies, "point-parallel") == 0 ||
                          strncmp(*strategies, "owner-block", 11) == 0; /* points */
        const attempt a = {
            .strategy = *strategies, .block_size = 128, .renumber = owns ? "owner" : "blocks"};
        if (!way_fits(*strategies, scene.kernel))
            continue;
        const tess_status status = try_scene(at->page, &a, at->device, &scene);
        printf("%s %s %s: %s\n", at->mesh, application->name, *strategies,
               status == TESS_OK ? "the host's tables" : tess_message());
        n_wrong += status != TESS_OK && status != TESS_ERROR_MISSING;
    }
    bench_scene_close(&scene);
    return n_wrong;
}

static int look_at_mesh(const look *at) {
    static const char *const usual[] = {"point-parallel",
                                        "halo-atomics",
                                        "halo-atomics:border=ordered",
                                        "owner-block:sum=slots",
                                        "block-colour",
                                        "two-step",
                                        "gather",
                                        "atomics",
                                        "global-colour",
                                        NULL};
    static const char *const of_parts[] = {"tiles", NULL};
    int n_wrong = 0;
    for (int i = 0; tess_application_at(i); i++)
        n_wrong += look_at_loop(at, tess_application_at(i), NULL, usual) +
                   look_at_loop(at, tess_application_at(i), "visjac_tets", of_parts);
    return n_wrong;
}

static int look_at_meshes(int argc, char **argv) {
    char *page = NULL;
    int n_wrong = 0;
    OK(tess_cut_page(TESS_CUT_TABLES, &page));
    for (int i = 2; i < argc; i++)
        n_wrong += look_at_mesh(&(look){page, argv[1], argv[i]});
    printf("%d differ\n", n_wrong);
    free(page);
    return n_wrong > 0;
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_those_of_the_host),
        cmocka_unit_test(what_is_too_large_is_left_to_the_host),
        cmocka_unit_test(one_thing_wrong_is_found),
    };
    return argc > 2 ? look_at_meshes(argc, argv) : cmocka_run_group_tests(tests, NULL, NULL);
}
