/* Winners: by times with their intervals, by traffic, ties called ties. */
#include "experiments/report/winner.h"
#include "tests/unit.h"

enum { N_SAMPLES = 20, MOST = 6 };

typedef struct some_runs {
    tess_experiment experiments[MOST];
    tess_run runs[MOST];
    const tess_run *list[MOST];
    tess_trial_sample samples[MOST][N_SAMPLES];
    int n;
} some_runs;

static tess_experiment *add(some_runs *some, tess_experiment_kind kind, const char *partitioner) {
    tess_experiment *x = &some->experiments[some->n];
    tess_run *run = &some->runs[some->n];
    OK(tess_experiment_init(kind, x));
    OK(tess_experiment_set(x, TESS_FIELD_partitioner, partitioner));
    *run = (tess_run){.experiment = x, .number = some->n};
    OK(tess_metrics_new(&run->values));
    some->list[some->n++] = run;
    return x;
}

/* Samples of about `seconds` that differ by up to `noise` of it, in rounds that all share. */
static void add_timed(some_runs *some, const char *strategy, double seconds, double noise) {
    const int i = some->n;
    tess_experiment *x = add(some, TESS_RUNNING, "rcb");
    OK(tess_experiment_set(x, TESS_FIELD_strategy, strategy));
    for (int k = 0; k < N_SAMPLES; k++)
        some->samples[i][k] = (tess_trial_sample){
            .seconds = seconds * (1 + noise * ((k * 7 + i * 3) % 11 - 5) / 5), .round = k};
    some->runs[i].trial.samples = some->samples[i];
    some->runs[i].trial.n_samples = N_SAMPLES;
    strcpy(some->runs[i].session, "one");
}

static void add_cut(some_runs *some, const char *partitioner, const char *size, double bytes) {
    const int i = some->n;
    tess_experiment *x = add(some, TESS_CUTTING, partitioner);
    OK(tess_experiment_set(x, TESS_FIELD_block_size, size));
    OK(tess_metrics_put(some->runs[i].values, "transfer_total", bytes));
}

static void add_counted(some_runs *some, const char *strategy, int64_t sectors) {
    const int i = some->n;
    tess_experiment *x = add(some, TESS_RUNNING, "rcb");
    OK(tess_experiment_set(x, TESS_FIELD_strategy, strategy));
    tess_metrics *values = some->runs[i].values;
    const int64_t read = sectors / 2, written = sectors - read;
    OK(tess_metrics_put(values, "read_sectors", (double)read));
    OK(tess_metrics_put(values, "write_sectors", (double)written));
    OK(tess_metrics_put(values, "atomic_sectors", 0));
}

static void clear(some_runs *some) {
    for (int i = 0; i < some->n; i++) {
        tess_experiment_clear(&some->experiments[i]);
        tess_metrics_free(some->runs[i].values);
    }
    *some = (some_runs){.n = 0};
}

static void assert_words(some_runs *some, const char *expected) {
    char *words = NULL;
    OK(tess_winner_words(some->list, some->n, NULL, &words));
    assert_string_equal(words, expected);
    free(words);
}

static void assert_fastest(const some_runs *some, const char *expected) {
    bool among[MOST];
    char text[MOST + 1] = "";
    OK(tess_winner_fastest(some->list, some->n, among));
    for (int i = 0; i < some->n; i++)
        text[i] = among[i] ? '*' : '-';
    assert_string_equal(text, expected);
}

static void the_fastest_wins_where_intervals_say_so(void **state) {
    some_runs some = {.n = 0};
    add_timed(&some, "openmp", 2, 0);
    add_timed(&some, "sequential", 1, 0);
    add_timed(&some, "atomics", 4, 0);
    assert_fastest(&some, "-*-");
    assert_words(&some, "Fastest: sequential, 2 times as fast as openmp (95 % interval 2 to 2).");
    clear(&some);
}

/* The run added last is of the mesh as it is stored. */
static void store_order(some_runs *some) {
    tess_experiment *x = &some->experiments[some->n - 1];
    OK(tess_experiment_set(x, TESS_FIELD_partitioner, "file-order"));
    OK(tess_experiment_set(x, TESS_FIELD_renumber, "none"));
}

static void a_timed_winner_is_compared_with_the_mesh_as_stored(void **state) {
    some_runs some = {.n = 0};
    add_timed(&some, "openmp", 1, 0);
    add_timed(&some, "openmp", 3, 0);
    store_order(&some);
    assert_words(&some, "Fastest: openmp (rcb), 3 times as fast as openmp (as stored) (95 % "
                        "interval 3 to 3).");
    add_timed(&some, "sequential", 2, 0);
    assert_words(&some, "Fastest: openmp (rcb), 2 times as fast as sequential (rcb) (95 % interval "
                        "2 to 2). Your file's order takes 3 times as long, 3e+03 ms by openmp (95 "
                        "% interval 3 to 3).");
    add_timed(&some, "sequential", 1.001, 0);
    store_order(&some);
    assert_words(&some, "No winner by time: openmp (rcb) and sequential (as stored) may be equally "
                        "fast; the first is 2 times as fast as sequential (rcb) (95 % interval 2 "
                        "to 2). Your file's order is as good, by sequential.");
    clear(&some);
}

