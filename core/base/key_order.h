/* A key order: elements sorted by a key. */
#pragma once

#include "core/base/status.h"
#include <stdint.h>

/* Gives the elements 0 ... n - 1 by ascending key, equal keys by element; the caller frees *order.
 * Radix sort, parallel, the same on any number of threads. */
TESS_MUST_CHECK tess_status tess_key_order(const uint64_t *keys, int64_t n, int32_t **order);
