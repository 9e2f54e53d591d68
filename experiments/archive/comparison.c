/* A comparison of runs: whether one side is faster than another. */
#include "experiments/archive/comparison.h"

#include "core/base/array.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const char *tess_manner_name(tess_manner manner) {
    static const char *const names[] = {"in turns", "apart", "counted"};
    return names[manner];
}

/* Seconds since 1970 of "2026-11-21T04:20:00.123Z". */
static double seconds_of(const char *time) {
    struct tm parts = {0};
    const char *rest = strptime(time, "%Y-%m-%dT%H:%M:%S", &parts);
    return rest ? (double)timegm(&parts) + strtod(rest, NULL) : 0;
}

static bool has_session(const tess_side *side, const char *session) {
    for (int64_t i = side->n - 1; i >= 0; i--)
        if (strcmp(side->values[i].session, session) == 0)
            return true;
    return false;
}

static tess_status add_values(tess_side *side, const tess_record *record, int64_t n,
                              const double *values, const char *unit) {
    const char *session = tess_entries_text(&record->environment, "session");
    const tess_series *rounds = tess_record_series(record, TESS_SERIES_ROUND);
    const bool placed = *session && rounds && rounds->n == n;
    if (!*session)
        session = record->id;
    const double made = seconds_of(record->time);
    side->first = side->n_runs ? fmin(side->first, made) : made;
    side->last = side->n_runs ? fmax(side->last, made) : made;
    side->n_runs++;
    side->n_sessions += !has_session(side, session);
    snprintf(side->unit, sizeof side->unit, "%s", unit);
    TRY(TESS_RESERVE(side->n + n, &side->capacity, &side->values));
    for (int64_t i = 0; i < n; i++) {
        tess_side_value *value = &side->values[side->n++];
        *value = (tess_side_value){.round = placed ? rounds->values[i] : -1, .value = values[i]};
        snprintf(value->session, sizeof value->session, "%s", session);
    }
    return TESS_OK;
}

tess_status tess_side_add(tess_side *side, const tess_record *record, const char *metric) {
    side->failed |= record->outcome == TESS_FAILED;
    const tess_series *series = tess_record_series(record, metric);
    if (series) {
        side->sampled = true;
        return add_values(side, record, series->n, series->values, series->unit);
    }
    const char *at = strchr(metric, '@');
    char *name = strndupa(metric, at ? (size_t)(at - metric) : strlen(metric));
    const double value = tess_record_measure(record, name, at ? at + 1 : NULL);
    if (isnan(value))
        FAIL(TESS_ERROR_INPUT,
             "run %s has neither samples nor a metric '%s'; --metric NAME says what is compared, "
             "'tess show %.10s' what it has",
             record->id, metric, record->id);
    const tess_metric *known = tess_metric_find(name);
    return add_values(side, record, 1, &value, known ? known->unit : "1");
}

void tess_side_clear(tess_side *side) {
    free(side->values);
    *side = (tess_side){.n = 0};
}

/* The values of a side alone, which the caller frees. */
static tess_status plain_values(const tess_side *side, double **out) {
    TRY(TESS_ALLOC(side->n, out));
    for (int64_t i = 0; i < side->n; i++)
        (*out)[i] = side->values[i].value;
    return TESS_OK;
}

tess_status tess_side_median(const tess_side *side, double *median) {
    double *values = NULL;
    TRY(plain_values(side, &values));
    *median = tess_median(values, side->n);
    free(values);
    return TESS_OK;
}

/* By session and round, then by value. */
static int compare_places(const void *a, const void *b) {
    const tess_side_value *x = a, *y = b;
    const int order = strcmp(x->session, y->session);
    if (order || x->round == y->round)
        return order ? order : (x->value > y->value) - (x->value < y->value);
    return x->round > y->round ? 1 : -1;
}

static bool same_round(const tess_side_value *a, const tess_side_value *b) {
    return a->round == b->round && strcmp(a->session, b->session) == 0;
}

/* Gives one value a round, the median of the side's, in order of session and round; the caller
 * frees them. */
static tess_status rounds_of(const tess_side *side, tess_side_value **out, int64_t *n) {
    tess_side_value *all = NULL;
    *n = 0;
    TRY(TESS_ALLOC(side->n, &all));
    for (int64_t i = 0; i < side->n; i++)
        if (side->values[i].round >= 0)
            all[(*n)++] = side->values[i];
    qsort(all, (size_t)*n, sizeof *all, compare_places);
    int64_t kept = 0;
    for (int64_t i = 0, end; i < *n; i = end) {
        for (end = i + 1; end < *n && same_round(&all[i], &all[end]);)
            end++;
        const double median = (all[(i + end) / 2].value + all[(i + end - 1) / 2].value) / 2;
        all[kept] = all[i];
        all[kept++].value = median;
    }
    *n = kept;
    *out = all;
    return TESS_OK;
}

