/* Predictions: how long experiments would take on a GPU, without running them. */
#include "experiments/model/prediction.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "experiments/bench/experiment.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void tess_predictor_open_compiler(tess_predictor *predictor) {
    if (tess_device_open("nvrtc", &predictor->compiler, &predictor->target) != TESS_OK)
        predictor->compiler = NULL;
}

void tess_predictor_close_compiler(tess_predictor *predictor) {
    if (predictor->compiler)
        predictor->compiler->close(predictor->target);
    predictor->compiler = NULL;
}

/* Plans an experiment, or takes the plan of one before it on the same blocks. */
static tess_status plan(tess_bench *bench, const tess_experiment *experiment, tess_planned **out) {
    tess_status status = TESS_OK;
    tess_run *run = NULL;
    CHECK(tess_run_new(experiment, 0, &run));
    CHECK(tess_experiment_plan_beside(bench, run, out));
done:
    tess_run_free(run);
    return status;
}

/* Those of the fit, where there is one. */
static const double *constants_of(const tess_predictor *predictor) {
    return predictor->fit ? predictor->fit->constants : predictor->machine->number;
}

static tess_status count_features(const tess_predictor *predictor, const tess_predicted_loop *loop,
                                  const tess_planned *planned, tess_prediction *one) {
    const tess_experiment *x = one->experiment;
    const tess_features_setting setting = {
        .kernel = loop->kernel,
        .bound = loop->bound,
        .plan = planned->plan,
        .renumbering = planned->renumbering,
        .state = loop->state,
        .layouts = x->layout.layouts,
        .strategy = x->strategy.plugin,
        .spec = x->strategy.spec,
        .threads = x->threads == TESS_UNSAID ? 0 : (int)x->threads,
        .compiler = one->registers > 0 ? NULL : predictor->compiler,
        .target = predictor->target,
        .most_elements = predictor->most_elements,
        .l2_bytes = (int64_t)constants_of(predictor)[TESS_CONSTANT_l2_bytes]};
    const double began = tess_clock_seconds();
    TRY(tess_features_compute(&setting, &one->features));
    one->compiled = setting.compiler != NULL;
    if (one->registers > 0)
        one->features.registers = one->registers;
    one->cost = tess_clock_seconds() - began;
    if (one->features.shared_bytes > TESS_MOST_SHARED)
        FAIL(TESS_ERROR_USAGE,
             "a block needs %.0f bytes of shared memory, and may have %d: take smaller blocks",
             one->features.shared_bytes, TESS_MOST_SHARED);
    return TESS_OK;
}

/* The time by the features, with its interval. */
static void predict_time(const tess_predictor *predictor, tess_prediction *one) {
    const tess_experiment *x = one->experiment;
    const tess_fit *fit = predictor->fit;
    one->time = tess_model_predict(constants_of(predictor), &one->features);
    one->seconds = one->time.seconds;
    one->low = one->high = NAN;
    if (!fit)
        return;
    const tess_configuration variant = {.application = x->application,
                                        .base = x->strategy.plugin->name,
                                        .strategy = x->strategy.text,
                                        .layout = x->layout.text,
                                        .block_size = (int)x->block_size};
    one->is_fitted = tess_fit_find(fit, variant.strategy, variant.layout) != NULL;
    one->seconds = tess_fit_seconds(fit, &variant, &one->features, &one->time);
    const tess_fit_errors *errors = tess_fit_errors_of(fit, x->strategy.plugin->name);
    if (errors) {
        one->low = one->seconds * errors->low;
        one->high = one->seconds * errors->high;
    }
}

/* Keeps why an experiment has no prediction; defects of ours and of the machine end all. */
static tess_status keep_failure(tess_status failure, tess_prediction *one) {
    if (failure == TESS_ERROR_INTERNAL || failure == TESS_ERROR_MEMORY || failure == TESS_ERROR_IO)
        return failure;
    return tess_text_copy(tess_message(), &one->failure);
}

tess_status tess_prediction_make(const tess_predictor *predictor, const tess_predicted_loop *loop,
                                 const tess_planned *planned, tess_prediction *one) {
    if (one->failure)
        return TESS_OK;
    tess_status status = count_features(predictor, loop, planned, one);
    if (status == TESS_OK)
        predict_time(predictor, one);
    else
        status = keep_failure(status, one);
    return status;
}

/* Predictions on one bench: every plan and every prediction is a task of its own. */
typedef struct predicting {
    const tess_predictor *predictor;
    tess_bench *bench;
    tess_prediction *predictions; /* [n] */
    char **keys;                  /* [n] of their plans */
    int64_t n;
    double last_plan;   /* by the clock: none is begun later */
    tess_status status; /* the first that ends all ... */
    char *message;      /* ... and its words, which are a thread's own; NULL: none */
} predicting;

static void note_end(predicting *all, tess_status status) {
    if (status == TESS_OK)
        return;
#pragma omp critical(predicting_end)
    if (all->status == TESS_OK) {
        all->status = status;
        if (tess_text_copy(tess_message(), &all->message) != TESS_OK)
            all->message = NULL;
    }
}

/* Whether it is late by the clock, or nothing more is to be begun. */
static bool is_after(const predicting *all, double end) {
    const atomic_bool *stopped = all->predictor->stopped;
    return (stopped && atomic_load(stopped)) || (end > 0 && tess_clock_seconds() > end);
}

static void tell(const predicting *all, const tess_prediction *one) {
    if (all->predictor->predicted)
        all->predictor->predicted(all->predictor->context, one);
}

