/* Strategies: every one gives the sequential loop's result, and its page compiles without a
 * warning.
 */
#include "strategy_variants.h"
#include "tables_bench.h"

static void run_variant(const bench_scene *scene, size_t variant, int arrangement) {
    const bench_case c = arranged(scene, variant, arrangement);
    double difference = 1;
    const tess_status status = bench_run(&c, NULL, &difference);
    assert_int_equal(status, way_fits(c.strategy, scene->kernel) ? TESS_OK : TESS_ERROR_USAGE);
    assert_true(status != TESS_OK || difference < 1e-12);
}

static void res_calc_on_quads(void **state) {
    bench_scene scene = bench_scene_open("airfoil", NULL, "quads:nx=13:ny=9");
    for (size_t w = 0; w < sizeof variants / sizeof variants[0]; w++)
        run_variant(&scene, w, 0);
    bench_scene_close(&scene);
}

static void flows_reference(void *const *locals, int arity) {
    const double *q = locals[0];
    double *sum = locals[1];
    (void)arity;
    sum[0] += q[0] - 2 * q[2];
    sum[1] += q[1];
    sum[2] -= q[2] - 3 * q[1];
    sum[3] += q[0] * q[3];
}

static const tess_kernel_arg flows_args[] = {
    ARG_THROUGH("edges:cells", -1, "cells", "q", 2, "real", TESS_READ),
    ARG_THROUGH("edges:cells", -1, "cells", "sum", 2, "real", TESS_INC),
};
static const tess_kernel flows = {
    .name = "flows",
    .set = "edges",
    .n_args = 2,
    .args = flows_args,
    .reference = flows_reference,
    .text = "static inline void flows(const real *q, real *sum) {\n"
            "    sum[0] += q[0] - 2 * q[2];\n    sum[1] += q[1];\n"
            "    sum[2] -= q[2] - 3 * q[1];\n    sum[3] += q[0] * q[3];\n}\n",
};

/* Flows over edges, some of which have one cell. */
static bench_scene flows_open(void) {
    bench_scene s = {
        .mesh = generated_mesh("quads:nx=14:ny=11"), .kernel = &flows, .real = TESS_DOUBLE};
    OK(tess_mesh_derive(s.mesh, "edges:cells"));
    pad_map((tess_map *)tess_mesh_find_map(s.mesh, "edges:cells"), s.mesh);
    OK(tess_state_new(s.mesh, TESS_DOUBLE, &s.start));
    OK(tess_state_add(s.start, "q", "cells", 2, "real"));
    OK(tess_state_add(s.start, "sum", "cells", 2, "real"));
    double *q = tess_state_find(s.start, "q", "cells")->values;
    for (int i = 0; i < 2 * 14 * 11; i++)
        q[i] = 1 + i % 13;
    return s;
}

static void maps_that_lead_nowhere_in_some_slots(void **state) {
    bench_scene scene = flows_open();
    for (size_t w = 0; w < sizeof variants / sizeof variants[0]; w++)
        run_variant(&scene, w, (int)(w % ARRANGEMENTS));
    bench_scene_close(&scene);
}

/* 192 edges own some 96 cells: a thread of 32 has a third one, where two are not begun at once. */
static void points_of_three_turns(void **state) {
    tess_strategy skips = *bench_strategy("point-parallel");
    char *text = bench_with_instead(skips.text, "own += THREADS", "own += 2 * THREADS");
    skips.text = text;
    bench_scene scene = bench_scene_open("airfoil", NULL, "quads:nx=25:ny=20");
    const bench_case c = {.scene = &scene,
                          .strategy = "point-parallel",
                          .layout = "soa",
                          .block_size = 192,
                          .threads = 32};
    bench_case mutant = c;
    mutant.mutant = &skips;
    double difference = 0;
    bench_passes(&c, 1e-12);
    OK(bench_run(&mutant, NULL, &difference));
    assert_true(difference > 1e-3);
    free(text);
    bench_scene_close(&scene);
}

int main(void) {
    bench_be_strict();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(res_calc_on_quads),
        cmocka_unit_test(maps_that_lead_nowhere_in_some_slots),
        cmocka_unit_test(points_of_three_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
