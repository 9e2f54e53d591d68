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

/* Sorts from `from` to `to` by one digit, stably. Each thread counts and then places a range of
 * elements of its own; `counts` is [n_threads][N_DIGITS]. */
static void sort_by_digit(const keyed_element *from, keyed_element *to, int64_t n, int shift,
                          int n_threads, int64_t *counts) {
    memset(counts, 0, (size_t)n_threads * N_DIGITS * sizeof *counts);
#pragma omp parallel for num_threads(n_threads) schedule(static, 1)
    for (int t = 0; t < n_threads; t++) {
        int64_t *count = counts + (int64_t)t * N_DIGITS;
        for (int64_t i = n * t / n_threads; i < n * (t + 1) / n_threads; i++)
            count[from[i].key >> shift & (N_DIGITS - 1)]++;
    }
    int64_t position = 0;
    for (int d = 0; d < N_DIGITS; d++) {
        for (int t = 0; t < n_threads; t++) {
            const int64_t count = counts[(int64_t)t * N_DIGITS + d];
            counts[(int64_t)t * N_DIGITS + d] = position;
            position += count;
        }
    }
#pragma omp parallel for num_threads(n_threads) schedule(static, 1)
    for (int t = 0; t < n_threads; t++) {
        int64_t *next = counts + (int64_t)t * N_DIGITS;
        for (int64_t i = n * t / n_threads; i < n * (t + 1) / n_threads; i++)
            to[next[from[i].key >> shift & (N_DIGITS - 1)]++] = from[i];
    }
}

tess_status tess_key_order(const uint64_t *keys, int64_t n, int32_t **order) {
    tess_status status = TESS_OK;
    const int n_threads = n < 4 * N_DIGITS ? 1 : omp_get_max_threads();
    keyed_element *from = NULL, *to = NULL;
    int64_t *counts = NULL;
    CHECK(TESS_ALLOC(n, &from));
    CHECK(TESS_ALLOC(n, &to));
    CHECK(TESS_ALLOC((int64_t)n_threads * N_DIGITS, &counts));
    uint64_t differing = 0; /* bits that are not the same in all keys */
#pragma omp parallel for num_threads(n_threads) reduction(| : differing)
    for (int64_t e = 0; e < n; e++) {
        from[e] = (keyed_element){keys[e], (int32_t)e};
        differing |= keys[e] ^ keys[0];
    }
    for (int shift = 0; shift < 64; shift += DIGIT_BITS) {
        if (!(differing >> shift & (N_DIGITS - 1)))
            continue;
        sort_by_digit(from, to, n, shift, n_threads, counts);
        keyed_element *sorted = to;
        to = from;
        from = sorted;
    }
    CHECK(TESS_ALLOC(n, order));
#pragma omp parallel for num_threads(n_threads)
    for (int64_t i = 0; i < n; i++)
        (*order)[i] = from[i].element;
done:
    free(from);
    free(to);
    free(counts);
    return status;
}
