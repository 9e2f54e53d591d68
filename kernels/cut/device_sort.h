/* A device sort: ids in the order of 64-bit keys, and scans, by kernels that lie in a device's
 * memory. */
#pragma once

#include "kernels/cut/cut_kernels.h"

/* Thread blocks that take `size` of n elements each. */
static inline int64_t tess_cut_tiles(int64_t n, int64_t size) {
    return (n + size - 1) / size;
}

/* Bits of a number from 0 to n. */
static inline int64_t tess_cut_bits(int64_t n) {
    int64_t bits = 1;
    while (n >> bits)
        bits++;
    return bits;
}

/* Launches a kernel with a thread for each of n elements. */
TESS_MUST_CHECK tess_status tess_cut_launch_each(tess_cut_kernels *kernels, const char *name,
                                                 int64_t n);

/* Makes each of the first n_values of params.values the sum of those before it; params.sums has
 * room for a sum of each TESS_CUT_CHUNK. */
TESS_MUST_CHECK tess_status tess_cut_scan(tess_cut_kernels *kernels, int64_t n_values);

/* Sorts params.ids by params.keys, whose n_bits lowest bits count, stably; params.n_tiles are those
 * of TESS_CUT_CHUNK, and values and sums have room for the digits of each. Both are where the
 * parameters say then: keys_out and ids_out change places with them. */
TESS_MUST_CHECK tess_status tess_cut_sort(tess_cut_kernels *kernels, int64_t n_bits);

static inline void tess_cut_swap(tess_address *a, tess_address *b) {
    const tess_address kept = *a;
    *a = *b;
    *b = kept;
}
