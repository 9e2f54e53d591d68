/* Predictions that time does not suffice for: they come behind those that were counted. */
#include "core/base/array.h"
#include "core/base/clock.h"
#include "experiments/model/forecast.h"
#include "tests/unit.h"

#include <math.h>
#include <pthread.h>
#include <unistd.h>

enum { N = 6 };

static const char *const variants[N][2] = {{"atomics", "soa"},  {"atomics", "soa"},
                                           {"atomics", "soa"},  {"atomics", "aos"},
                                           {"two-step", "soa"}, {"two-step", "soa"}};

static void set(tess_experiment *x, tess_field field, const char *text) {
    OK(tess_experiment_set(x, field, text));
}

static void begin(tess_experiment *experiments, tess_prediction *predictions) {
    memset(predictions, 0, N * sizeof *predictions);
    for (int i = 0; i < N; i++) {
        OK(tess_experiment_init(TESS_RUNNING, &experiments[i]));
        set(&experiments[i], TESS_FIELD_application, "airfoil");
        set(&experiments[i], TESS_FIELD_mesh, "quads:nx=9:ny=8");
        set(&experiments[i], TESS_FIELD_strategy, variants[i][0]);
        set(&experiments[i], TESS_FIELD_layout, variants[i][1]);
        set(&experiments[i], TESS_FIELD_block_size, i % 2 ? "64" : "32");
        predictions[i].experiment = &experiments[i];
    }
}

static void clear(tess_experiment *experiments, tess_prediction *predictions) {
    tess_predictions_clear(predictions, N);
    for (int i = 0; i < N; i++)
        tess_experiment_clear(&experiments[i]);
}

static void the_late_take_the_longest_of_their_kind(void **state) {
    tess_experiment experiments[N];
    tess_prediction predictions[N];
    begin(experiments, predictions);
    const double seconds[N] = {1, 3, 0, 0, 2, 0};
    for (int i = 0; i < N; i++) {
        predictions[i].seconds = seconds[i];
        predictions[i].late = seconds[i] == 0;
    }
    tess_predictions_fill_late(predictions, N);
    assert_true(predictions[2].seconds == 3 && predictions[5].seconds == 2);
    assert_true(predictions[3].seconds == 3); /* of all: none of its kind was counted */
    for (int i = 0; i < N; i++)
        predictions[i].late = i > 0;
    predictions[0].failure = strdup("refused");
    tess_predictions_fill_late(predictions, N);
    for (int i = 1; i < N; i++)
        assert_true(isnan(predictions[i].seconds));
    predictions[4].late = false;
    predictions[4].seconds = 2;
    tess_predictions_sort(predictions, N);
    assert_true(predictions[0].seconds == 2 && predictions[1].failure);
    assert_true(isnan(predictions[N - 1].seconds));
    clear(experiments, predictions);
}

/* How many of the predictions are late where they end so many seconds from now. */
static int count_late(double seconds) {
    tess_experiment experiments[N];
    tess_prediction predictions[N];
    tess_machine machine;
    tess_bench bench = {.opened = NULL};
    int n_late = 0;
    begin(experiments, predictions);
    OK(tess_machine_read("h200", &machine));
    const tess_predictor predictor = {.machine = &machine, .until = tess_clock_seconds() + seconds};
    OK(tess_predictions_make(&predictor, &bench, predictions, N));
    for (int i = 0; i < N; i++) {
        n_late += predictions[i].late;
        assert_true(predictions[i].late ? isnan(predictions[i].seconds)
                                        : predictions[i].seconds > 0);
        assert_null(predictions[i].failure);
    }
    tess_bench_close(&bench);
    clear(experiments, predictions);
    return n_late;
}

static void nothing_is_begun_when_the_time_has_passed(void **state) {
    assert_int_equal(count_late(-1), N);
    assert_int_equal(count_late(1e6), 0);
}

