/* The spread of sessions: what the medians of equal runs differ by from session to session. */
#include "experiments/archive/comparison.h"

#include "core/base/array.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double assumed = 0.1; /* where nothing was repeated: a tenth */

/* What equal runs agree in. */
static const char *const same_in[] = {"host",        "device",      "application", "loop",
                                      "mesh_digest", "plan_digest", "partitioner", "block_size",
                                      "strategy",    "layouts",     "precision",   "threads",
                                      "omp_threads", "commit"};
enum { N_SAME = sizeof same_in / sizeof *same_in };

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

static tess_status variant_of(const tess_run_table *table, const tess_run_field fields[N_SAME],
                              int64_t row, char digest[TESS_DIGEST_SIZE]) {
    tess_status status = TESS_OK;
    tess_hash *hash = NULL;
    char number[32];
    CHECK(tess_hash_new("variant", &hash));
    for (int i = 0; i < N_SAME; i++)
        CHECK(tess_hash_text(hash, cell(table, &fields[i], row, number)));
    CHECK(tess_hash_finish(hash, digest));
done:
    tess_hash_free(hash);
    return status;
}

/* True for runs of the host and the device of `like`. */
static bool is_alike(const tess_run_table *table, const tess_run_field fields[N_SAME], int64_t row,
                     const tess_record *like) {
    char number[32];
    return strcmp(cell(table, &fields[0], row, number),
                  tess_entries_text(&like->environment, "host")) == 0 &&
           strcmp(cell(table, &fields[1], row, number),
                  tess_entries_text(&like->configuration, "device")) == 0;
}

/* Gathers the runs that have the metric; the caller frees them. */
static tess_status gather(const tess_run_table *table, const tess_record *like,
                          const tess_run_field *value, measured **out, int64_t *n) {
    tess_run_field fields[N_SAME], session, outcome;
    for (int i = 0; i < N_SAME; i++)
        if (!tess_run_table_find(table, same_in[i], &fields[i]))
            fields[i] = (tess_run_field){.n_columns = 0};
    const bool has_sessions = tess_run_table_find(table, "session", &session);
    const bool has_outcome = tess_run_table_find(table, "outcome", &outcome);
    TRY(TESS_ALLOC(table->n_rows, out));
    *n = 0;
    for (int64_t row = 0; row < table->n_rows; row++) {
        const double logarithm = log(tess_run_number(table, value, row));
        if (!isfinite(logarithm) || !is_alike(table, fields, row, like) ||
            (has_outcome && strcmp(tess_run_text(table, &outcome, row), "failed") == 0))
            continue;
        measured *one = &(*out)[*n];
        one->session = has_sessions ? tess_run_text(table, &session, row) : "";
        if (!*one->session)
            one->session = tess_run_table_id(table, row);
        one->logarithm = logarithm;
        TRY(variant_of(table, fields, row, one->variant));
        ++*n;
    }
    return TESS_OK;
}

/* Replaces runs of one variant and session by their mean. */
static int64_t merge_sessions(measured *all, int64_t n) {
    int64_t kept = 0;
    for (int64_t i = 0, end; i < n; i = end) {
        double sum = 0;
        for (end = i; end < n && compare_measured(&all[i], &all[end]) == 0; end++)
            sum += all[end].logarithm;
        all[kept] = all[i];
        all[kept++].logarithm = sum / (double)(end - i);
    }
    return kept;
}

tess_status tess_session_spread_find(const tess_run_table *table, const tess_record *like,
                                     const char *metric, tess_session_spread *out) {
    char column[2 * TESS_COLUMN_SIZE];
    tess_run_field value;
    measured *all = NULL;
    int64_t n = 0;
    *out = (tess_session_spread){.deviation = assumed};
    snprintf(column, sizeof column, "median_%s", metric);
    if (!tess_run_table_find(table, column, &value))
        return TESS_OK;
    const tess_status status = gather(table, like, &value, &all, &n);
    if (status == TESS_OK) {
        double squares = 0;
        qsort(all, (size_t)n, sizeof *all, compare_measured);
        n = merge_sessions(all, n);
        for (int64_t i = 0, end; i < n; i = end) {
            double mean = 0;
            for (end = i; end < n && strcmp(all[i].variant, all[end].variant) == 0; end++)
                mean += all[end].logarithm;
            mean /= (double)(end - i);
            out->df += end - i - 1;
            for (int64_t k = i; k < end; k++)
                squares += (all[k].logarithm - mean) * (all[k].logarithm - mean);
        }
        if (out->df)
            out->deviation = sqrt(squares / (double)out->df);
    }
    free(all);
    return status;
}
