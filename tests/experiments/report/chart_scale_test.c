/* A scale: which ticks are round, and where values are. */
#include "experiments/report/chart/chart_scale.h"
#include "tests/unit.h"

#include <math.h>

static void assert_ticks(const tess_axis *axis, const double *values, int n, int n_ticks,
                         const char *expected) {
    const tess_scale scale = tess_scale_of(axis, values, n, n_ticks);
    char text[256] = "";
    size_t length = 0;
    for (int i = 0; i < scale.n_ticks; i++) {
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%g", i ? " " : "",
                                   scale.ticks[i]);
        const double position = tess_scale_position(&scale, scale.ticks[i]);
        assert_true(position > -1e-9 && position < 1 + 1e-9);
    }
    assert_string_equal(text, expected);
}

/* Steps of 1, 2 and 5 times a power of ten; the axis is 8 % longer than its values reach. */
static void ticks_are_at_round_values(void **state) {
    static const tess_axis linear = {.words = ""}, logarithmic = {.logarithmic = true},
                           whole = {.whole = true};
    static const struct {
        const tess_axis *axis;
        double values[3];
        const char *ticks;
    } cases[] = {
        {&linear, {0, 5, 6}, "0 1 2 3 4 5 6"},          /* 6.48 / 5 */
        {&linear, {0, 5, 17}, "0 5 10 15"},             /* 18.36 / 5 */
        {&linear, {0, 5, 16}, "0 2 4 6 8 10 12 14 16"}, /* 17.28 / 5 */
        {&linear, {0, 5, 20}, "0 5 10 15 20"},
        {&linear, {0, 5, 40}, "0 10 20 30 40"},
        {&linear, {-0.3, 0, 0.3}, "-0.3 -0.2 -0.1 0 0.1 0.2 0.3"},
        {&linear, {NAN, 7, INFINITY}, "4 6 8 10"}, /* half of it on both sides */
        {&logarithmic, {1, 60, 3}, "1 2 5 10 20 50"},
        {&logarithmic, {1, 90, 3}, "1 10 100"}, /* over two decades */
        {&logarithmic, {30, 10, 20}, "10 15 20 25 30"},
        {&logarithmic, {0, 10, 20}, "0 5 10 15 20"}, /* 0 has no logarithm */
        {&whole, {128, 64, 128}, "64 128"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_ticks(cases[i].axis, cases[i].values, 3, 5, cases[i].ticks);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(ticks_are_at_round_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
