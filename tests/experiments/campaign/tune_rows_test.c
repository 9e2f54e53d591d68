/* Runs of a race, with made-up times: rounds of one session are compared in pairs. */
#include "core/base/array.h"
#include "core/base/splitmix.h"
#include "experiments/campaign/tune.h"
#include "tests/unit.h"

#include <math.h>

enum { ROUNDS = TESS_SHORT_RACE };

/* In [-1, 1], the same for the same round and salt. */
static double noise(int round, uint64_t salt) {
    uint64_t state = salt * 1000 + (uint64_t)round;
    return (double)tess_random_below(&state, 2001) / 1000 - 1;
}

/* A row that took the rounds `first` to `last`: `seconds` each, by up to a third more or less in
 * rounds that are so for all, and by up to a thousandth of its own. */
static tess_run *row_of(const char *session, double seconds, int first, int last, uint64_t salt) {
    tess_run *row = NULL;
    OK(tess_run_new(NULL, 0, &row));
    tess_trial *trial = &row->trial;
    OK(TESS_ZEROS(last - first + 1, &trial->samples));
    for (int round = first; round <= last; round++)
        trial->samples[trial->n_samples++] = (tess_trial_sample){
            .round = round,
            .seconds = seconds * (1 + noise(round, 1) / 3) * (1 + noise(round, salt) / 1000)};
    snprintf(row->session, sizeof row->session, "%s", session);
    return row;
}

static tess_verdict verdict(const tess_run *base, const tess_run *other, tess_comparison *found) {
    OK(tess_runs_compare(base, other, found));
    return tess_comparison_verdict(found, 0.01);
}

static void sees_what_rounds_hide(void **state) {
    tess_comparison found;
    tess_run *base = row_of("a", 1, 0, ROUNDS - 1, 2);
    tess_run *slower = row_of("a", 1.03, 0, ROUNDS - 1, 3);
    tess_run *same = row_of("a", 1, 0, ROUNDS - 1, 4);
    tess_run *elsewhere = row_of("b", 1.03, 0, ROUNDS - 1, 5);
    assert_int_equal(verdict(base, slower, &found), TESS_LARGER);
    assert_true(found.low > 1.028 && found.high < 1.032 && fabs(found.ratio - 1.03) < 0.001);
    assert_int_equal(verdict(slower, base, &found), TESS_SMALLER);
    assert_int_equal(verdict(base, same, &found), TESS_SAME);
    assert_int_equal(verdict(base, elsewhere, &found), TESS_UNCLEAR); /* nothing is paired */
    tess_run_free(base);
    tess_run_free(slower);
    tess_run_free(same);
    tess_run_free(elsewhere);
}

static void pairs_only_common_rounds(void **state) {
    tess_comparison found;
    tess_run *base = row_of("a", 1, 0, ROUNDS - 1, 2);
    tess_run *early = row_of("a", 1.03, 0, 11, 3);
    tess_run *late = row_of("a", 1.03, 12, ROUNDS - 1, 4);
    assert_int_equal(verdict(base, early, &found), TESS_LARGER);
    assert_int_equal(verdict(base, late, &found), TESS_LARGER);
    assert_true(fabs(found.ratio - 1.03) < 0.002);
    assert_int_equal(verdict(early, late, &found), TESS_UNCLEAR); /* no round in common */
    tess_run_free(base);
    tess_run_free(early);
    tess_run_free(late);
}

static void few_rounds_are_unclear(void **state) {
    tess_comparison found;
    tess_run *base = row_of("a", 1, 0, 4, 2), *slower = row_of("a", 2, 0, 4, 3);
    assert_int_equal(verdict(base, slower, &found), TESS_UNCLEAR);
    tess_run_free(base);
    tess_run_free(slower);
}

/* A session of three runs that have taken ROUNDS: the best, one that is as fast, and one that left
 * after half of them, `lost` times as slow in these. */
static tess_session session_of(tess_run *runs[3], double lost) {
    runs[0] = row_of("a", 1, 0, ROUNDS - 1, 2);
    runs[1] = row_of("a", 1.001, 0, ROUNDS - 1, 3);
    runs[2] = row_of("a", lost, 0, ROUNDS / 2 - 1, 4);
    runs[2]->left = true;
    return (tess_session){.n = 3, .runs = runs, .n_rounds = ROUNDS};
}

/* The rounds after the race was judged, and whether the one that left is still out. */
static int rounds_after(tess_race race, double lost, int n_taken, bool *out) {
    tess_run *runs[3];
    tess_session session = session_of(runs, lost);
    OK(tess_race_judge(&race, &session, n_taken));
    *out = runs[2]->left;
    for (int i = 0; i < 3; i++)
        tess_run_free(runs[i]);
    return session.n_rounds;
}