static bool has_plan_of(const predicting *all, int64_t i, int64_t first) {
    return strcmp(all->keys[i], all->keys[first]) == 0;
}

/* Predicts an experiment unless it is late. */
static void predict_in_time(predicting *all, const tess_planned *planned, tess_prediction *one) {
    const tess_predicted_loop loop = tess_predicted_loop_of(&all->bench->load);
    one->late = !one->failure && is_after(all, all->predictor->until);
    if (one->late)
        return;
    note_end(all, tess_prediction_make(all->predictor, &loop, planned, one));
    tell(all, one);
}

/* Plans once for all predictions that have the plan of this one, the first of them. */
static void predict_beside(predicting *all, int64_t first) {
    tess_planned *planned = NULL;
    const bool late = is_after(all, all->last_plan);
    const tess_status status =
        late ? TESS_OK : plan(all->bench, all->predictions[first].experiment, &planned);
    for (int64_t i = first; i < all->n && !planned; i++) {
        if (!has_plan_of(all, i, first))
            continue;
        all->predictions[i].late = late;
        if (status == TESS_OK)
            continue;
        note_end(all, keep_failure(status, &all->predictions[i]));
        tell(all, &all->predictions[i]);
    }
    for (int64_t i = first; i < all->n && planned; i++) {
        if (!has_plan_of(all, i, first))
            continue;
#pragma omp task firstprivate(i)
        predict_in_time(all, planned, &all->predictions[i]);
    }
#pragma omp taskwait
    tess_planned_release(planned);
}

static bool is_first_of_plan(const predicting *all, int64_t i) {
    for (int64_t j = 0; j < i; j++)
        if (has_plan_of(all, j, i))
            return false;
    return true;
}

/* Those on one bench, side by side on all cores. */
static tess_status predict_on_bench(const tess_predictor *predictor, tess_bench *bench,
                                    tess_prediction *predictions, int64_t n) {
    tess_status status = TESS_OK;
    predicting all = {.predictor = predictor, .bench = bench, .predictions = predictions, .n = n};
    if (predictor->until > 0)
        all.last_plan = (tess_clock_seconds() + predictor->until) / 2;
    CHECK(TESS_ZEROS(n, &all.keys));
    for (int64_t i = 0; i < n; i++)
        CHECK(tess_shared_plans_key(predictions[i].experiment, &all.keys[i]));
#pragma omp parallel
#pragma omp single
    for (int64_t i = 0; i < n; i++)
        if (is_first_of_plan(&all, i)) {
#pragma omp task firstprivate(i)
            predict_beside(&all, i);
        }
    if (all.status != TESS_OK)
        CHECK(tess_fail(all.status, "%s", all.message ? all.message : "a prediction failed"));
done:
    for (int64_t i = 0; all.keys && i < n; i++)
        free(all.keys[i]);
    free(all.keys);
    free(all.message);
    return status;
}

static bool is_counted(const tess_prediction *one) {
    return !one->late && !one->failure;
}

static bool are_of_one_kind(const tess_prediction *a, const tess_prediction *b) {
    const tess_experiment *x = a->experiment, *y = b->experiment;
    return strcmp(x->strategy.text, y->strategy.text) == 0 &&
           strcmp(x->layout.text, y->layout.text) == 0;
}

/* The longest time of those that were counted, of one's kind or of all; NaN: none was. */
static double longest_counted(const tess_prediction *predictions, int64_t n,
                              const tess_prediction *one, bool of_kind) {
    double longest = NAN;
    for (int64_t i = 0; i < n; i++)
        if (is_counted(&predictions[i]) && (!of_kind || are_of_one_kind(&predictions[i], one)))
            longest = fmax(longest, predictions[i].seconds);
    return longest;
}

void tess_predictions_fill_late(tess_prediction *predictions, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        tess_prediction *one = &predictions[i];
        if (!one->late)
            continue;
        one->low = one->high = NAN;
        one->seconds = longest_counted(predictions, n, one, true);
        if (isnan(one->seconds))
            one->seconds = longest_counted(predictions, n, one, false);
    }
}

tess_status tess_predictions_make(const tess_predictor *predictor, tess_bench *bench,
                                  tess_prediction *predictions, int64_t n) {
    for (int64_t first = 0, end = 0; first < n; first = end) {
        if (!tess_bench_fits(bench, predictions[first].experiment)) {
            const tess_bench_options options = {.unexecuted = true};
            tess_bench_close(bench);
            TRY(tess_bench_open(predictions[first].experiment, &options, NULL, bench));
        }
        for (end = first; end < n && tess_bench_fits(bench, predictions[end].experiment);)
            end++;
        TRY(predict_on_bench(predictor, bench, predictions + first, end - first));
        tess_predictions_fill_late(predictions + first, end - first);
    }
    return TESS_OK;
}

static bool has_time(const tess_prediction *one) {
    return !one->failure && !isnan(one->seconds);
}

static int compare(const void *a, const void *b) {
    const tess_prediction *x = a, *y = b;
    if (has_time(x) != has_time(y))
        return has_time(x) ? -1 : 1;
    return (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

void tess_predictions_sort(tess_prediction *predictions, int64_t n) {
    qsort(predictions, (size_t)n, sizeof *predictions, compare);
}

void tess_predictions_clear(tess_prediction *predictions, int64_t n) {
    for (int64_t i = 0; predictions && i < n; i++)
        free(predictions[i].failure);
}
