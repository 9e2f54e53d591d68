/* Tests of the sequential test: thousands of simulated gates, whose errors are counted. */
#include "core/base/sequential_verdict.h"

#include "core/base/splitmix.h"
#include "core/base/statistics.h"
#include "tests/unit.h"
#include <math.h>

enum { GATES = 2000, MOST = 30 };

/* What times of equal programs differ by. */
typedef enum noise {
    QUIET,     /* 0.3 % */
    BUSY,      /* 3 % */
    HEAVY,     /* one process of twenty is disturbed, by ten times as much */
    TWO_KINDS, /* a process is of one of two kinds, 2.6 % apart: where its data lie, say */
    DRIFT,     /* both get slower from turn to turn, and who comes second in a turn by 0.5 % */
    LOAD,      /* what disturbs a process disturbs the next one, too */
    PLACES,    /* ten times of a process, each of one of the two kinds */
    NOISES
} noise;

static double uniform(uint64_t *state) {
    return (double)(tess_random_next(state) >> 11) * 0x1p-53;
}

static double normal(uint64_t *state) {
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += uniform(state);
    return sum;
}

static double of_two_kinds(uint64_t *state) {
    return 0.0003 * normal(state) + 0.026 * (double)tess_random_below(state, 2);
}

/* The logarithm of a time; `load`: the disturbance of the process before it. */
static double logarithm(noise of, uint64_t *state, int turn, int second, double *load) {
    const double small = 0.003 * normal(state);
    switch (of) {
    case BUSY:
        return 10 * small;
    case HEAVY:
        return tess_random_below(state, 20) == 0 ? 10 * fabs(small) : small;
    case TWO_KINDS:
        return of_two_kinds(state);
    case PLACES: {
        double times[10];
        for (int i = 0; i < 10; i++)
            times[i] = of_two_kinds(state);
        return tess_trimmed_mean(times, 10);
    }
    case DRIFT:
        return small + 0.01 * turn + 0.005 * second;
    case LOAD:
        *load = 0.9 * *load + 0.01 * normal(state);
        return small + *load;
    default:
        return small;
    }
}

/* Gates of some runs each, of up to MOST turns. */
typedef struct scene {
    noise of;
    double slower; /* ours, by this share */
    int n_runs;
    int n_archived; /* times of the reference; 0: in turns */
} scene;

/* How they end: in how many a run is called so, and the mean turns of a run. */
typedef struct ends {
    int n[3];
    double turns;
} ends;

static tess_sequential_verdict decide(const scene *of, uint64_t *state, double *turns) {
    const tess_sequential_test test = {.limit = 0.02, .error = 0.005 / of->n_runs};
    double reference[MOST], ours[MOST], load = 0;
    tess_sequential_result result = {TESS_SEQUENTIAL_OPEN, 0, 0, 0};
    for (int i = 0; i < of->n_archived; i++)
        reference[i] = exp(logarithm(of->of, state, 0, 0, &load));
    for (int n = 0; n < MOST && result.verdict == TESS_SEQUENTIAL_OPEN; n++) {
        for (int second = 0; second < 2; second++) {
            if (second == n % 2)
                ours[n] = (1 + of->slower) * exp(logarithm(of->of, state, n, second, &load));
            else if (!of->n_archived)
                reference[n] = exp(logarithm(of->of, state, n, second, &load));
        }
        result = of->n_archived
                     ? tess_sequential_apart(&test, reference, of->n_archived, ours, n + 1)
                     : tess_sequential_pairs(&test, reference, ours, n + 1);
        ++*turns;
    }
    return result.verdict;
}

static ends simulate(const scene *of) {
    uint64_t state = 7;
    ends found = {{0}, 0};
    for (int gate = 0; gate < GATES; gate++) {
        int seen[3] = {0};
        for (int run = 0; run < of->n_runs; run++)
            seen[decide(of, &state, &found.turns)] = 1;
        for (int verdict = 0; verdict < 3; verdict++)
            found.n[verdict] += seen[verdict];
    }
    found.turns /= (double)GATES * of->n_runs;
    return found;
}