/* Rounds that two sides have in common, [n] values of each. */
typedef struct shared_rounds {
    int64_t n;
    double *base, *other; /* owned */
} shared_rounds;

static void shared_clear(shared_rounds *shared) {
    free(shared->base);
    free(shared->other);
}

static tess_status share_rounds(const tess_side *base, const tess_side *other, shared_rounds *out) {
    tess_status status = TESS_OK;
    tess_side_value *a = NULL, *b = NULL;
    int64_t n_a = 0, n_b = 0;
    *out = (shared_rounds){.n = 0};
    CHECK(rounds_of(base, &a, &n_a));
    CHECK(rounds_of(other, &b, &n_b));
    CHECK(TESS_ALLOC(n_a, &out->base));
    CHECK(TESS_ALLOC(n_a, &out->other));
    for (int64_t i = 0, k = 0; i < n_a && k < n_b;) {
        if (same_round(&a[i], &b[k])) {
            out->base[out->n] = a[i++].value;
            out->other[out->n++] = b[k++].value;
        } else if (compare_places(&a[i], &b[k]) < 0) {
            i++;
        } else {
            k++;
        }
    }
done:
    free(b);
    free(a);
    if (status != TESS_OK)
        shared_clear(out);
    return status;
}

static tess_manner manner_of(const tess_side *base, const tess_side *other, int64_t n_shared) {
    if (!base->sampled && !other->sampled && base->n == 1 && other->n == 1)
        return TESS_COUNTED;
    return n_shared > 0 ? TESS_IN_TURNS : TESS_APART;
}

tess_status tess_sides_manner(const tess_side *base, const tess_side *other, tess_manner *out) {
    shared_rounds shared;
    TRY(share_rounds(base, other, &shared));
    *out = manner_of(base, other, shared.n);
    shared_clear(&shared);
    return TESS_OK;
}

/* The mean of the logarithms of the sessions' medians. */
static tess_status mean_of_sessions(const tess_side *side, double *mean) {
    double *values = NULL, sum = 0;
    TRY(plain_values(side, &values));
    int64_t n = 0;
    for (int64_t i = 0, end; i < side->n; i = end, n++) {
        for (end = i; end < side->n; end++)
            if (strcmp(side->values[i].session, side->values[end].session) != 0)
                break;
        sum += log(tess_median(values + i, end - i));
    }
    *mean = sum / (double)n;
    free(values);
    return TESS_OK;
}

/* Single sessions are compared by their samples, several by what each came to. */
static tess_status compare_apart(const tess_side *base, const tess_side *other,
                                 const tess_session_spread *spread, tess_run_comparison *out) {
    tess_status status = TESS_OK;
    double *a = NULL, *b = NULL, mean_a = 0, mean_b = 0;
    CHECK(plain_values(base, &a));
    CHECK(plain_values(other, &b));
    CHECK(tess_compare(a, base->n, b, other->n, &out->found));
    if (!spread)
        goto done;
    if (base->n_sessions > 1 || other->n_sessions > 1) {
        CHECK(mean_of_sessions(base, &mean_a));
        CHECK(mean_of_sessions(other, &mean_b));
        out->found.low = out->found.high = out->found.ratio = exp(mean_b - mean_a);
        out->found.p = 0;
    }
    out->spread = *spread;
    tess_comparison_widen(&out->found, spread->deviation, spread->df, base->n_sessions,
                          other->n_sessions);
done:
    free(a);
    free(b);
    return status;
}

tess_status tess_sides_compare(const tess_side *base, const tess_side *other,
                               const tess_session_spread *spread, double margin,
                               tess_run_comparison *out) {
    tess_status status = TESS_OK;
    shared_rounds shared;
    *out = (tess_run_comparison){.seconds_apart = 0};
    TRY(share_rounds(base, other, &shared));
    out->n_rounds = shared.n;
    out->seconds_apart = fmax(0, fmax(other->first - base->last, base->first - other->last));
    out->manner = manner_of(base, other, shared.n);
    if (out->manner == TESS_IN_TURNS)
        CHECK(tess_compare_rounds(shared.base, shared.other, shared.n, &out->found));
    else
        CHECK(compare_apart(base, other, out->manner == TESS_APART ? spread : NULL, out));
    const double ratio = out->found.ratio;
    out->verdict = out->manner != TESS_COUNTED ? tess_comparison_verdict(&out->found, margin)
                   : ratio > 1                 ? TESS_LARGER
                   : ratio < 1                 ? TESS_SMALLER
                                               : TESS_SAME;
done:
    shared_clear(&shared);
    return status;
}
