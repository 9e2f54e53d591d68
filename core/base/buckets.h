/* Buckets: numbers put into n buckets by many threads and sorted in each, so that the result is
 * the same on any number of threads. The way of a counting sort, in five steps:
 *
 *   tess_buckets_new      n empty buckets
 *   tess_buckets_count    once for each number, from any thread
 *   tess_buckets_open     makes room
 *   tess_buckets_put      once for each number, from any thread
 *   tess_buckets_close    sorts each bucket ascending
 */
#pragma once

#include "core/base/status.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct tess_buckets {
    int64_t n;
    int64_t *offset; /* [n + 2]; once closed, bucket i is value[offset[i]] ... [offset[i + 1]) */
    uint64_t *value;
    bool is_alone; /* one thread puts: it waits for no other, nor for memory at each number */
} tess_buckets;

TESS_MUST_CHECK tess_status tess_buckets_new(int64_t n, tess_buckets *buckets);
TESS_MUST_CHECK tess_status tess_buckets_open(tess_buckets *buckets);
void tess_buckets_close(tess_buckets *buckets);
void tess_buckets_release(tess_buckets *buckets);

/* Adds one, and gives what there was. */
static inline int64_t tess_buckets_add(const tess_buckets *buckets, int64_t i) {
    return buckets->is_alone ? buckets->offset[i]++
                             : __atomic_fetch_add(&buckets->offset[i], 1, __ATOMIC_RELAXED);
}

static inline void tess_buckets_count(tess_buckets *buckets, int64_t i) {
    tess_buckets_add(buckets, i + 2);
}

static inline void tess_buckets_put(tess_buckets *buckets, int64_t i, uint64_t value) {
    buckets->value[tess_buckets_add(buckets, i + 1)] = value;
}
