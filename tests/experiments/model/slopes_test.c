/* Slopes of strategies: what least squares that draw to 0 give where it can be written out. */
#include "experiments/model/slopes.h"
#include "tests/unit.h"

#include <math.h>

enum { N = 100, DRAWN = 10 };

static const tess_features plain = {.traffic = {.reads = 10, .block_reads = 5}, .moved_bytes = 1e6};
static const tess_model_time modelled = {.seconds = 1, .resident = 4};

/* A run that took the modelled time by exp(ratio). */
static tess_slopes_sample sample_of(const tess_features *features, const char *base,
                                    const char *layout, double ratio) {
    return (tess_slopes_sample){.features = features,
                                .time = modelled,
                                .variant = {.base = base, .strategy = base, .layout = layout},
                                .ratio = ratio,
                                .weight = 1};
}

static double factor_of(const tess_slopes *slopes, const char *base, const char *layout,
                        const tess_features *features) {
    const tess_configuration variant = {.base = base, .strategy = base, .layout = layout};
    return tess_slopes_factor(slopes, &variant, features, &modelled);
}

static void assert_close(double a, double b, double most) {
    assert_true(fabs(a - b) < most);
}

/* Two strategies of equal runs: each has an offset, and one in its layout, both drawn, so that n
 * runs give n / (n + 5) of what their ratios say. */
static void an_offset_is_drawn_to_nothing(void **state) {
    tess_slopes_sample samples[N];
    tess_slopes slopes;
    for (int i = 0; i < N; i++)
        samples[i] = sample_of(&plain, i < 90 ? "atomics" : "gather", "soa", i < 90 ? 0.2 : -0.1);
    OK(tess_slopes_find(samples, N, &slopes));
    assert_close(log(factor_of(&slopes, "atomics", "soa", &plain)), 90 * 0.2 / (90 + DRAWN / 2.0),
                 1e-6);
    assert_close(log(factor_of(&slopes, "gather", "soa", &plain)), 10 * -0.1 / (10 + DRAWN / 2.0),
                 1e-6);
    assert_close(factor_of(&slopes, "two-step", "soa", &plain), 1, 1e-6);
    samples[0].ratio = 50; /* counts as 0.6 */
    for (int i = 1; i < 90; i++)
        samples[i].weight = 0; /* take no part */
    OK(tess_slopes_find(samples, N, &slopes));
    assert_close(log(factor_of(&slopes, "atomics", "soa", &plain)), 0.6 / (1 + DRAWN / 2.0), 1e-6);
}

/* One trait differs: with a slope of all, one of its own and one in its layout, all drawn, n runs
 * give n / (n + 10 / 3) of what their ratios say. */
static void a_slope_is_drawn_to_nothing(void **state) {
    tess_features features[2] = {{.moved_bytes = 64}, {.moved_bytes = 64 * 2.7}};
    tess_slopes_sample samples[N];
    tess_slopes slopes;
    for (int i = 0; i < N; i++)
        samples[i] = sample_of(&features[i % 2], "atomics", "soa", i % 2 ? 0.2 : -0.2);
    OK(tess_slopes_find(samples, N, &slopes));
    const double said = 0.2 * N / (N + DRAWN / 3.0);
    assert_close(log(factor_of(&slopes, "atomics", "soa", &features[1])), said, 1e-6);
    assert_close(log(factor_of(&slopes, "atomics", "soa", &features[0])), -said, 1e-6);
    assert_close(log(factor_of(&slopes, "gather", "soa", &features[1])), said / 3, 1e-6);
    features[1].moved_bytes = 1e15; /* three deviations are the most */
    assert_close(log(factor_of(&slopes, "atomics", "soa", &features[1])), 3 * said, 1e-6);
}

/* What a strategy takes in a layout is its own; a layout that names a set begins as the plain one.
 */
static void layouts_have_offsets_of_their_own(void **state) {
    tess_slopes_sample samples[N];
    tess_slopes slopes;
    for (int i = 0; i < N; i++)
        samples[i] = sample_of(&plain, "atomics",
                               i % 4 == 0   ? "soa"
                               : i % 4 == 1 ? "soa,nodes=aos"
                                            : "aos",
                               i % 4 < 2 ? 0.2 : -0.2);
    OK(tess_slopes_find(samples, N, &slopes));
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
        assert_close(log(factor_of(&slopes, "atomics", cases[i].layout, &plain)), cases[i].said,
                     1e-6);
}

