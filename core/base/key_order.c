/* A key order: elements sorted by a key. */
#include "core/base/key_order.h"

#include "core/base/array.h"
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { DIGIT_BITS = 11, N_DIGITS = 1 << DIGIT_BITS };

typedef struct keyed_element {
    uint64_t key;
    int32_t element;
} keyed_element;

/* Keys [n] and their order, in buckets by their first differing bits: bucket b ends at end[b]. */
typedef struct key_buckets {
    const uint64_t *keys;
    int32_t *order;
    int shift, n_digits;
    int64_t n;
    int64_t end[N_DIGITS];
} key_buckets;

static int64_t first_of(const key_buckets *buckets, int64_t bucket) {
    return bucket ? buckets->end[bucket - 1] : 0;
}

static int64_t digit_of(uint64_t key, int shift, int n_digits) {
    return (int64_t)(key >> shift & (uint64_t)(n_digits - 1));
}

/* Makes of the counts of each digit, [n_threads][N_DIGITS], where each thread puts its first. */
static void sum_counts(int64_t *counts, int n_digits, int n_threads) {
    int64_t position = 0;
    for (int d = 0; d < n_digits; d++) {
        for (int t = 0; t < n_threads; t++) {
            const int64_t count = counts[(int64_t)t * N_DIGITS + d];
            counts[(int64_t)t * N_DIGITS + d] = position;
            position += count;
        }
    }
}

/* Sorts from `from` to `to` by one digit, stably. Each thread counts and then places a range of
 * elements of its own. */
static void sort_by_digit(const keyed_element *from, keyed_element *to, int64_t n, int shift,
                          int n_threads, int64_t *counts) {
    memset(counts, 0, (size_t)n_threads * N_DIGITS * sizeof *counts);
#pragma omp parallel for num_threads(n_threads) schedule(static, 1)
    for (int t = 0; t < n_threads; t++) {
        int64_t *count = counts + (int64_t)t * N_DIGITS;
        for (int64_t i = n * t / n_threads; i < n * (t + 1) / n_threads; i++)
            count[digit_of(from[i].key, shift, N_DIGITS)]++;
    }
    sum_counts(counts, N_DIGITS, n_threads);
#pragma omp parallel for num_threads(n_threads) schedule(static, 1)
    for (int t = 0; t < n_threads; t++) {
        int64_t *next = counts + (int64_t)t * N_DIGITS;
        for (int64_t i = n * t / n_threads; i < n * (t + 1) / n_threads; i++)
            to[next[digit_of(from[i].key, shift, N_DIGITS)]++] = from[i];
    }
}

/* Puts the elements into buckets, ascending in each. */
static tess_status fill_buckets(int n_threads, key_buckets *buckets) {
    const int64_t n = buckets->n;
    int64_t *counts = NULL;
    TRY(TESS_ZEROS((int64_t)n_threads * N_DIGITS, &counts));
#pragma omp parallel for num_threads(n_threads) schedule(static, 1)
    for (int t = 0; t < n_threads; t++) {
        int64_t *count = counts + (int64_t)t * N_DIGITS;
        for (int64_t e = n * t / n_threads; e < n * (t + 1) / n_threads; e++)
            count[digit_of(buckets->keys[e], buckets->shift, buckets->n_digits)]++;
    }
    sum_counts(counts, buckets->n_digits, n_threads);
#pragma omp parallel for num_threads(n_threads) schedule(static, 1)
    for (int t = 0; t < n_threads; t++) {
        int64_t *next = counts + (int64_t)t * N_DIGITS;
        for (int64_t e = n * t / n_threads; e < n * (t + 1) / n_threads; e++)
            buckets->order[next[digit_of(buckets->keys[e], buckets->shift, buckets->n_digits)]++] =
                (int32_t)e;
    }
    memcpy(buckets->end, counts + (int64_t)(n_threads - 1) * N_DIGITS, sizeof buckets->end);
    free(counts);
    return TESS_OK;
}

