/* A comparison of runs: whether one side is faster than another. */
#include "experiments/archive/comparison.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const char *tess_comparison_kind_name(tess_comparison_kind comparison_kind) {
    static const char *const names[] = {"in turns", "apart", "counted"};
    return names[comparison_kind];
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
    const char *session = tess_values_text(&record->environment, "session");
    const tess_series *rounds = tess_record_series(record, TESS_SERIES_ROUND);
    const bool placed = rounds && rounds->n == n;
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
    const tess_quantity *known = tess_metric_find(name);
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
    tess_side_value *rounds = NULL;
    *n = 0;
    TRY(TESS_ALLOC(side->n, &rounds));
    for (int64_t i = 0; i < side->n; i++)
        if (side->values[i].round >= 0)
            rounds[(*n)++] = side->values[i];
    qsort(rounds, (size_t)*n, sizeof *rounds, compare_places);
    int64_t kept = 0;
    for (int64_t i = 0, end; i < *n; i = end) {
        for (end = i + 1; end < *n && same_round(&rounds[i], &rounds[end]);)
            end++;
        const double median = (rounds[(i + end) / 2].value + rounds[(i + end - 1) / 2].value) / 2;
        rounds[kept] = rounds[i];
        rounds[kept++].value = median;
    }
    *n = kept;
    *out = rounds;
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

static tess_comparison_kind comparison_kind_of(const tess_side *base, const tess_side *other,
                                               int64_t n_shared) {
    if (!base->sampled && !other->sampled && base->n == 1 && other->n == 1)
        return TESS_COUNTED;
    return n_shared > 0 ? TESS_IN_TURNS : TESS_UNPAIRED;
}

tess_status tess_sides_comparison_kind(const tess_side *base, const tess_side *other,
                                       tess_comparison_kind *out) {
    shared_rounds shared;
    TRY(share_rounds(base, other, &shared));
    *out = comparison_kind_of(base, other, shared.n);
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
    out->comparison_kind = comparison_kind_of(base, other, shared.n);
    if (out->comparison_kind == TESS_IN_TURNS)
        CHECK(tess_compare_rounds(shared.base, shared.other, shared.n, &out->found));
    else
        CHECK(
            compare_apart(base, other, out->comparison_kind == TESS_UNPAIRED ? spread : NULL, out));
    const double ratio = out->found.ratio;
    out->verdict = out->comparison_kind != TESS_COUNTED
                       ? tess_comparison_verdict(&out->found, margin)
                   : ratio > 1 + margin ? TESS_LARGER
                   : ratio < 1 - margin ? TESS_SMALLER
                                        : TESS_SAME;
done:
    shared_clear(&shared);
    return status;
}

static const double assumed = 0.1; /* where nothing was repeated: a tenth */

/* What equal runs agree in, beside all that the configuration of the one compared says. */
static const char *const same_in[] = {
    "host",        "device",      "application", "loop",    "mesh_digest", "plan_digest",
    "partitioner", "block_size",  "strategy",    "layouts", "precision",   "arithmetic",
    "threads",     "omp_threads", "commit",      "chains",  "ranks"};
enum { N_SAME = sizeof same_in / sizeof *same_in };

/* The columns of same_in and of the configuration, in this order. */
typedef struct variant_fields {
    int64_t n;
    tess_run_field *items; /* [n]; owned */
} variant_fields;

/* The median of one run, with what it is compared by. */
typedef struct measured {
    char variant[TESS_DIGEST_SIZE]; /* a digest of what equal runs agree in */
    const char *session;
    double logarithm;
} measured;

static int compare_measured(const void *a, const void *b) {
    const measured *x = a, *y = b;
    const int order = strcmp(x->variant, y->variant);
    return order ? order : strcmp(x->session, y->session);
}

/* A text cell, or the text that stands for a number or for nothing. */
static const char *cell(const tess_run_table *table, const tess_run_field *field, int64_t row,
                        char number[32]) {
    if (field->n_columns == 0)
        return "";
    if (field->is_text)
        return tess_run_text(table, field, row);
    snprintf(number, 32, "%.17g", tess_run_number(table, field, row));
    return number;
}

static tess_status find_fields(const tess_run_table *table, const tess_values *configuration,
                               variant_fields *out) {
    TRY(TESS_ALLOC(N_SAME + configuration->n, &out->items));
    for (out->n = 0; out->n < N_SAME + configuration->n; out->n++) {
        const char *name =
            out->n < N_SAME ? same_in[out->n] : configuration->items[out->n - N_SAME].key;
        if (!tess_run_table_find(table, name, &out->items[out->n]))
            out->items[out->n] = (tess_run_field){.n_columns = 0};
    }
    return TESS_OK;
}

static tess_status variant_of(const tess_run_table *table, const variant_fields *fields,
                              int64_t row, char digest[TESS_DIGEST_SIZE]) {
    tess_status status = TESS_OK;
    tess_hash *hash = NULL;
    char number[32];
    CHECK(tess_hash_new("variant", &hash));
    for (int64_t i = 0; i < fields->n; i++)
        CHECK(tess_hash_text(hash, cell(table, &fields->items[i], row, number)));
    CHECK(tess_hash_finish(hash, digest));
done:
    tess_hash_free(hash);
    return status;
}

