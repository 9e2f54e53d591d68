/* Pair places: how an element finds the blocks of a matrix that it adds to. Every way against the
 * reference, the arrays that it takes in place of the table, and what is wrong is found. */
#include "kernels/loops/kernel_table.h"
#include "kernels/loops/user_kernel.h"
#include "kernels/run/reference.h"
#include "strategy_bench.h"
#include "tests/experiments/archive/scratch_folder.h"

static const char MESH[] = "layers:nx=3:ny=2:prisms=1:tets=1";

static double run(const bench_scene *s, const char *strategy, const char *renumber, int aos,
                  const tess_strategy *mutant) {
    double difference = 1;
    const bench_case c = {.scene = s,
                          .strategy = strategy,
                          .mutant = mutant,
                          .renumber = renumber,
                          .layout = aos ? "aos,maps=aos" : "soa",
                          .block_size = 32};
    OK(bench_run(&c, NULL, &difference));
    return difference;
}

static void blocks_are_found_wherever_data_lie(void **state) {
    static const char *const variants[] = {"atomics:find=ranks", "atomics:find=search",
                                           "tiles:find=ranks:transpose=shared",
                                           "tiles:find=search:by=edges"};
    static const char *const orders[] = {NULL, "owner"};
    bench_scene tets = bench_scene_open("fun3d", "visjac_tets", MESH),
                prisms = bench_scene_open("fun3d", "visjac_prisms", MESH);
    for (int w = 0; w < 4; w++)
        for (int r = 0; r < 2; r++)
            assert_true(run(w % 2 ? &tets : &prisms, variants[w], orders[r], (w + r) % 2, NULL) <
                        1e-6);
    /* Always the first of its row; the column before. */
    const tess_strategy first =
        bench_changed("tiles", "+ fetch(&p->node_pairs_rank", "+ 0 * fetch(&p->node_pairs_rank");
    assert_true(run(&tets, "tiles:find=ranks", NULL, 0, &first) > 1e-2);
    const tess_strategy less = bench_changed("atomics", "<= column", "< column");
    assert_true(run(&tets, "atomics:find=search", NULL, 0, &less) > 1e-2);
    bench_scene_close(&tets);
    bench_scene_close(&prisms);
}

/* Opens a page: it has the array `has`, and no `lacks`. */
static void open_page(const bench_scene *s, const char *strategy, const char *has,
                      const char *lacks, bench_opened *o) {
    const bench_case c = {.scene = s, .strategy = strategy, .layout = "soa", .block_size = 64};
    OK(bench_open(&c, NULL, o));
    assert_non_null(strstr(o->execution->page.text.text, has));
    assert_null(strstr(o->execution->page.text.text, lacks));
}

static void page_has(const bench_scene *s, const char *strategy, const char *has,
                     const char *lacks) {
    bench_opened o;
    open_page(s, strategy, has, lacks, &o);
    bench_close(&o);
}

/* A user's kernel does what its reference does, to the last bit. */
static void run_user(const bench_scene *s, bool wide) {
    bench_opened o;
    tess_state *got = NULL, *want = NULL;
    open_page(s, "atomics:find=ranks",
              wide ? "const unsigned short *A_pairs_rank" : "const unsigned char *A_pairs_rank",
              "A_pairs_index", &o);
    OK(tess_execution_run(o.execution));
    OK(tess_state_copy(s->start, false, &got));
    OK(tess_store_download(o.store, got));
    OK(tess_reference_run(s->kernel, s->start, &want));
    assert_true(tess_state_compare(got, want).largest == 0);
    tess_state_free(got);
    tess_state_free(want);
    bench_close(&o);
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    fclose(file);
}

/* Triangles around node 0, which has more neighbours than a byte can tell apart. */
static tess_mesh *fan_of(int32_t n) {
    tess_mesh *mesh = NULL;
    int32_t *index = NULL;
    OK(tess_mesh_new("fan", 2, &mesh));
    OK(tess_mesh_add_set(mesh, "nodes", n + 1, NULL));
    OK(tess_mesh_add_set(mesh, "tris", n, NULL));
    OK(TESS_ZEROS(2 * (n + 1), &mesh->coordinates));
    OK(TESS_ZEROS(3 * n, &index));
    for (int32_t t = 0; t < n; t++) {
        index[3 * t + 1] = 1 + t;
        index[3 * t + 2] = 1 + (t + 1) % n;
    }
    OK(tess_mesh_add_map(mesh, "tris", "nodes", 3, 0, index));
    return mesh;
}

