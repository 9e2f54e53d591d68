/* Slopes of strategies: what least squares that draw to 0 give where it can be written out. */
#include "kernels/predict/slopes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { N = 100, DRAWN = 10 };

static const tess_features plain = {.traffic = {.reads = 10, .block_reads = 5}, .moved_bytes = 1e6};
static const tess_model_time modelled = {.seconds = 1, .resident = 4};

/* A run that took the modelled time by exp(ratio). */
static tess_slopes_sample sample_of(const tess_features *features, const char *base,
                                    const char *layout, double ratio) {
    return (tess_slopes_sample){.features = features,
                                .time = modelled,
                                .base = base,
                                .layout = layout,
                                .ratio = ratio,
                                .weight = 1};
}

static void assert_close(double a, double b, double most) {
    assert_true(fabs(a - b) < most);
}

/* Two strategies of equal runs: each has an offset, and one in its layout, both drawn, so that n
 * runs give n / (n + 5) of what their ratios say. */
static void an_offset_is_drawn_to_nothing(void **state) {
    (void)state;
    tess_slopes_sample samples[N];
    tess_slopes slopes;
    for (int i = 0; i < N; i++)
        samples[i] = sample_of(&plain, i < 90 ? "atomics" : "gather", "soa", i < 90 ? 0.2 : -0.1);
    assert_int_equal(tess_slopes_find(samples, N, &slopes), TESS_OK);
    assert_close(log(tess_slopes_factor(&slopes, "atomics", "soa", &plain, &modelled)),
                 90 * 0.2 / (90 + DRAWN / 2.0), 1e-6);
    assert_close(log(tess_slopes_factor(&slopes, "gather", "soa", &plain, &modelled)),
                 10 * -0.1 / (10 + DRAWN / 2.0), 1e-6);
    assert_close(tess_slopes_factor(&slopes, "two-step", "soa", &plain, &modelled), 1, 1e-6);
    samples[0].ratio = 50; /* counts as 0.6 */
    for (int i = 1; i < 90; i++)
        samples[i].weight = 0; /* take no part */
    assert_int_equal(tess_slopes_find(samples, N, &slopes), TESS_OK);
    assert_close(log(tess_slopes_factor(&slopes, "atomics", "soa", &plain, &modelled)),
                 0.6 / (1 + DRAWN / 2.0), 1e-6);
}

/* One trait differs: with a slope of all, one of its own and one in its layout, all drawn, n runs
 * give n / (n + 10 / 3) of what their ratios say. */
static void a_slope_is_drawn_to_nothing(void **state) {
    (void)state;
    tess_features features[2] = {{.moved_bytes = 64}, {.moved_bytes = 64 * 2.7}};
    tess_slopes_sample samples[N];
    tess_slopes slopes;
    for (int i = 0; i < N; i++)
        samples[i] = sample_of(&features[i % 2], "atomics", "soa", i % 2 ? 0.2 : -0.2);
    assert_int_equal(tess_slopes_find(samples, N, &slopes), TESS_OK);
    const double said = 0.2 * N / (N + DRAWN / 3.0);
    assert_close(log(tess_slopes_factor(&slopes, "atomics", "soa", &features[1], &modelled)), said,
                 1e-6);
    assert_close(log(tess_slopes_factor(&slopes, "atomics", "soa", &features[0], &modelled)), -said,
                 1e-6);
    assert_close(log(tess_slopes_factor(&slopes, "gather", "soa", &features[1], &modelled)),
                 said / 3, 1e-6);
    features[1].moved_bytes = 1e15; /* three deviations are the most */
    assert_close(log(tess_slopes_factor(&slopes, "atomics", "soa", &features[1], &modelled)),
                 3 * said, 1e-6);
}

/* What a strategy takes in a layout is its own; a layout that names a set begins as the plain one.
 */
static void layouts_have_offsets_of_their_own(void **state) {
    (void)state;
    tess_slopes_sample samples[N];
    tess_slopes slopes;
    for (int i = 0; i < N; i++)
        samples[i] = sample_of(&plain, "atomics",
                               i % 4 == 0   ? "soa"
                               : i % 4 == 1 ? "soa,nodes=aos"
                                            : "aos",
                               i % 4 < 2 ? 0.2 : -0.2);
    assert_int_equal(tess_slopes_find(samples, N, &slopes), TESS_OK);
    const double said = 0.2 * (N / 2) / (N / 2 + DRAWN); /* that of both layouts is 0 */
    const struct {
        const char *layout;
        double said;
    } cases[] = {{"soa", said},
                 {"soa,nodes=aos", said},
                 {"soa,edges=aos", said},
                 {"aos", -said},
                 {"aos16", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_close(
            log(tess_slopes_factor(&slopes, "atomics", cases[i].layout, &plain, &modelled)),
            cases[i].said, 1e-6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_offset_is_drawn_to_nothing),
        cmocka_unit_test(a_slope_is_drawn_to_nothing),
        cmocka_unit_test(layouts_have_offsets_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
