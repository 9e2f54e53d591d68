/* Metrics: the quantities of a run or a plan, each with its value, unit and source. */
#include "core/plan/metrics.h"

#include "core/base/array.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tess_status tess_metrics_new(tess_metrics **out) {
    return TESS_ZEROS(1, out);
}

tess_status tess_metrics_add(tess_metrics *metrics, const char *name, tess_source source,
                             double value) {
    const tess_quantity *metric = tess_metric_find(name);
    if (!metric)
        FAIL(TESS_ERROR_INTERNAL, "there is no metric '%s'", name);
    TRY(TESS_RESERVE(metrics->n_values + 1, &metrics->capacity, &metrics->values));
    tess_metric_value *added = &metrics->values[metrics->n_values];
    *added = (tess_metric_value){.source = source, .value = value};
    if (snprintf(added->name, sizeof added->name, "%s", name) >= (int)sizeof added->name)
        FAIL(TESS_ERROR_INTERNAL, "the metric's name '%s' is too long", name);
    snprintf(added->unit, sizeof added->unit, "%s", metric->unit);
    metrics->n_values++;
    return TESS_OK;
}

tess_status tess_metrics_put(tess_metrics *metrics, const char *name, double value) {
    const tess_quantity *quantity = tess_metric_find(name);
    if (quantity && !isfinite(value))
        return TESS_OK;
    return tess_metrics_add(metrics, name, quantity ? quantity->source : TESS_SOURCE_PLAN, value);
}

tess_status tess_metrics_append(tess_metrics *metrics, const tess_metrics *others) {
    const int n = metrics->n_values + others->n_values;
    TRY(TESS_RESERVE(n, &metrics->capacity, &metrics->values));
    memcpy(metrics->values + metrics->n_values, others->values,
           (size_t)others->n_values * sizeof *others->values);
    metrics->n_values = n;
    return TESS_OK;
}

const tess_metric_value *tess_metrics_find(const tess_metrics *metrics, const char *name) {
    for (int i = 0; i < metrics->n_values; i++)
        if (strcmp(metrics->values[i].name, name) == 0)
            return &metrics->values[i];
    return NULL;
}

double tess_metrics_get(const tess_metrics *metrics, const char *name) {
    const tess_metric_value *found = tess_metrics_find(metrics, name);
    return found ? found->value : (double)NAN;
}

tess_status tess_metrics_add_blocks(tess_metrics *metrics, const char *name, double *values) {
    if (metrics->n_distributions == TESS_MOST_DISTRIBUTIONS) {
        free(values);
        FAIL(TESS_ERROR_INTERNAL, "more than %d quantities of blocks", TESS_MOST_DISTRIBUTIONS);
    }
    metrics->distributions[metrics->n_distributions++] = (tess_distribution){name, values};
    return TESS_OK;
}

const double *tess_metrics_of_blocks(const tess_metrics *metrics, const char *name) {
    for (int i = 0; i < metrics->n_distributions; i++)
        if (strcmp(metrics->distributions[i].name, name) == 0)
            return metrics->distributions[i].values;
    return NULL;
}

void tess_metrics_free(tess_metrics *metrics) {
    if (!metrics)
        return;
    free(metrics->values);
    for (int i = 0; i < metrics->n_distributions; i++)
        free(metrics->distributions[i].values);
    free(metrics);
}

tess_status tess_metrics_of_plan(const tess_bound_loop *bound, const tess_plan *plan,
                                 const tess_renumbering *renumbering, tess_layout layout,
                                 tess_metrics **out) {
    tess_layout *of_set = NULL;
    TRY(TESS_ALLOC(bound->mesh->n_sets, &of_set));
    for (int set = 0; set < bound->mesh->n_sets; set++)
        of_set[set] = layout;
    const tess_status status = tess_metrics_of_plan_by_set(bound, plan, renumbering, of_set, out);
    free(of_set);
    return status;
}
