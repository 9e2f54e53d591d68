/* A race: who leaves, and for how many rounds the others go on. */
#include "experiments/campaign/race.h"
#include "tests/unit.h"

enum { RUNS = 3, MOST = 2 * TESS_SHORT_RACE };

typedef struct raced {
    tess_run runs[RUNS], *list[RUNS];
    tess_trial_sample samples[RUNS][MOST];
    tess_session session;
} raced;

/* Three runs, slower than the first by 5 % and by 20 %, or `equal`, have taken n rounds. */
static void begin(raced *all, int n, bool equal) {
    static const double factors[RUNS] = {1, 1.05, 1.2};
    *all = (raced){.session = {.n = RUNS, .n_taken = n, .n_rounds = n}};
    for (int i = 0; i < RUNS; i++) {
        for (int k = 0; k < n; k++)
            all->samples[i][k] = (tess_trial_sample){
                .seconds = (equal ? 1 : factors[i]) * (1 + 0.001 * ((k * 7 + i * 3) % 11 - 5)),
                .round = k};
        all->runs[i] = (tess_run){.session = "one", .number = i};
        all->runs[i].trial.samples = all->samples[i];
        all->runs[i].trial.n_samples = n;
        all->list[i] = &all->runs[i];
    }
    all->session.runs = all->list;
}

/* After n rounds: the rounds that are to be taken in all, and who left. */
static const struct {
    tess_race race;
    int n;
    bool equal;
    int n_rounds;
    const char *left;
} cases[] = {
    {{.late = false}, 7, false, 7, "---"}, /* it is judged at 6, 12, 24 ... */
    {{.late = false}, 24, false, 24, "-xx"},
    {{.late = false}, 24, true, 48, "---"},
    {{.late = false}, TESS_SHORT_RACE / 2, true, TESS_SHORT_RACE, "---"},
    {{.late = false}, TESS_SHORT_RACE, true, TESS_SHORT_RACE, "---"},
    {{.goes_on = true}, TESS_SHORT_RACE, true, MOST, "---"},
    {{.goes_on = true, .confirms = true}, 24, false, 48, "--x"},
    {{.late = true, .goes_on = true, .confirms = true}, 24, false, 24, "-xx"},
    {{.late = true}, 25, true, 25, "---"},
};

static void those_leave_that_are_surely_slower(void **state) {
    static raced all;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        tess_race race = cases[c].race;
        begin(&all, cases[c].n, cases[c].equal);
        OK(tess_race_judge(&race, &all.session, cases[c].n));
        for (int i = 0; i < RUNS; i++)
            if (all.runs[i].left != (cases[c].left[i] == 'x'))
                fail_msg("case %zu: run %d", c, i);
        assert_int_equal(all.session.n_rounds, cases[c].n_rounds);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(those_leave_that_are_surely_slower)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