/* One in 200 is allowed: 10 of 2000; more than 20 are less likely than one in a hundred. */
static void equal_programs_are_called_slower_in_one_gate_of_200_at_most(void **unused) {
    (void)unused;
    for (noise of = 0; of < NOISES; of++)
        assert_true(simulate(&(scene){of, 0, 6, 0}).n[TESS_SEQUENTIAL_SLOWER] <= 20);
    for (noise of = 0; of < DRIFT; of++)
        for (int n_archived = 3; n_archived <= 12; n_archived += 9)
            assert_true(simulate(&(scene){of, 0, 1, n_archived}).n[TESS_SEQUENTIAL_SLOWER] <= 20);
}

static void less_than_half_of_the_limit_is_not_called_slower(void **unused) {
    (void)unused;
    assert_true(simulate(&(scene){QUIET, 0.0099, 1, 0}).n[TESS_SEQUENTIAL_SLOWER] <= 20);
}

static void one_that_is_slower_by_the_limit_is_called_the_same_as_seldom(void **unused) {
    (void)unused;
    for (noise of = 0; of < NOISES; of++)
        assert_true(simulate(&(scene){of, 0.021, 1, 0}).n[TESS_SEQUENTIAL_SAME] <= 20);
    for (noise of = 0; of < DRIFT; of++)
        assert_true(simulate(&(scene){of, 0.021, 1, 8}).n[TESS_SEQUENTIAL_SAME] <= 20);
}

static void what_is_slower_is_found_and_what_is_not_is_let_through(void **unused) {
    (void)unused;
    const ends slower = simulate(&(scene){QUIET, 0.02, 6, 0});
    const ends same = simulate(&(scene){QUIET, 0, 6, 0});
    assert_true(slower.n[TESS_SEQUENTIAL_SLOWER] == GATES && slower.n[TESS_SEQUENTIAL_SAME] <= 20);
    assert_true(same.n[TESS_SEQUENTIAL_SAME] == GATES && same.n[TESS_SEQUENTIAL_OPEN] == 0);
    assert_true(slower.turns < 10 && same.turns < 7);
    assert_true(simulate(&(scene){DRIFT, 0.02, 1, 0}).n[TESS_SEQUENTIAL_SLOWER] > 0.99 * GATES);
    assert_true(simulate(&(scene){QUIET, -0.1, 1, 0}).n[TESS_SEQUENTIAL_SAME] > 0.99 * GATES);
    assert_true(simulate(&(scene){BUSY, 0.1, 1, 0}).n[TESS_SEQUENTIAL_SLOWER] > 0.95 * GATES);
    const ends placed = simulate(&(scene){PLACES, 0.02, 6, 0});
    assert_true(placed.n[TESS_SEQUENTIAL_SLOWER] > 0.95 * GATES && placed.turns < 25);
}

static void nothing_is_sure_before_the_first_look(void **unused) {
    (void)unused;
    const tess_sequential_test test = {.limit = 0.02, .error = 0.005};
    const double one[] = {1, 1, 1, 1, 1}, two[] = {2, 2, 2, 2, 2};
    for (int n = 0; n < 5; n++) /* 2 ** -10 is less than a third of the error */
        assert_int_equal(tess_sequential_pairs(&test, one, two, n).verdict, TESS_SEQUENTIAL_OPEN);
    const tess_sequential_result result = tess_sequential_pairs(&test, one, two, 5);
    assert_int_equal(result.verdict, TESS_SEQUENTIAL_SLOWER);
    assert_true(fabs(result.ratio - 2) < 1e-12);
    assert_int_equal(tess_sequential_pairs(&test, two, one, 5).verdict, TESS_SEQUENTIAL_SAME);
    assert_int_equal(tess_sequential_apart(&test, one, 2, two, 5).verdict, TESS_SEQUENTIAL_OPEN);
    assert_int_equal(tess_sequential_apart(&test, one, 4, two, 5).verdict, TESS_SEQUENTIAL_OPEN);
    assert_int_equal(tess_sequential_apart(&test, one, 5, two, 5).verdict, TESS_SEQUENTIAL_SLOWER);
}

