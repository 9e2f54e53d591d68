/* Buckets: numbers put into n buckets by many threads and sorted in each. */
#include "core/base/buckets.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include <omp.h>
#include <stdlib.h>

tess_status tess_buckets_new(int64_t n, tess_buckets *buckets) {
    *buckets = (tess_buckets){.n = n, .is_alone = omp_get_max_threads() == 1};
    return TESS_ZEROS(n + 2, &buckets->offset);
}

/* From counts at [i + 2] to starts at [i + 1], which tess_buckets_put moves to ends: the starts
 * of the buckets behind. */
tess_status tess_buckets_open(tess_buckets *buckets) {
    for (int64_t i = 0; i < buckets->n; i++)
        buckets->offset[i + 2] += buckets->offset[i + 1];
    return TESS_ALLOC(buckets->offset[buckets->n + 1], &buckets->value);
}

void tess_buckets_close(tess_buckets *buckets) {
#pragma omp parallel for schedule(dynamic, 4096)
    for (int64_t i = 0; i < buckets->n; i++)
        tess_sort_words(buckets->value + buckets->offset[i],
                        buckets->offset[i + 1] - buckets->offset[i]);
}

void tess_buckets_release(tess_buckets *buckets) {
    free(buckets->offset);
    free(buckets->value);
    buckets->offset = NULL;
    buckets->value = NULL;
}
