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
    CHECK(tess_experiment_plan_beside(bench, run, out));
    run->planned = tess_planned_share(*out);
    CHECK(tess_bench_keep_plan(bench, run));
done:
    tess_run_free(run);
    return status;
}

/* Those of the fit, where there is one. */
static const double *constants_of(const tess_predictor *predictor) {
    return predictor->fit ? predictor->fit->constants : predictor->machine->number;
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
        .l2_bytes = (int64_t)constants_of(predictor)[TESS_CONSTANT_l2_bytes]};
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

/* Predicts an experiment whose plan is there; NULL: that failed. */
static tess_status predict(const tess_predictor *predictor, const tess_bench *bench,
                           const tess_planned *planned, tess_prediction *one) {
    if (one->failure)
        return TESS_OK;
    tess_status status = count_features(predictor, bench, planned, one);
    if (status == TESS_OK)
        predict_time(predictor, one);
    else
        status = keep_failure(status, one);
    return status;
}

/* Those among the predictions [n] that have one plan. */
typedef struct plan_group {
    char *key;
    int64_t first; /* of the predictions that have it */
} plan_group;

static bool in_group(const plan_group *group, char *const *keys, int64_t i) {
    return strcmp(keys[i], group->key) == 0;
}

/* Plans once for a group, and predicts all of it. */
static tess_status predict_group(const tess_predictor *predictor, tess_bench *bench,
                                 tess_prediction *predictions, int64_t n, char *const *keys,
                                 const plan_group *group) {
    tess_planned *planned = NULL;
    tess_status status = plan(bench, predictions[group->first].experiment, &planned);
    for (int64_t i = group->first; i < n; i++) {
        if (!in_group(group, keys, i))
            continue;
        if (!planned)
            TRY(keep_failure(status, &predictions[i]));
        status = predict(predictor, bench, planned, &predictions[i]);
        if (status != TESS_OK)
            break;
    }
    tess_planned_release(planned);
    return status;
}

/* The keys of the plans [n], and each once in `groups`; gives how many. */
static tess_status list_groups(const tess_prediction *predictions, int64_t n, char **keys,
                               plan_group *groups, int64_t *n_groups) {
    *n_groups = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t g = 0;
        TRY(tess_shared_plans_key(predictions[i].experiment, &keys[i]));
        while (g < *n_groups && strcmp(groups[g].key, keys[i]) != 0)
            g++;
        if (g == *n_groups)
            groups[(*n_groups)++] = (plan_group){.key = keys[i], .first = i};
    }
    return TESS_OK;
}

/* Those on one bench: plans side by side on all cores. */
static tess_status predict_on_bench(const tess_predictor *predictor, tess_bench *bench,
                                    tess_prediction *predictions, int64_t n) {
    tess_status status = TESS_OK;
    char **keys = NULL, *message = NULL;
    plan_group *groups = NULL;
    int64_t n_groups = 0;
    CHECK(TESS_ZEROS(n, &keys));
    CHECK(TESS_ZEROS(n, &groups));
    CHECK(list_groups(predictions, n, keys, groups, &n_groups));
#pragma omp parallel for schedule(dynamic)
    for (int64_t g = 0; g < n_groups; g++) {
        const tess_status made = predict_group(predictor, bench, predictions, n, keys, &groups[g]);
#pragma omp critical
        if (made != TESS_OK && status == TESS_OK) {
            status = made; /* its words are this thread's */
            if (tess_text_copy(tess_message(), &message) != TESS_OK)
                message = NULL;
        }
    }
    if (status != TESS_OK)
        CHECK(tess_fail(status, "%s", message ? message : "a prediction failed"));
done:
    for (int64_t i = 0; keys && i < n; i++)
        free(keys[i]);
    free(keys);
    free(groups);
    free(message);
    return status;
}

tess_status tess_predictions_make(const tess_predictor *predictor, tess_bench *bench,
                                  tess_prediction *predictions, int64_t n) {
    for (int64_t first = 0, end = 0; first < n; first = end) {
        if (!tess_bench_fits(bench, predictions[first].experiment)) {
            const tess_bench_options options = {.unexecuted = true};
            tess_bench_close(bench);
            TRY(tess_bench_open(predictions[first].experiment, &options, bench));
        }
        for (end = first; end < n && tess_bench_fits(bench, predictions[end].experiment);)
            end++;
        TRY(predict_on_bench(predictor, bench, predictions + first, end - first));
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
