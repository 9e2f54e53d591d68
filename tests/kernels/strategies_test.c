/* Strategies: every one gives the sequential loop's result, and its page compiles without a
 * warning.
 */
#include "strategy_ways.h"

static void res_calc_on_quads(void **state) {
    (void)state;
    bench_scene scene = bench_scene_open("airfoil", NULL, "quads:nx=13:ny=9");
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
        const bench_case c = arranged(&scene, w, 0);
        double difference = 1;
        const tess_status status = bench_run(&c, NULL, &difference);
        assert_int_equal(status, way_fits(c.strategy, scene.kernel) ? TESS_OK : TESS_ERROR_USAGE);
        assert_true(status != TESS_OK || difference < 1e-12);
    }
    bench_scene_close(&scene);
}

int main(void) {
    bench_be_strict();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(res_calc_on_quads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