/* Half of the runs are of an application that takes longer, the others of none that a fit knows.
 * By the strategy's two offsets, each drawn by 10, both halves are off by x, the one besides by y
 * of its own two, each drawn by 3: 5 x + (100 x + 50 y - 10) = 0, 1.5 y + (50 x + 50 y - 10) = 0.
 */
static void an_application_has_offsets_of_its_own(void **state) {
    tess_slopes_sample samples[N];
    static tess_slopes slopes;
    for (int i = 0; i < N; i++) {
        samples[i] = sample_of(&plain, "atomics", "soa", i % 2 ? 0.2 : 0);
        samples[i].variant.application = i % 2 ? "volna" : NULL;
        samples[i].variant.block_size = 128;
    }
    OK(tess_slopes_find(samples, N, &slopes));
    assert_int_equal(slopes.offsets.n, 2);
    const double x = (10 * 51.5 - 10 * 50) / (105 * 51.5 - 50 * 50), y = (10 - 50 * x) / 51.5;
    const struct {
        tess_configuration variant;
        double said;
    } cases[] = {{{"volna", "atomics", "atomics", "soa", 128}, x + y},
                 {{"airfoil", "atomics", "atomics", "soa", 128}, x},
                 {{NULL, "atomics", "atomics", "soa", 128}, x},
                 {{"volna", "atomics", "atomics", "soa", 256}, x + y / 2},
                 {{"volna", "atomics", "atomics", "soa,nodes=aos", 128}, x + y / 2},
                 {{"volna", "atomics", "atomics:transpose=shared", "soa", 128}, x + y / 2},
                 {{"volna", "two-step", "two-step", "soa", 128}, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_close(log(tess_slopes_factor(&slopes, &cases[i].variant, &plain, &modelled)),
                     cases[i].said, 1e-6);
}

/* Runs with options are off by twice what plain ones are: an offset of the options, drawn as that
 * of the strategy and as that of its layout are. x of these two, y of the options': 5 x + (100 x +
 * 50 y - 15) = 0, 10 y + (50 x + 50 y - 10) = 0. */
static void options_have_offsets_of_their_own(void **state) {
    tess_slopes_sample samples[N];
    static tess_slopes slopes;
    for (int i = 0; i < N; i++) {
        samples[i] = sample_of(&plain, "atomics", "soa", i % 2 ? 0.2 : 0.1);
        if (i % 2)
            samples[i].variant.strategy = "atomics:transpose=shared";
    }
    OK(tess_slopes_find(samples, N, &slopes));
    const double x = (15 * 60.0 - 10 * 50) / (105 * 60.0 - 50 * 50), y = (10 - 50 * x) / 60;
    tess_configuration variant = samples[0].variant;
    assert_close(log(tess_slopes_factor(&slopes, &variant, &plain, &modelled)), x, 1e-6);
    variant.strategy = "atomics:transpose=shared";
    assert_close(log(tess_slopes_factor(&slopes, &variant, &plain, &modelled)), x + y, 1e-6);
    variant.strategy = "atomics:elements=2";
    assert_close(log(tess_slopes_factor(&slopes, &variant, &plain, &modelled)), x, 1e-6);
}

static void offsets_are_found_by_their_words(void **state) {
    static const char *const words[] = {"volna by atomics in soa", "airfoil",
                                        "volna by all of atomics in soa, blocks of 128", "lulesh"};
    static tess_offsets offsets;
    const tess_configuration variant = {"volna", "atomics", "atomics", "soa", 128};
    int found[TESS_OFFSETS_OF_VARIANT];
    for (int i = 0; i < 4; i++)
        OK(tess_offsets_add(&offsets, words[i], i));
    OK(tess_offsets_add(&offsets, words[0], 7)); /* is there */
    assert_int_equal(offsets.n, 4);
    assert_int_equal(tess_offsets_find(&offsets, &variant, found), 2);
    assert_close(offsets.one[found[0]].value, 0, 1e-12);
    assert_close(offsets.one[found[1]].value, 2, 1e-12);
    for (int i = 0; offsets.n < TESS_MOST_OFFSETS; i++) {
        char word[16];
        snprintf(word, sizeof word, "%d", i);
        OK(tess_offsets_add(&offsets, word, 0));
    }
    assert_int_equal(tess_offsets_add(&offsets, "one more", 0), TESS_ERROR_INPUT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_offset_is_drawn_to_nothing),
        cmocka_unit_test(a_slope_is_drawn_to_nothing),
        cmocka_unit_test(layouts_have_offsets_of_their_own),
        cmocka_unit_test(an_application_has_offsets_of_its_own),
        cmocka_unit_test(options_have_offsets_of_their_own),
        cmocka_unit_test(offsets_are_found_by_their_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
