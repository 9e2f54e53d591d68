/* Shared points: those that several blocks have, and how they are told from the others. */
#include "core/plan/shared_points.h"

#include "core/base/array.h"
#include "core/base/buckets.h"
#include <omp.h>
#include <stdlib.h>

/* Marks each point with the number of its only block and 1, or with -1 where several have it; 0:
 * none has. */
static void mark_points(const tess_incidence *points, int64_t n_blocks, int32_t *mark) {
#pragma omp parallel for schedule(static)
    for (int64_t b = 0; b < n_blocks; b++) {
        int64_t n = 0;
        const int32_t *row = tess_incidence_row(points, b, &n), own = (int32_t)b + 1;
        for (int64_t i = 0; i < n; i++) {
            int32_t was = __atomic_load_n(&mark[row[i]], __ATOMIC_RELAXED);
            while (was >= 0 &&
                   !__atomic_compare_exchange_n(&mark[row[i]], &was, was ? -1 : own, false,
                                                __ATOMIC_RELAXED, __ATOMIC_RELAXED))
                continue;
        }
    }
}

/* Makes of each mark what row_of has; rows ascend. */
static tess_status number_rows(int64_t n, tess_shared_points *shared) {
    tess_status status = TESS_OK;
    int32_t *const mark = shared->row_of;
    const int64_t n_threads = omp_get_max_threads();
    int64_t *first = NULL, n_single = 0;
    CHECK(TESS_ZEROS(n_threads + 1, &first));
#pragma omp parallel for schedule(static, 1) reduction(+ : n_single)
    for (int64_t t = 0; t < n_threads; t++) {
        int64_t n_shared = 0;
        for (int64_t p = n * t / n_threads; p < n * (t + 1) / n_threads; p++) {
            n_shared += mark[p] < 0;
            n_single += mark[p] > 0;
        }
        first[t + 1] = n_shared;
    }
    for (int64_t t = 0; t < n_threads; t++)
        first[t + 1] += first[t];
    CHECK(TESS_ALLOC(first[n_threads], &shared->point));
#pragma omp parallel for schedule(static, 1)
    for (int64_t t = 0; t < n_threads; t++) {
        int64_t row = first[t];
        for (int64_t p = n * t / n_threads; p < n * (t + 1) / n_threads; p++) {
            const bool is_shared = mark[p] < 0;
            if (is_shared)
                shared->point[row] = (int32_t)p;
            mark[p] = is_shared ? (int32_t)row++ : mark[p] ? -1 : -2;
        }
    }
    shared->n_single = n_single;
    shared->n = first[n_threads];
done:
    free(first);
    return status;
}

/* Gives the rows of buckets, whose offsets are taken. */
static tess_status rows_of_buckets(tess_buckets *buckets, tess_rows **out) {
    tess_status status = TESS_OK;
    tess_rows *rows = NULL;
    CHECK(TESS_ZEROS(1, &rows));
    *rows = (tess_rows){.n = buckets->n, .offset = TESS_TAKE(buckets->offset)};
    const int64_t n = rows->offset[rows->n];
    CHECK(TESS_ALLOC(n, &rows->item));
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++)
        rows->item[i] = (int32_t)(buckets->value[i]);
    *out = TESS_TAKE(rows);
done:
    tess_rows_free(rows);
    return status;
}

/* Puts the blocks of each shared point into buckets. */
static tess_status put_blocks(const tess_incidence *points, int64_t n_blocks, const int32_t *row_of,
                              tess_buckets *blocks) {
    for (int puts = 0; puts < 2; puts++) {
#pragma omp parallel for schedule(static)
        for (int64_t b = 0; b < n_blocks; b++) {
            int64_t n = 0;
            const int32_t *row = tess_incidence_row(points, b, &n);
            for (int64_t i = 0; i < n; i++) {
                const int32_t shared = row_of[row[i]];
                if (shared >= 0 && puts)
                    tess_buckets_put(blocks, shared, (uint64_t)b);
                else if (shared >= 0)
                    tess_buckets_count(blocks, shared);
            }
        }
        if (!puts)
            TRY(tess_buckets_open(blocks));
    }
    tess_buckets_close(blocks);
    return TESS_OK;
}

tess_status tess_shared_points_find(const tess_incidence *points, int64_t n_blocks,
                                    tess_shared_points *shared) {
    tess_status status = TESS_OK;
    tess_buckets blocks = {.n = 0};
    *shared = (tess_shared_points){.n_single = 0};
    CHECK(TESS_ZEROS(points->n_points, &shared->row_of));
    mark_points(points, n_blocks, shared->row_of);
    CHECK(number_rows(points->n_points, shared));
    CHECK(tess_buckets_new(shared->n, &blocks));
    CHECK(put_blocks(points, n_blocks, shared->row_of, &blocks));
    CHECK(rows_of_buckets(&blocks, &shared->blocks));
done:
    tess_buckets_release(&blocks);
    return status;
}

void tess_shared_points_clear(tess_shared_points *shared) {
    free(shared->row_of);
    free(shared->point);
    tess_rows_free(shared->blocks);
}
