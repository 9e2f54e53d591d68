/* Rows: lists of items, one behind the other, and where each begins. */
#include "core/base/rows.h"

#include "core/base/array.h"
#include <omp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

tess_status tess_rows_new(int64_t n, tess_rows **out) {
    TRY(TESS_ZEROS(1, out));
    (*out)->n = n;
    return TESS_ZEROS(n + 2, &(*out)->offset);
}

tess_status tess_rows_open(tess_rows *rows) {
    for (int64_t i = 0; i < rows->n; i++)
        rows->offset[i + 2] += rows->offset[i + 1];
    return TESS_ALLOC(rows->offset[rows->n + 1], &rows->item);
}

/* Items in buckets of consecutive rows, each of which one thread puts into its rows. */
typedef struct placed {
    int32_t row, item;
} placed;

typedef struct bucketing {
    const int32_t *items, *row_of;
    int64_t n_items;
    int shift, n_threads;
    int64_t n_buckets;
    placed *placed;  /* [n_items]; NULL: a bucket is a row, and these are ... */
    int32_t *alone;  /* ... the items of the rows */
    int64_t *counts; /* [n_threads][n_buckets] */
    int64_t *start;  /* [n_buckets + 1] into placed */
} bucketing;

static int32_t item_at(const bucketing *b, int64_t i) {
    return b->items ? b->items[i] : (int32_t)i;
}

/* Makes of the counts where each thread puts its first item of each bucket. */
static void sum_counts(const bucketing *b) {
    int64_t position = 0;
    for (int64_t k = 0; k < b->n_buckets; k++) {
        b->start[k] = position;
        for (int t = 0; t < b->n_threads; t++) {
            const int64_t count = b->counts[t * b->n_buckets + k];
            b->counts[t * b->n_buckets + k] = position;
            position += count;
        }
    }
    b->start[b->n_buckets] = position;
}

/* Puts the items into their buckets: each thread a range of them, in its order. */
static void fill_buckets(const bucketing *b) {
#pragma omp parallel for num_threads(b->n_threads) schedule(static, 1)
    for (int t = 0; t < b->n_threads; t++)
        for (int64_t i = b->n_items * t / b->n_threads; i < b->n_items * (t + 1) / b->n_threads;
             i++)
            b->counts[t * b->n_buckets + (b->row_of[item_at(b, i)] >> b->shift)]++;
    sum_counts(b);
#pragma omp parallel for num_threads(b->n_threads) schedule(static, 1)
    for (int t = 0; t < b->n_threads; t++) {
        int64_t *next = b->counts + t * b->n_buckets;
        for (int64_t i = b->n_items * t / b->n_threads; i < b->n_items * (t + 1) / b->n_threads;
             i++) {
            const int32_t item = item_at(b, i), row = b->row_of[item];
            const int64_t at = next[row >> b->shift]++;
            if (b->alone)
                b->alone[at] = item;
            else
                b->placed[at] = (placed){row, item};
        }
    }
}

/* Puts the items of one bucket into its rows: offset[row + 1] is where the next goes, and in the
 * end where the next row begins. */
static void fill_rows(const bucketing *b, int64_t bucket, tess_rows *rows) {
    const int64_t first = bucket << b->shift, past = (bucket + 1) << b->shift;
    const int64_t end = past < rows->n ? past : rows->n;
    int64_t position = b->start[bucket];
    for (int64_t i = b->start[bucket]; i < b->start[bucket + 1]; i++)
        rows->offset[b->placed[i].row + 1]++;
    for (int64_t row = first; row < end; row++) {
        const int64_t n = rows->offset[row + 1];
        rows->offset[row + 1] = position;
        position += n;
    }
    for (int64_t i = b->start[bucket]; i < b->start[bucket + 1]; i++)
        rows->item[rows->offset[b->placed[i].row + 1]++] = b->placed[i].item;
}

/* Builds rows of many items by all threads: some dozens of buckets for each. */
static tess_status build_in_buckets(bucketing *b, tess_rows *rows) {
    tess_status status = TESS_OK;
    while ((rows->n - 1) >> b->shift >= INT64_C(64) * b->n_threads)
        b->shift++;
    b->n_buckets = ((rows->n - 1) >> b->shift) + 1;
    CHECK(TESS_ALLOC(b->n_items, &rows->item));
    if (b->shift == 0)
        b->alone = rows->item;
    else
        CHECK(TESS_ALLOC(b->n_items, &b->placed));
    CHECK(TESS_ZEROS(b->n_threads * b->n_buckets, &b->counts));
    CHECK(TESS_ALLOC(b->n_buckets + 1, &b->start));
    fill_buckets(b);
    if (b->alone) {
        memcpy(rows->offset, b->start, (size_t)(b->n_buckets + 1) * sizeof *b->start);
        goto done;
    }
#pragma omp parallel for schedule(dynamic, 1)
    for (int64_t bucket = 0; bucket < b->n_buckets; bucket++)
        fill_rows(b, bucket, rows);
done:
    free(b->placed);
    free(b->counts);
    free(b->start);
    return status;
}

static tess_status build_one_by_one(const bucketing *b, tess_rows *rows) {
    for (int64_t i = 0; i < b->n_items; i++)
        tess_rows_count(rows, b->row_of[item_at(b, i)]);
    TRY(tess_rows_open(rows));
    for (int64_t i = 0; i < b->n_items; i++)
        tess_rows_put(rows, b->row_of[item_at(b, i)], item_at(b, i));
    return TESS_OK;
}

tess_status tess_rows_build_of(const int32_t *items, const int32_t *row_of, int64_t n_items,
                               int64_t n_rows, tess_rows **out) {
    tess_status status = TESS_OK;
    tess_rows *rows = NULL;
    bucketing b = {
        .items = items, .row_of = row_of, .n_items = n_items, .n_threads = omp_get_max_threads()};
    CHECK(tess_rows_new(n_rows, &rows));
    const bool are_few = n_items < INT64_C(4096) * b.n_threads;
    CHECK(are_few || b.n_threads == 1 ? build_one_by_one(&b, rows) : build_in_buckets(&b, rows));
    *out = TESS_TAKE(rows);
done:
    tess_rows_free(rows);
    return status;
}

tess_status tess_rows_build(const int32_t *row_of, int64_t n_items, int64_t n_rows,
                            tess_rows **out) {
    return tess_rows_build_of(NULL, row_of, n_items, n_rows, out);
}

int64_t tess_rows_longest(const tess_rows *rows) {
    int64_t longest = 0;
#pragma omp parallel for reduction(max : longest)
    for (int64_t i = 0; i < rows->n; i++)
        if (tess_rows_size(rows, i) > longest)
            longest = tess_rows_size(rows, i);
    return longest;
}

void tess_rows_free(tess_rows *rows) {
    if (!rows)
        return;
    free(rows->offset);
    free(rows->item);
    free(rows);
}