/* True for runs of the host and the device of `like`. */
static bool is_alike(const tess_run_table *table, const variant_fields *fields, int64_t row,
                     const tess_record *like) {
    char number[32];
    return strcmp(cell(table, &fields->items[0], row, number),
                  tess_values_text(&like->environment, "host")) == 0 &&
           strcmp(cell(table, &fields->items[1], row, number),
                  tess_values_text(&like->configuration, "device")) == 0;
}

/* Gathers the runs that have the metric; the caller frees them. */
static tess_status gather(const tess_run_table *table, const tess_record *like,
                          const tess_run_field *value, measured **out, int64_t *n) {
    tess_status status = TESS_OK;
    tess_run_field session, outcome;
    variant_fields fields = {.items = NULL};
    CHECK(find_fields(table, &like->configuration, &fields));
    const bool has_sessions = tess_run_table_find(table, "session", &session);
    const bool has_outcome = tess_run_table_find(table, "outcome", &outcome);
    CHECK(TESS_ALLOC(table->n_rows, out));
    for (int64_t row = 0; row < table->n_rows; row++) {
        const double logarithm = log(tess_run_number(table, value, row));
        if (!isfinite(logarithm) || !is_alike(table, &fields, row, like) ||
            (has_outcome && strcmp(tess_run_text(table, &outcome, row), "failed") == 0))
            continue;
        measured *one = &(*out)[*n];
        one->session = has_sessions ? tess_run_text(table, &session, row) : "";
        if (!*one->session)
            one->session = tess_run_table_id(table, row);
        one->logarithm = logarithm;
        CHECK(variant_of(table, &fields, row, one->variant));
        ++*n;
    }
done:
    free(fields.items);
    return status;
}

/* Replaces runs of one variant and session by their mean. */
static int64_t merge_sessions(measured *runs, int64_t n) {
    int64_t kept = 0;
    for (int64_t i = 0, end; i < n; i = end) {
        double sum = 0;
        for (end = i; end < n && compare_measured(&runs[i], &runs[end]) == 0; end++)
            sum += runs[end].logarithm;
        runs[kept] = runs[i];
        runs[kept++].logarithm = sum / (double)(end - i);
    }
    return kept;
}

tess_status tess_session_spread_find(const tess_run_table *table, const tess_record *like,
                                     const char *metric, tess_session_spread *out) {
    char column[2 * TESS_COLUMN_SIZE];
    tess_run_field value;
    measured *runs = NULL;
    int64_t n = 0;
    *out = (tess_session_spread){.deviation = assumed};
    snprintf(column, sizeof column, "median_%s", metric);
    if (!tess_run_table_find(table, column, &value))
        return TESS_OK;
    const tess_status status = gather(table, like, &value, &runs, &n);
    if (status == TESS_OK) {
        double squares = 0;
        qsort(runs, (size_t)n, sizeof *runs, compare_measured);
        n = merge_sessions(runs, n);
        for (int64_t i = 0, end; i < n; i = end) {
            double mean = 0;
            for (end = i; end < n && strcmp(runs[i].variant, runs[end].variant) == 0; end++)
                mean += runs[end].logarithm;
            mean /= (double)(end - i);
            out->df += end - i - 1;
            for (int64_t k = i; k < end; k++)
                squares += (runs[k].logarithm - mean) * (runs[k].logarithm - mean);
        }
        if (out->df)
            out->deviation = sqrt(squares / (double)out->df);
    }
    free(runs);
    return status;
}

int tess_better_of(const char *metric) {
    const tess_quantity *known = tess_metric_find(metric);
    return known ? known->better : strstr(metric, "time") || strstr(metric, "seconds") ? -1 : 0;
}

const char *tess_verdict_words(tess_verdict verdict, int better, bool sampled) {
    if (verdict == TESS_UNCLEAR)
        return "unclear";
    if (verdict == TESS_SAME)
        return "same";
    if (!better)
        return verdict == TESS_LARGER ? "larger" : "smaller";
    const bool good = (verdict == TESS_LARGER) == (better > 0);
    return sampled ? (good ? "faster" : "slower") : good ? "better" : "worse";
}

void tess_comparison_how(const tess_run_comparison *of, size_t size, char *how) {
    char apart[24];
    tess_duration_print(of->seconds_apart, apart);
    if (of->comparison_kind == TESS_IN_TURNS)
        snprintf(how, size, "in turns, %lld rounds", (long long)of->n_rounds);
    else if (of->comparison_kind == TESS_COUNTED)
        snprintf(how, size, "counted");
    else if (of->spread.df)
        snprintf(how, size, "%s apart, sessions differ by %.2g %%", apart,
                 100 * of->spread.deviation);
    else
        snprintf(how, size, "%s apart, %.2g %% between sessions assumed", apart,
                 100 * of->spread.deviation);
}
