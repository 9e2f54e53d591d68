/* Strategies: every one gives the sequential loop's result, and its page compiles without a
 * warning.
 */
#include "strategy_variants.h"

static void res_calc_on_quads(void **state) {
    bench_scene scene = bench_scene_open("airfoil", NULL, "quads:nx=13:ny=9");
    for (size_t w = 0; w < sizeof variants / sizeof variants[0]; w++) {
        const bench_case c = arranged(&scene, w, 0);
        double difference = 1;
        const tess_status status = bench_run(&c, NULL, &difference);
        assert_int_equal(status, way_fits(c.strategy, scene.kernel) ? TESS_OK : TESS_ERROR_USAGE);
        assert_true(status != TESS_OK || difference < 1e-12);
    }
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
        cmocka_unit_test(points_of_three_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
