/* An evaluation: what predictions are worth, of points where it can be written out. */
#include "experiments/model/evaluation.h"
#include "tests/unit.h"

#include <math.h>

/* Launches alone take time, a second each: as many are predicted. */
static tess_fit_point point_of(const char *mesh, const char *base, const char *order,
                               double predicted, double seconds) {
    return (tess_fit_point){.features = {.launches = predicted, .threads = 32, .registers = 32},
                            .seconds = seconds,
                            .mesh = mesh,
                            .application = "airfoil",
                            .strategy = base,
                            .layout = "soa",
                            .base = base,
                            .order = order,
                            .is_random = strcmp(order, "random") == 0};
}

static void assert_close(double a, double b) {
    assert_true(fabs(a - b) < 1e-9);
}

static tess_fit launches_fit(void) {
    tess_fit fit = {.n_errors = 1, .errors = {{.base = "atomics", .low = 0.9, .high = 1.1}}};
    for (int c = 0; c < TESS_N_CONSTANTS; c++)
        fit.constants[c] = 1;
    fit.constants[TESS_CONSTANT_start] = 0;
    return fit;
}

static void numbers_are_those_by_hand(void **state) {
    const tess_fit_point points[] = {
        point_of("a", "atomics", "rcb", 1, 1.5),    point_of("a", "gather", "rcb", 2, 1.01),
        point_of("a", "tiles", "rcb", 3, 1),        point_of("a", "two-step", "rcb", 4, 4),
        point_of("a", "halo-atomics", "rcb", 5, 4), point_of("a", "halo-atomics", "random", 1, 10),
        point_of("b", "atomics", "gps", 2, 2.08),   point_of("b", "atomics", "rcb", 3, 2),
        point_of("b", "atomics", "rcm", 4, 8),
    };
    const tess_fit fit = launches_fit();
    tess_evaluation found;
    OK(tess_evaluate_fit(&fit, points, sizeof points / sizeof *points, &found));
    assert_int_equal(found.n_points, 8);
    /* predicted / measured: 2/3 2/1.01 3 1 1.25, 0.1 of the random order, 2/2.08 1.5 0.5 */
    assert_close(found.bias, (1 + 1.25) / 2);
    assert_close(found.median, (1.0 / 3 + 0.5) / 2);
    assert_close(found.p90, 0.7 * (2 / 1.01 - 1) + 0.3 * 2);
    assert_close(found.p90_with_random, 0.8 * (2 / 1.01 - 1) + 0.2 * 2);
    assert_close(found.covered, 1.0 / 4); /* of atomics: 1.5 1.04 2/3 2 */
    assert_int_equal(found.orders.n, 1);  /* of mesh a by rcb: 1.5 is predicted best, 1 is it */
    assert_int_equal(found.orders.n_close, 0);
    assert_int_equal(found.strategies.n, 1); /* of mesh b: 2.08 and 2 */
    assert_int_equal(found.strategies.n_close, 1);
    assert_int_equal(found.n_meshes, 2);
    const tess_mesh_evaluation *a = &found.meshes[0];
    assert_int_equal(a->n_points, 5);
    assert_close(a->median, 1.0 / 3);
    assert_close(a->regret, 1.5);
    assert_int_equal(a->n_until_close, 2);
    /* Ranks of what is predicted: 0.5 2 3 4 5 0.5; measured: 2 1 0 3.5 3.5 5. */
    assert_close(a->correlation, -0.5 / 17);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_those_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