static void ties_go_on_where_time_is_left(void **state) {
    bool out = false;
    const tess_race ends = {.goes_on = false}, goes_on = {.goes_on = true},
                    is_late = {.late = true, .goes_on = true};
    assert_int_equal(rounds_after(ends, 2, TESS_SHORT_RACE, &out), TESS_SHORT_RACE);
    assert_int_equal(rounds_after(goes_on, 2, TESS_SHORT_RACE, &out), 2 * TESS_SHORT_RACE);
    assert_true(out);
    assert_int_equal(rounds_after(is_late, 2, TESS_SHORT_RACE + 1, &out), TESS_SHORT_RACE + 1);
    assert_int_equal(rounds_after(goes_on, 2, ROUNDS + 1, &out), ROUNDS); /* not asked yet */
}

static void who_may_be_as_fast_comes_back(void **state) {
    bool out = false;
    const tess_race ends = {.goes_on = false}, goes_on = {.goes_on = true};
    rounds_after(goes_on, 1.01, ROUNDS, &out);
    assert_false(out);
    rounds_after(ends, 1.01, ROUNDS, &out);
    assert_true(out);
}

static void a_winner_is_confirmed(void **state) {
    bool out = false;
    const tess_race confirms = {.goes_on = true, .confirms = true},
                    won = {.goes_on = true, .won = true};
    for (int i = 0; i < 2; i++) {
        tess_run *runs[3];
        tess_race race = confirms;
        tess_session session = session_of(runs, i == 0 ? 1.2 : 1.06);
        tess_run_free(runs[1]);
        runs[1] = row_of("a", i == 0 ? 1.05 : 1.2, 0, ROUNDS - 1, 3);
        OK(tess_race_judge(&race, &session, ROUNDS));
        assert_true(race.won && session.n_rounds == 2 * ROUNDS); /* one is near */
        assert_int_equal(runs[1]->left, i == 1);                 /* and no other */
        assert_int_equal(runs[2]->left, i == 0);
        race.confirms = false; /* enough: judged at once, and the winner is alone */
        OK(tess_race_judge(&race, &session, ROUNDS + 1));
        assert_true(race.won && session.n_rounds == ROUNDS + 1 && runs[1]->left && runs[2]->left);
        for (int k = 0; k < 3; k++)
            tess_run_free(runs[k]);
    }
    assert_int_equal(rounds_after(won, 1.2, ROUNDS + 1, &out), 4 * ROUNDS); /* a tie: no winner */
}

static void the_slow_leave_meanwhile(void **state) {
    tess_run *runs[] = {row_of("a", 1, 0, ROUNDS - 1, 2),
                        row_of("a", 1.2, ROUNDS - 12, ROUNDS - 1, 3),
                        row_of("a", 1.05, ROUNDS - 12, ROUNDS - 1, 4),
                        row_of("a", 1.2, ROUNDS - 11, ROUNDS - 1, 5)};
    tess_session session = {.n = 4, .runs = runs, .n_meanwhile = ROUNDS};
    OK(tess_race_thin(&session));
    assert_true(!runs[0]->left && runs[1]->left);
    assert_true(!runs[2]->left && !runs[3]->left); /* near; not asked yet */
    for (int i = 0; i < 4; i++)
        tess_run_free(runs[i]);
}

/* Its rounds were those in which all take less, by up to a third. */
static void who_came_late_is_compared_in_its_rounds(void **state) {
    tess_run *first = row_of("a", 1, 0, ROUNDS - 1, 2), *late = row_of("a", 1.02, 0, ROUNDS - 1, 3);
    int64_t n = 0;
    for (int64_t i = 0; i < late->trial.n_samples; i++)
        if (noise(late->trial.samples[i].round, 1) < -0.2)
            late->trial.samples[n++] = late->trial.samples[i];
    late->trial.n_samples = n;
    first->value = tess_trial_median(&first->trial);
    late->value = tess_trial_median(&late->trial);
    assert_true(n >= 6 && late->value < first->value);
    assert_true(tess_run_is_faster(first, late) && !tess_run_is_faster(late, first));
    tess_run_free(first);
    tess_run_free(late);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sees_what_rounds_hide),
        cmocka_unit_test(pairs_only_common_rounds),
        cmocka_unit_test(few_rounds_are_unclear),
        cmocka_unit_test(ties_go_on_where_time_is_left),
        cmocka_unit_test(who_may_be_as_fast_comes_back),
        cmocka_unit_test(a_winner_is_confirmed),
        cmocka_unit_test(the_slow_leave_meanwhile),
        cmocka_unit_test(who_came_late_is_compared_in_its_rounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
