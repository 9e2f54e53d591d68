/* A slab cut: elements in the order of slabs (slab_key.h), chopped at the block size. */
#pragma once

#include "core/plan/cutter.h"
#include "partitioners/slab_key.h"

/* How thick slabs are, so that blocks are as long along each axis or diagonal. */
double tess_slabs_width(const struct slabs *of, int64_t n, int32_t block_size);

/* Fills block_of [what->n], by the rule of slabs along axes or diagonals. */
TESS_MUST_CHECK tess_status tess_slabs_cut(const tess_cut *what, int32_t *block_of);
