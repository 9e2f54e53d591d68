/* Tests of the sequential test: thousands of simulated gates, whose errors are counted. */
#include "core/base/sequential_verdict.h"

#include "core/base/splitmix.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { GATES = 2000, MOST = 60 };

/* A normal number, with a tail where `is_heavy`: one process of twenty is disturbed. */
static double noise(uint64_t *state, int is_heavy) {
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += (double)(tess_random_next(state) >> 11) * 0x1p-53;
    return is_heavy && tess_random_below(state, 20) == 0 ? 8 * fabs(sum) : sum;
}

/* How gates of up to MOST runs end. */
typedef struct ends {
    int n[3];    /* by verdict */
    double runs; /* on average */
} ends;

static ends simulate(double slower, double deviation, int is_heavy, int is_apart) {
    const tess_sequential_test test = {.limit = 0.02, .error = 0.005};
    uint64_t state = 7;
    ends found = {{0}, 0};
    for (int gate = 0; gate < GATES; gate++) {
        double reference[MOST], ours[MOST];
        tess_sequential_result result = {TESS_SEQUENTIAL_OPEN, 0, 0, 0};
        int n = 0;
        for (int i = 0; i < MOST; i++) {
            reference[i] = 1e-3 * exp(deviation * noise(&state, is_heavy));
            ours[i] = 1e-3 * (1 + slower) * exp(deviation * noise(&state, is_heavy));
        }
        while (n < MOST && result.verdict == TESS_SEQUENTIAL_OPEN) {
            n++;
            result = is_apart ? tess_sequential_apart(&test, reference, 8, ours, n)
                              : tess_sequential_pairs(&test, reference, ours, n);
        }
        found.n[result.verdict]++;
        found.runs += (double)n / GATES;
    }
    return found;
}

/* One in 200 is allowed: 10 of 2000; more than 20 are less likely than one in a hundred. */
static void equal_programs_are_called_slower_in_one_gate_of_200_at_most(void **unused) {
    (void)unused;
    for (int is_apart = 0; is_apart < 2; is_apart++)
        for (int is_heavy = 0; is_heavy < 2; is_heavy++) {
            assert_true(simulate(0, 0.003, is_heavy, is_apart).n[TESS_SEQUENTIAL_SLOWER] <= 20);
            assert_true(simulate(0, 0.03, is_heavy, is_apart).n[TESS_SEQUENTIAL_SLOWER] <= 20);
        }
}

static void less_than_half_of_the_limit_is_not_called_slower(void **unused) {
    (void)unused;
    assert_true(simulate(0.0099, 0.003, 0, 0).n[TESS_SEQUENTIAL_SLOWER] <= 20);
}

static void one_that_is_slower_by_the_limit_is_called_the_same_as_seldom(void **unused) {
    (void)unused;
    for (int is_apart = 0; is_apart < 2; is_apart++) {
        assert_true(simulate(0.021, 0.003, 0, is_apart).n[TESS_SEQUENTIAL_SAME] <= 20);
        assert_true(simulate(0.021, 0.03, 0, is_apart).n[TESS_SEQUENTIAL_SAME] <= 20);
    }
}

static void what_is_slower_is_found_and_what_is_not_is_let_through(void **unused) {
    (void)unused;
    const ends slower = simulate(0.02, 0.003, 0, 0), same = simulate(0, 0.003, 0, 0);
    assert_true(slower.n[TESS_SEQUENTIAL_SLOWER] > 0.99 * GATES && slower.runs < 12);
    assert_true(same.n[TESS_SEQUENTIAL_SAME] > 0.99 * GATES && same.runs < 9);
    assert_true(simulate(-0.1, 0.003, 0, 0).n[TESS_SEQUENTIAL_SAME] > 0.99 * GATES);
    assert_true(simulate(0.1, 0.03, 0, 0).n[TESS_SEQUENTIAL_SLOWER] > 0.95 * GATES);
}

static void nothing_is_sure_before_the_first_look(void **unused) {
    (void)unused;
    const tess_sequential_test test = {.limit = 0.02, .error = 0.005};
    const double one[] = {1, 1, 1, 1}, two[] = {2, 2, 2, 2};
    for (int n = 0; n < TESS_FIRST_LOOK; n++)
        assert_int_equal(tess_sequential_pairs(&test, one, two, n).verdict, TESS_SEQUENTIAL_OPEN);
    const tess_sequential_result result = tess_sequential_pairs(&test, one, two, 4);
    assert_int_equal(result.verdict, TESS_SEQUENTIAL_SLOWER);
    assert_true(fabs(result.ratio - 2) < 1e-12);
    assert_int_equal(tess_sequential_pairs(&test, two, one, 4).verdict, TESS_SEQUENTIAL_SAME);
    assert_int_equal(tess_sequential_apart(&test, one, 2, two, 4).verdict, TESS_SEQUENTIAL_OPEN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_programs_are_called_slower_in_one_gate_of_200_at_most),
        cmocka_unit_test(less_than_half_of_the_limit_is_not_called_slower),
        cmocka_unit_test(one_that_is_slower_by_the_limit_is_called_the_same_as_seldom),
        cmocka_unit_test(what_is_slower_is_found_and_what_is_not_is_let_through),
        cmocka_unit_test(nothing_is_sure_before_the_first_look),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