static void who_left_a_race_has_not_won_it(void **state) {
    some_runs some = {.n = 0};
    add_timed(&some, "openmp", 1, 0);
    add_timed(&some, "sequential", 2, 0);
    some.runs[0].left = true;
    assert_fastest(&some, "**");
    some.runs[0].left = false;
    const int late = N_SAMPLES - 8; /* rounds of both, which took longer */
    some.runs[0].trial.samples += late;
    some.runs[0].trial.n_samples -= late;
    for (int k = late; k < N_SAMPLES; k++) {
        some.samples[0][k].seconds = 8;
        some.samples[1][k].seconds = k % 2 ? 16 : 16.01;
    }
    assert_fastest(&some, "*-");
    clear(&some);
}

static void noise_leaves_no_winner(void **state) {
    some_runs some = {.n = 0};
    add_timed(&some, "openmp", 1.05, 0.5);
    add_timed(&some, "sequential", 1, 0.5);
    assert_fastest(&some, "**");
    char *words = NULL;
    OK(tess_winner_words(some.list, some.n, NULL, &words));
    assert_non_null(strstr(words, "No winner by time: "));
    assert_non_null(strstr(words, "may be equally fast; more samples would tell."));
    free(words);
    clear(&some);
}

static void equals_tie_and_are_both_marked(void **state) {
    some_runs some = {.n = 0};
    add_timed(&some, "openmp", 1, 0);
    add_timed(&some, "atomics", 3, 0);
    add_timed(&some, "sequential", 1.001, 0);
    assert_fastest(&some, "*-*");
    assert_words(&some,
                 "No winner by time: openmp and sequential may be equally fast; the first is "
                 "3 times as fast as atomics (95 % interval 3 to 3).");
    clear(&some);
}

static void of_many_equals_four_are_named(void **state) {
    static const char *const strategies[MOST] = {"openmp", "sequential", "atomics",
                                                 "gather", "two-step",   "block-colour"};
    for (int n = 4; n <= MOST; n++) {
        some_runs some = {.n = 0};
        char expected[160];
        for (int i = 0; i < n; i++)
            add_timed(&some, strategies[i], 1, 0);
        snprintf(expected, sizeof expected,
                 "No winner by time: openmp, sequential, atomics%s gather%s may be equally fast; "
                 "more samples would tell.",
                 n == 4 ? " and" : ",",
                 n == 4   ? ""
                 : n == 5 ? " and 1 more"
                          : " and 2 more");
        assert_words(&some, expected);
        clear(&some);
    }
}

static void failed_runs_take_no_part(void **state) {
    some_runs some = {.n = 0};
    add_timed(&some, "openmp", 1, 0);
    add_timed(&some, "atomics", 3, 0);
    some.runs[0].failure = (char[]){"wrong"};
    assert_fastest(&some, "-*");
    assert_words(&some, "");
    clear(&some);
}

static void cuts_are_compared_by_traffic_at_each_size(void **state) {
    some_runs some = {.n = 0};
    add_cut(&some, "rcb", "64", 2e6);
    add_cut(&some, "gps", "64", 1e6);
    add_cut(&some, "rcb", "128", 1e6);
    add_cut(&some, "gps", "128", 1.005e6);
    assert_words(&some,
                 "Least predicted traffic at block size 64: gps, 1 MB, 50 % less than rcb; at "
                 "block size 128: rcb and gps tie, 1 MB.");
    assert_fastest(&some, "----");
    clear(&some);
}

static void untimed_runs_are_compared_by_counted_traffic(void **state) {
    some_runs some = {.n = 0};
    add_counted(&some, "atomics", 1000);
    add_counted(&some, "two-step", 750);
    assert_words(&some, "Least counted traffic: two-step, 0.024 MB, 25 % less than atomics.");
    clear(&some);
}

static void what_tells_runs_from_each_other_is_named(void **state) {
    some_runs some = {.n = 0};
    add_counted(&some, "atomics", 1000);
    add_counted(&some, "atomics", 750);
    OK(tess_experiment_set(&some.experiments[1], TESS_FIELD_layout, "aos"));
    assert_words(&some, "Least counted traffic: atomics (aos), 0.024 MB, 25 % less than atomics "
                        "(soa).");
    OK(tess_experiment_set(&some.experiments[1], TESS_FIELD_block_size, "64"));
    assert_words(&some,
                 "Least counted traffic: atomics (64, aos), 0.024 MB, 25 % less than atomics "
                 "(128, soa).");
    clear(&some);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fastest_wins_where_intervals_say_so),
        cmocka_unit_test(a_timed_winner_is_compared_with_the_mesh_as_stored),
        cmocka_unit_test(who_left_a_race_has_not_won_it),
        cmocka_unit_test(noise_leaves_no_winner),
        cmocka_unit_test(equals_tie_and_are_both_marked),
        cmocka_unit_test(of_many_equals_four_are_named),
        cmocka_unit_test(failed_runs_take_no_part),
        cmocka_unit_test(cuts_are_compared_by_traffic_at_each_size),
        cmocka_unit_test(untimed_runs_are_compared_by_counted_traffic),
        cmocka_unit_test(what_tells_runs_from_each_other_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
