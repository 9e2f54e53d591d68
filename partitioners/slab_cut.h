/* A slab cut: elements in the order of slabs (slab_key.h), chopped at the block size. */
#pragma once

#include "core/plan/cutter.h"
#include "partitioners/slab_key.h"

/* How thick slabs are of which blocks are as long along each diagonal, or a sixteenth thicker. */
double tess_slabs_width(const struct slabs *of, const tess_cut *what);

/* Fills block_of [what->n], by a rule of slabs. */
TESS_MUST_CHECK tess_status tess_slabs_cut(const tess_cut *what, int32_t *block_of);
