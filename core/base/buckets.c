/* Buckets: numbers put into n buckets by many threads and sorted in each. */
#include "core/base/buckets.h"

#include "core/base/array.h"
#include <stdlib.h>

tess_status tess_buckets_new(int64_t n, tess_buckets *buckets) {
    *buckets = (tess_buckets){.n = n};
    return TESS_ZEROS(n + 2, &buckets->offset);
}

/* From counts at [i + 2] to starts at [i + 1], which tess_buckets_put moves to ends: the starts
 * of the buckets behind. */
tess_status tess_buckets_open(tess_buckets *buckets) {
    for (int64_t i = 0; i < buckets->n; i++)
        buckets->offset[i + 2] += buckets->offset[i + 1];
    return TESS_ALLOC(buckets->offset[buckets->n + 1], &buckets->value);
}

static int compare(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Shell's sort with Ciura's gaps, which suits buckets of some dozens. */
static void sort(uint64_t *values, int64_t n) {
    static const int64_t gaps[] = {301, 132, 57, 23, 10, 4, 1};
    enum { LONG = 1000, N_GAPS = sizeof gaps / sizeof gaps[0] };
    if (n > LONG) {
        qsort(values, (size_t)n, sizeof *values, compare);
        return;
    }
    for (int g = 0; g < N_GAPS; g++) {
        for (int64_t i = gaps[g]; i < n; i++) {
            const uint64_t value = values[i];
            int64_t at = i;
            for (; at >= gaps[g] && values[at - gaps[g]] > value; at -= gaps[g])
                values[at] = values[at - gaps[g]];
            values[at] = value;
        }
    }
}

void tess_buckets_close(tess_buckets *buckets) {
#pragma omp parallel for schedule(dynamic, 4096)
    for (int64_t i = 0; i < buckets->n; i++)
        sort(buckets->value + buckets->offset[i], buckets->offset[i + 1] - buckets->offset[i]);
}

void tess_buckets_release(tess_buckets *buckets) {
    free(buckets->offset);
    free(buckets->value);
    buckets->offset = NULL;
    buckets->value = NULL;
}
