/* Tests what a search learns from its runs: against the regression written out in full, and on a
 * machine that is off by a factor a strategy. */
#include "experiments/model/correction.h"
#include "tests/unit.h"

#include <math.h>

static const char *const bases[] = {"atomics", "halo-atomics", "owner-block", "two-step"};
static const char *const layouts[] = {"soa", "aos"}, *const orders[] = {"rcb", "gps", "mosaic"};

enum { N_BASES = 4, N_LAYOUTS = 2, N_ORDERS = 3, N = N_BASES * N_LAYOUTS * N_ORDERS };

/* Predicted times that tell strategies apart by little, orders by less. */
static tess_correction_case case_of(int i) {
    const int base = i / (N_LAYOUTS * N_ORDERS), layout = i / N_ORDERS % N_LAYOUTS;
    return (tess_correction_case){
        .base = bases[base],
        .strategy = bases[base],
        .layout = layouts[layout],
        .order = orders[i % N_ORDERS],
        .predicted = 1e-3 * (1 + 0.05 * base + 0.02 * layout + 0.003 * (i % N_ORDERS))};
}

static tess_correction *correction_of(tess_correction_case *cases) {
    tess_correction *correction = NULL;
    for (int i = 0; i < N; i++)
        cases[i] = case_of(i);
    OK(tess_correction_new(cases, N, &correction));
    return correction;
}

/* The covariance of two cases before anything is known: 0.25 of the mesh, 0.01 for a strategy in
 * common, for strategy and layout, for strategy and order. */
static double covariance(int i, int k) {
    const tess_correction_case a = case_of(i), b = case_of(k);
    const int base = a.base == b.base;
    return 0.25 + 0.01 * (base + (base && a.layout == b.layout) + (base && a.order == b.order));
}

/* Two runs, by the inverse of their 2 x 2 covariance. */
static void is_the_regression_written_out(void **state) {
    tess_correction_case cases[N];
    tess_correction *correction = correction_of(cases);
    const int runs[] = {1, 8};
    const double times[] = {2.1e-3, 0.9e-3};
    const double noise = 0.08 * 0.08;
    const double a = covariance(1, 1) + noise, b = covariance(1, 8), d = covariance(8, 8) + noise;
    const double determinant = a * d - b * b;
    double off[2];
    for (int r = 0; r < 2; r++) {
        off[r] = log(times[r] / cases[runs[r]].predicted);
        tess_correction_learn(correction, runs[r], times[r]);
    }
    for (int i = 0; i < N; i++) {
        const double u = covariance(i, 1), v = covariance(i, 8);
        const double mean =
            (u * (d * off[0] - b * off[1]) + v * (a * off[1] - b * off[0])) / determinant;
        const double left =
            covariance(i, i) - (u * (d * u - b * v) + v * (a * v - b * u)) / determinant;
        const double expected = cases[i].predicted * exp(mean);
        assert_true(fabs(tess_correction_expected(correction, i) / expected - 1) < 1e-9);
        const double hoped = expected * exp(-1.5 * sqrt(left));
        assert_true(fabs(tess_correction_hoped(correction, i) / hoped - 1) < 1e-9);
    }
    tess_correction_free(correction);
}

/* Runs until the best is found, the most hopeful first, where a strategy takes `factor` times what
 * is predicted. */
static int runs_until_best(const double factor[N_BASES], int learns) {
    tess_correction_case cases[N];
    tess_correction *correction = correction_of(cases);
    int done[N] = {0}, best = 0, runs = 0;
    double times[N];
    for (int i = 0; i < N; i++) {
        times[i] = factor[i / (N_LAYOUTS * N_ORDERS)] * cases[i].predicted;
        best = times[i] < times[best] ? i : best;
    }
    while (!done[best]) {
        int next = -1;
        for (int i = 0; i < N; i++)
            if (!done[i] && (next < 0 || tess_correction_hoped(correction, i) <
                                             tess_correction_hoped(correction, next)))
                next = i;
        done[next] = 1;
        runs++;
        if (learns)
            tess_correction_learn(correction, next, times[next]);
    }
    tess_correction_free(correction);
    return runs;
}

/* Where the last strategy is the best, all others come first by predictions: 18 runs in vain. */
static void the_best_is_found_in_fewer_runs(void **state) {
    static const double factors[][N_BASES] = {
        {2, 2, 2, 1}, {1.5, 1.8, 1.3, 0.9}, {1, 1, 1, 0.5}, {4, 1, 3, 0.8}};
    for (int f = 0; f < 4; f++) {
        assert_int_equal(runs_until_best(factors[f], 0), 19);
        assert_true(runs_until_best(factors[f], 1) <= 9);
    }
    static const double alike[N_BASES] = {3, 3, 3, 3}; /* one factor of all changes nothing */
    assert_int_equal(runs_until_best(alike, 1), 1);
}

static void what_is_not_predicted_comes_last(void **state) {
    tess_correction_case cases[] = {case_of(0), case_of(1)};
    tess_correction *correction = NULL;
    cases[1].predicted = NAN;
    OK(tess_correction_new(cases, 2, &correction));
    tess_correction_learn(correction, 1, 1e-6); /* says nothing of the other */
    assert_true(isinf(tess_correction_hoped(correction, 1)));
    assert_true(fabs(tess_correction_expected(correction, 0) / cases[0].predicted - 1) < 1e-12);
    tess_correction_free(correction);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_the_regression_written_out),
        cmocka_unit_test(the_best_is_found_in_fewer_runs),
        cmocka_unit_test(what_is_not_predicted_comes_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