/* Sorts the elements of a bucket by the other bits of their keys, in two rooms of its size. */
static void sort_bucket(const key_buckets *buckets, int64_t bucket, keyed_element *from,
                        keyed_element *to, int n_threads, int64_t *counts) {
    const int64_t first = first_of(buckets, bucket), n = buckets->end[bucket] - first;
    int32_t *order = buckets->order + first;
    uint64_t differing = 0; /* bits that are not the same in all keys */
    for (int64_t i = 0; i < n; i++) {
        from[i] = (keyed_element){buckets->keys[order[i]], order[i]};
        differing |= from[i].key ^ from[0].key;
    }
    for (int shift = 0; shift < 64; shift += DIGIT_BITS) {
        if (!digit_of(differing, shift, N_DIGITS))
            continue;
        sort_by_digit(from, to, n, shift, n_threads, counts);
        keyed_element *sorted = to;
        to = from;
        from = sorted;
    }
    for (int64_t i = 0; i < n; i++)
        order[i] = from[i].element;
}

/* Sorts all buckets: those of a usual size by a thread each, others by all threads. */
static tess_status sort_buckets(const key_buckets *buckets, int n_threads) {
    tess_status status = TESS_OK;
    const int64_t usual = 4 * (buckets->n / buckets->n_digits + 1);
    keyed_element *from = NULL, *to = NULL;
    int64_t *counts = NULL, room = n_threads * usual;
    for (int64_t b = 0; b < buckets->n_digits; b++)
        if (buckets->end[b] - first_of(buckets, b) > room)
            room = buckets->end[b] - first_of(buckets, b);
    CHECK(TESS_ALLOC(room, &from));
    CHECK(TESS_ALLOC(room, &to));
    CHECK(TESS_ALLOC((int64_t)n_threads * N_DIGITS, &counts));
    for (int64_t b = 0; b < buckets->n_digits; b++)
        if (buckets->end[b] - first_of(buckets, b) > usual)
            sort_bucket(buckets, b, from, to, n_threads, counts);
#pragma omp parallel for num_threads(n_threads) schedule(dynamic, 1)
    for (int64_t b = 0; b < buckets->n_digits; b++) {
        const int64_t t = omp_get_thread_num();
        if (buckets->end[b] - first_of(buckets, b) <= usual)
            sort_bucket(buckets, b, from + t * usual, to + t * usual, 1, counts + t * N_DIGITS);
    }
done:
    free(from);
    free(to);
    free(counts);
    return status;
}

/* Buckets by the first of the bits that differ: as many as have more elements than digits are
 * counted for them, so that a bucket and its copy fit a cache. */
static void choose_buckets(uint64_t differing, key_buckets *buckets) {
    int bits = 0, digit_bits = 0;
    while (bits < 64 && differing >> bits)
        bits++;
    while (digit_bits < DIGIT_BITS && digit_bits < bits && buckets->n >> digit_bits > 2 * N_DIGITS)
        digit_bits++;
    buckets->n_digits = 1 << digit_bits;
    buckets->shift = bits - digit_bits < 64 ? bits - digit_bits : 63; /* one bucket: any will do */
}

tess_status tess_key_order(const uint64_t *keys, int64_t n, int32_t **order) {
    tess_status status = TESS_OK;
    const int n_threads = n < 4 * N_DIGITS ? 1 : omp_get_max_threads();
    uint64_t differing = 0;
    key_buckets *buckets = NULL;
    CHECK(TESS_ZEROS(1, &buckets));
    buckets->keys = keys;
    buckets->n = n;
    CHECK(TESS_ALLOC(n, &buckets->order));
#pragma omp parallel for num_threads(n_threads) reduction(| : differing)
    for (int64_t e = 0; e < n; e++)
        differing |= keys[e] ^ keys[0];
    choose_buckets(differing, buckets);
    CHECK(fill_buckets(n_threads, buckets));
    if (buckets->shift > 0)
        CHECK(sort_buckets(buckets, n_threads));
    *order = TESS_TAKE(buckets->order);
done:
    if (buckets)
        free(buckets->order);
    free(buckets);
    return status;
}