/* How many are late of a forecast that is stopped, or not, before its first prediction is read. */
static int count_late_in_forecast(bool stopped) {
    tess_experiment experiments[N];
    tess_prediction predictions[N], read[N], again[N];
    tess_machine machine;
    tess_bench bench = {.opened = NULL};
    tess_forecast *forecast = NULL;
    int n_late = 0;
    begin(experiments, predictions);
    OK(tess_machine_read("h200", &machine));
    tess_predictor predictor = {.machine = &machine};
    tess_predictor_open_compiler(&predictor);
    OK(tess_predictions_make(&predictor, &bench, predictions, N));
    /* The lock that plans are taken under keeps the forecast from its first plan. */
    pthread_mutex_lock(&bench.lock);
    OK(tess_forecast_begin(&predictor, &bench, experiments, N, 1e6, &forecast));
    assert_false(tess_forecast_has_more(forecast));
    tess_forecast_read(forecast, read);
    for (int i = 0; i < N; i++)
        assert_true(read[i].late && isnan(read[i].seconds));
    if (stopped)
        tess_forecast_stop(forecast);
    pthread_mutex_unlock(&bench.lock);
    tess_forecast_wait(forecast, INFINITY);
    tess_forecast_read(forecast, again);
    for (int i = 0; i < N; i++) {
        n_late += again[i].late;
        assert_ptr_equal(again[i].experiment, &experiments[i]);
        assert_true(again[i].late || again[i].seconds == predictions[i].seconds);
    }
    assert_false(tess_forecast_has_more(forecast));
    OK(tess_forecast_end(forecast));
    tess_predictor_close_compiler(&predictor);
    tess_bench_close(&bench);
    clear(experiments, predictions);
    return n_late;
}

static void a_forecast_is_read_while_it_is_made(void **state) {
    assert_int_equal(count_late_in_forecast(false), 0);
    assert_in_range(count_late_in_forecast(true), 1, N);
}

static void *begin_plan(void *context) {
    tess_bench *bench = context;
    tess_planned *planned = tess_bench_begin_plan(bench, "a");
    if (!planned)
        tess_bench_end_plan(bench, "a", NULL);
    return planned;
}

/* A plan of one key is made once: who comes meanwhile waits, but not for others. */
static void a_plan_is_made_once(void **state) {
    tess_bench bench = {
        .plans = {.most = 2}, .lock = PTHREAD_MUTEX_INITIALIZER, .planning = TESS_MAKING_INIT};
    tess_planned *made = NULL;
    void *got = NULL;
    pthread_t thread;
    OK(TESS_ZEROS(1, &made));
    made->n_holders = 1;
    assert_null(tess_bench_begin_plan(&bench, "a"));
    assert_int_equal(pthread_create(&thread, NULL, begin_plan, &bench), 0);
    assert_null(tess_bench_begin_plan(&bench, "b"));
    usleep(20000);
    tess_bench_end_plan(&bench, "a", made);
    pthread_join(thread, &got);
    assert_ptr_equal(got, made);
    tess_planned_release(got);
    tess_bench_end_plan(&bench, "b", NULL); /* that failed */
    assert_null(tess_bench_begin_plan(&bench, "b"));
    tess_bench_end_plan(&bench, "b", NULL);
    tess_planned_release(made);
    tess_shared_plans_clear(&bench.plans);
}

static tess_status no_memory(tess_target *target, const char *page, tess_device_module **out) {
    (void)target, (void)page, (void)out;
    return tess_fail(TESS_ERROR_MEMORY, "none is left");
}

static tess_status no_compiler(tess_target *target, const char *page, tess_device_module **out) {
    (void)target, (void)page, (void)out;
    return tess_fail(TESS_ERROR_MISSING, "there is none");
}

/* A device without room for originals runs without them; other failures are failures. */
static void originals_need_room(void **state) {
    tess_bound_loop bound = {.n_elements = 0};
    tess_device device = {.apart = true, .compile = no_memory};
    tess_bench bench = {
        .device = &device, .ahead = (tess_ahead *)&bound, .load = {.bound = &bound}};
    OK(tess_bench_keep_originals(&bench));
    assert_null(bench.originals);
    bench.has_tried_originals = false;
    device.compile = no_compiler;
    assert_int_equal(tess_bench_keep_originals(&bench), TESS_ERROR_MISSING);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_late_take_the_longest_of_their_kind),
        cmocka_unit_test(nothing_is_begun_when_the_time_has_passed),
        cmocka_unit_test(a_forecast_is_read_while_it_is_made),
        cmocka_unit_test(a_plan_is_made_once),
        cmocka_unit_test(originals_need_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
