/* Shared points: those that several blocks have, and how they are told from the others. */
#include "core/plan/shared_points.h"

#include "core/base/array.h"
#include <omp.h>
#include <stdlib.h>

static int32_t block_at(const int32_t *block_of, int64_t e) {
    return block_of ? block_of[e] : (int32_t)e;
}

/* Marks each point with the number of its only block and 1, or with -1 where several have it; 0:
 * none has. */
static void mark_points(const tess_incidence *map, const int32_t *block_of, int64_t n_elements,
                        int32_t *mark) {
#pragma omp parallel for schedule(static)
    for (int64_t e = 0; e < n_elements; e++) {
        int64_t n = 0;
        const int32_t *row = tess_incidence_row(map, e, &n), own = block_at(block_of, e) + 1;
        for (int64_t s = 0; s < n; s++) {
            if (row[s] < 0)
                continue;
            int32_t was = __atomic_load_n(&mark[row[s]], __ATOMIC_RELAXED);
            while (was != own && was >= 0 &&
                   !__atomic_compare_exchange_n(&mark[row[s]], &was,
                                                was || map->points_are_elements ? -1 : own, false,
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
    CHECK(tess_buckets_new(first[n_threads], &shared->rows));
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
done:
    free(first);
    return status;
}

tess_status tess_shared_points_find(const tess_incidence *map, const int32_t *block_of, int64_t n,
                                    tess_shared_points *shared) {
    *shared = (tess_shared_points){.n_single = 0};
    TRY(TESS_ZEROS(map->n_points, &shared->row_of));
    mark_points(map, block_of, n, shared->row_of);
    TRY(number_rows(map->n_points, shared));
    for (int puts = 0; puts < 2; puts++) {
#pragma omp parallel for schedule(static)
        for (int64_t e = 0; e < n; e++) {
            int64_t n_slots = 0;
            const int32_t *points = tess_incidence_row(map, e, &n_slots);
            const uint64_t word = (uint64_t)block_at(block_of, e) << 32 | (uint64_t)e;
            for (int64_t s = 0; s < n_slots; s++) {
                const int32_t row = points[s] < 0 ? -1 : shared->row_of[points[s]];
                if (row >= 0 && puts)
                    tess_buckets_put(&shared->rows, row, word);
                else if (row >= 0)
                    tess_buckets_count(&shared->rows, row);
            }
        }
        if (!puts)
            TRY(tess_buckets_open(&shared->rows));
    }
    tess_buckets_close(&shared->rows);
    return TESS_OK;
}

void tess_shared_points_clear(tess_shared_points *shared) {
    free(shared->row_of);
    free(shared->point);
    tess_buckets_release(&shared->rows);
}
