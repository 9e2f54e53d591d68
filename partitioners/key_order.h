/* A key order: elements sorted by a key, and such an order chopped into blocks. */
#ifndef TESS_KEY_ORDER_H
#define TESS_KEY_ORDER_H

#include "core/base/status.h"
#include <stdint.h>

/* Gives the elements 0 ... n - 1 by ascending key, equal keys by element; the caller frees *order.
 * Radix sort, parallel, the same on any number of threads. */
TESS_MUST_CHECK tess_status tess_key_order(const uint64_t *keys, int64_t n, int32_t **order);

/* Chops the elements 0 ... n - 1, ordered by their keys, into blocks of `block_size`. */
TESS_MUST_CHECK tess_status tess_keys_chop(const uint64_t *keys, int64_t n, int32_t block_size,
                                           int32_t *block_of);

/* Chops an order into blocks of `block_size` elements, the last one taking what is left. */
void tess_order_chop(const int32_t *order, int64_t n, int32_t block_size, int32_t *block_of);

#endif
