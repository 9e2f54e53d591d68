/* Metrics: named numbers with a unit and a source, and what each name means. */
#include "core/plan/metrics.h"

#include "core/base/array.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const tess_metric known[] = {
#define X(name_, unit_, better_, long_name_, definition_)                                          \
    {.name = #name_,                                                                               \
     .unit = unit_,                                                                                \
     .long_name = long_name_,                                                                      \
     .definition = definition_,                                                                    \
     .better = better_},
#include "core/plan/metric_list.h"
#undef X
};

enum { N_KNOWN = sizeof known / sizeof known[0] };

const char *tess_source_name(tess_source source) {
    static const char *const names[] = {"plan", "emulator", "counter", "driver", "timer"};
    return names[source];
}

const tess_metric *tess_metric_at(int i) {
    return i >= 0 && i < N_KNOWN ? &known[i] : NULL;
}

int tess_metric_count(void) {
    return N_KNOWN;
}

/* Names that metrics had, and those that they have. */
static const char *const renamed[][2] = {{"cache_lines_per_block", "sectors_per_block"}};

enum { N_RENAMED = sizeof renamed / sizeof *renamed };

static bool is_word(const char *text, size_t length, const char *name) {
    return strlen(name) == length && strncmp(name, text, length) == 0;
}

bool tess_metric_rename(char *name) {
    const size_t length = strcspn(name, "/@");
    for (int i = 0; i < N_RENAMED; i++) {
        if (is_word(name, length, renamed[i][0])) {
            const size_t now = strlen(renamed[i][1]);
            memmove(name + now, name + length, strlen(name + length) + 1);
            memcpy(name, renamed[i][1], now);
            return true;
        }
    }
    return false;
}

bool tess_metric_old_name_in(const char *text, const char **old, const char **now) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz_0123456789";
    while (*text) {
        const size_t length = strspn(text, letters);
        for (int i = 0; i < N_RENAMED; i++) {
            if (is_word(text, length, renamed[i][0])) {
                *old = renamed[i][0];
                *now = renamed[i][1];
                return true;
            }
        }
        text += length ? length : 1;
    }
    return false;
}

const tess_metric *tess_metric_find(const char *name) {
    const size_t length = strcspn(name, "/");
    for (int i = 0; i < N_RENAMED; i++)
        if (is_word(name, length, renamed[i][0]))
            return tess_metric_find(renamed[i][1]);
    for (int i = 0; i < N_KNOWN; i++)
        if (is_word(name, length, known[i].name))
            return &known[i];
    return NULL;
}

tess_status tess_metrics_new(tess_metrics **out) {
    return TESS_ZEROS(1, out);
}

tess_status tess_metrics_add(tess_metrics *metrics, const char *name, tess_source source,
                             double value) {
    const tess_metric *metric = tess_metric_find(name);
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

double tess_metrics_get(const tess_metrics *metrics, const char *name) {
    for (int i = 0; i < metrics->n_values; i++)
        if (strcmp(metrics->values[i].name, name) == 0)
            return metrics->values[i].value;
    return (double)NAN;
}

void tess_metrics_free(tess_metrics *metrics) {
    if (!metrics)
        return;
    free(metrics->values);
    free(metrics->block_size);
    free(metrics->block_points);
    free(metrics->block_thread_colours);
    free(metrics->block_components);
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