static void long_rows_have_ranks_of_two_bytes(void **state) {
    static const char header[] = "static inline void blocks(const int *id, double *a) {\n"
                                 "    for (int k = 0; k < 9; k++)\n"
                                 "        a[k] += 1000 * id[k / 3] + id[k % 3];\n"
                                 "}\n";
    static const char description[] =
        "name: blocks\nover: tris\n"
        "dats:\n  - {name: id, set: nodes, dim: 1, type: int, start: index}\n"
        "matrices:\n  - {name: A, rows: nodes, block: [1, 1], through: [\"tris:nodes\"]}\n"
        "args:\n  - {dat: id, map: \"tris:nodes\", access: read}\n"
        "  - {matrix: A, map: \"tris:nodes\", as: double, access: inc}\n";
    char path[2][64];
    for (int f = 0; f < 2; f++) {
        snprintf(path[f], sizeof path[f], "%s/blocks.%s", folder, f ? "yaml" : "h");
        write_file(path[f], f ? description : header);
    }
    static const int32_t sizes[] = {256, 257, 65536, 65537};
    for (int i = 0; i < 4; i++) {
        tess_user_kernel *user = NULL;
        bench_scene s = {.mesh = fan_of(sizes[i]), .real = TESS_DOUBLE};
        OK(tess_user_kernel_read(path[0], path[1], &user));
        OK(tess_user_kernel_bind(user, s.mesh));
        OK(tess_user_kernel_start(user, s.mesh, TESS_DOUBLE, &s.start));
        s.kernel = &user->kernel;
        if (i < 3)
            run_user(&s, i > 0);
        else
            bench_refuses(&s, "atomics:find=ranks", "soa", "have a row of 65537, too long");
        bench_scene_close(&s);
        tess_user_kernel_free(user);
    }
}

static void the_table_is_left_out(void **state) {
    bench_scene s = bench_scene_open("fun3d", "visjac_tets", MESH);
    page_has(&s, "atomics", "node_pairs_index", "node_pairs_begin");
    page_has(&s, "atomics:find=search", "const int *node_pairs_column", "node_pairs_index");
    page_has(&s, "tiles:find=ranks", "const unsigned char *node_pairs_rank", "node_pairs_index");
    bench_scene_close(&s);
}

static void a_loop_without_a_matrix_is_refused(void **state) {
    bench_scene s = bench_scene_open("fun3d", "roe_flux", MESH);
    bench_refuses(&s, "atomics:find=ranks", "aos", "loop roe_flux adds to none: leave it out");
    bench_scene_close(&s);
}

/* Cells in a row have two slots of neighbours, as pairs of two points would; the first has none. */
static void slots_that_lead_nowhere_are_no_pairs(void **state) {
    static const tess_kernel_arg args[] = {
        ARG_THROUGH("cells:cells", -1, "cells", "q", 1, "real", TESS_INC)};
    static const tess_kernel kernel = {
        .name = "next",
        .set = "cells",
        .n_args = 1,
        .args = args,
        .text = "static inline void next(real *q) {\n    q[0] += 1;\n    q[1] += 1;\n}\n"};
    bench_scene s = {
        .mesh = generated_mesh("quads:nx=9:ny=1"), .kernel = &kernel, .real = TESS_DOUBLE};
    OK(tess_mesh_derive(s.mesh, "cells:cells"));
    ((tess_map *)tess_mesh_find_map(s.mesh, "cells:cells"))->index[0] = -1;
    OK(tess_state_new(s.mesh, TESS_DOUBLE, &s.start));
    OK(tess_state_add(s.start, "q", "cells", 1, "real"));
    bench_refuses(&s, "atomics:find=ranks", "soa", "loop next adds to none: leave it out");
    bench_scene_close(&s);
}

int main(void) {
    bench_be_strict();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_found_wherever_data_lie),
        cmocka_unit_test(the_table_is_left_out),
        cmocka_unit_test(long_rows_have_ranks_of_two_bytes),
        cmocka_unit_test(a_loop_without_a_matrix_is_refused),
        cmocka_unit_test(slots_that_lead_nowhere_are_no_pairs),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