/* Turns of two kinds, as many of each: they go on so until their mean is sure. */
static void what_is_undecided_says_how_many_turns_it_takes(void **unused) {
    (void)unused;
    const tess_sequential_test test = {.limit = 0.02, .error = 0.005};
    double one[400], ours[400];
    int64_t n = 10;
    for (int i = 0; i < 400; i++) {
        one[i] = 1;
        ours[i] = i % 2 ? 1.05 : 0.95;
    }
    assert_int_equal(tess_sequential_pairs_wanted(&test, one, ours, 1), -1);
    const int64_t wanted = tess_sequential_pairs_wanted(&test, one, ours, n);
    while (n < 400 && tess_sequential_pairs(&test, one, ours, n).verdict == TESS_SEQUENTIAL_OPEN)
        n += 2;
    assert_int_equal(tess_sequential_pairs(&test, one, ours, n).verdict, TESS_SEQUENTIAL_SAME);
    assert_true(fabs((double)(10 + wanted) / (double)n - 1) < 0.15);
}

/* Three processes of the reference that were alike by chance do not say that all are. */
static void a_few_times_of_the_lab_do_not_say_what_processes_differ_by(void **unused) {
    (void)unused;
    const tess_sequential_test test = {.limit = 0.02, .error = 0.005};
    double reference[12], ours[100];
    for (int i = 0; i < 12; i++)
        reference[i] = i >= 3 && i % 2 ? 1.05 : 1;
    for (int i = 0; i < 100; i++)
        ours[i] = i % 2 ? 1.05 : 1;
    for (int n = 0; n <= 100; n++)
        assert_true(tess_sequential_apart(&test, reference, 3, ours, n).verdict !=
                    TESS_SEQUENTIAL_SLOWER);
    for (int i = 0; i < 100; i++)
        ours[i] *= 1.1;
    assert_int_equal(tess_sequential_apart(&test, reference, 12, ours, 100).verdict,
                     TESS_SEQUENTIAL_SLOWER);
}

static void a_trimmed_mean_leaves_the_fifths_out_that_are_least_and_most(void **unused) {
    (void)unused;
    double ten[] = {9, -1e9, 2, 8, 1e9, 3, -7, 100, 4, 4}, few[] = {5, 1, 9, 1};
    assert_true(tess_trimmed_mean(ten, 10) == (2 + 3 + 4 + 4 + 8 + 9) / 6.0);
    assert_true(tess_trimmed_mean(few, 4) == 4 && isnan(tess_trimmed_mean(few, 0)));
}

/* Of phases in which a machine is slow one begins within a pair, and some times are disturbed. */
static void pairs_tell_what_means_of_each_do_not(void **unused) {
    (void)unused;
    double reference[] = {1, 1, 1, 1, 1, 3, 3, 3, 3, 3}, ours[10], its[10];
    for (int i = 0; i < 10; i++)
        ours[i] = 1.02 * reference[i];
    ours[5] = 1.02;
    ours[0] = 30;
    for (int i = 0; i < 10; i++)
        its[i] = reference[i];
    assert_true(fabs(tess_ratio_of_pairs(ours, its, 10) - 1 / 1.02) < 1e-12);
    assert_true(fabs(tess_ratio_of_pairs(reference, ours, 10) - 1.02) < 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_programs_are_called_slower_in_one_gate_of_200_at_most),
        cmocka_unit_test(less_than_half_of_the_limit_is_not_called_slower),
        cmocka_unit_test(one_that_is_slower_by_the_limit_is_called_the_same_as_seldom),
        cmocka_unit_test(what_is_slower_is_found_and_what_is_not_is_let_through),
        cmocka_unit_test(nothing_is_sure_before_the_first_look),
        cmocka_unit_test(pairs_tell_what_means_of_each_do_not),
        cmocka_unit_test(a_trimmed_mean_leaves_the_fifths_out_that_are_least_and_most),
        cmocka_unit_test(what_is_undecided_says_how_many_turns_it_takes),
        cmocka_unit_test(a_few_times_of_the_lab_do_not_say_what_processes_differ_by),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
