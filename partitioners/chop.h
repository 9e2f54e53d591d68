/* Chopping: an order of the elements cut into blocks. */
#pragma once

#include "core/base/status.h"
#include <stdint.h>

/* Chops the elements 0 ... n - 1, ordered by their keys, into blocks of `block_size`.
 * Takes the keys, which it frees. */
TESS_MUST_CHECK tess_status tess_keys_chop(uint64_t *keys, int64_t n, int32_t block_size,
                                           int32_t *block_of);

/* Chops an order into blocks of `block_size` elements, the last one taking what is left. */
void tess_order_chop(const int32_t *order, int64_t n, int32_t block_size, int32_t *block_of);
