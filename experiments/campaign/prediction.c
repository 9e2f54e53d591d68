/* Predictions: how long experiments would take on a GPU, without running them. */
#include "experiments/campaign/prediction.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "experiments/bench/experiment.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Plans an experiment, or takes the plan of one before it on the same blocks. */
static tess_status plan(tess_bench *bench, const tess_experiment *experiment, tess_planned **out) {
    tess_status status = TESS_OK;
    tess_run *run = NULL;
    CHECK(tess_run_new(experiment, 0, &run));
    CHECK(tess_bench_find_plan(bench, run));
    if (!run->planned) {
        CHECK(tess_experiment_plan(bench, run, &run->planned));
        CHECK(tess_bench_keep_plan(bench, run));
    }
    *out = tess_planned_share(run->planned);
done:
    tess_run_free(run);
    return status;
}

static tess_status count_features(const tess_predictor *predictor, const tess_bench *bench,
                                  const tess_planned *planned, tess_prediction *one) {
    const tess_experiment *x = one->experiment;
    const tess_features_setting setting = {
        .kernel = bench->load.kernel,
        .bound = bench->load.bound,
        .plan = planned->plan,
        .renumbering = planned->renumbering,
        .state = bench->load.start,
        .layouts = x->layout.layouts,
        .strategy = x->strategy.plugin,
        .spec = x->strategy.spec,
        .threads = x->threads == TESS_UNSAID ? 0 : (int)x->threads,
        .l2_bytes = (int64_t)predictor->machine->number[TESS_CONSTANT_l2_bytes]};
    const double began = tess_clock_seconds();
    TRY(tess_features_compute(&setting, &one->features));
    one->cost = tess_clock_seconds() - began;
    return TESS_OK;
}

/* The time by the features, with its interval. */
static void predict_time(const tess_predictor *predictor, tess_prediction *one) {
    const tess_experiment *x = one->experiment;
    const tess_fit *fit = predictor->fit;
    one->time =
        tess_model_predict(fit ? fit->constants : predictor->machine->number, &one->features);
    one->seconds = one->time.seconds;
    one->low = one->high = NAN;
    if (!fit)
        return;
    const tess_fit_kind *kind = tess_fit_find(fit, x->strategy.text, x->layout.text);
    one->is_fitted = kind != NULL;
    one->seconds *= kind ? kind->factor : 1;
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

static tess_status predict(const tess_predictor *predictor, tess_bench *bench,
                           tess_prediction *one) {
    tess_status status = TESS_OK;
    tess_planned *planned = NULL;
    CHECK(plan(bench, one->experiment, &planned));
    CHECK(count_features(predictor, bench, planned, one));
    predict_time(predictor, one);
done:
    tess_planned_release(planned);
    return status;
}

tess_status tess_predictions_make(const tess_predictor *predictor, tess_bench *bench,
                                  tess_prediction *predictions, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        tess_prediction *one = &predictions[i];
        if (!tess_bench_fits(bench, one->experiment)) {
            const tess_bench_options options = {.unexecuted = true};
            tess_bench_close(bench);
            TRY(tess_bench_open(one->experiment, &options, bench));
        }
        const tess_status status = predict(predictor, bench, one);
        if (status != TESS_OK)
            TRY(keep_failure(status, one));
    }
    return TESS_OK;
}

static int compare(const void *a, const void *b) {
    const tess_prediction *x = a, *y = b;
    if (!x->failure != !y->failure)
        return x->failure ? 1 : -1;
    return (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

void tess_predictions_sort(tess_prediction *predictions, int64_t n) {
    qsort(predictions, (size_t)n, sizeof *predictions, compare);
}

void tess_predictions_clear(tess_prediction *predictions, int64_t n) {
    for (int64_t i = 0; predictions && i < n; i++)
        free(predictions[i].failure);
}
