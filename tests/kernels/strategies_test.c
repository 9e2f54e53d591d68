/* Strategies: every one gives the sequential loop's result, and its page compiles without a
 * warning.
 */
#include "strategy_ways.h"

static void res_calc_on_quads(void **state) {
    (void)state;
    run_application("airfoil", "quads:nx=13:ny=9", TESS_DOUBLE, 1e-12, 1, 1);
}

int main(void) {
    bench_be_strict();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(res_calc_on_quads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
