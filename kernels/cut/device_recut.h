/* A device recut: on a device, only what a change of elements touches is cut anew. */
#pragma once

#include "core/plan/cutter.h"
#include "kernels/cut/cut_kernels.h"

/* What elements were, in memory of the device or of the host. */
typedef struct tess_device_blocks {
    int64_t n;               /* elements before */
    int32_t n_blocks;        /* their blocks */
    const int32_t *block_of; /* [n], from 0 */
    const int32_t *was; /* of each element now the number that it had before; -1: it is cut anew */
} tess_device_blocks;

/* Fills block_of [what->n], the number of blocks and the seconds that the device worked, where all
 * arrays are in its memory. Blocks that have lost no element keep theirs, in order; what is left is
 * cut, and joined as tess_recut_join does (core/plan/recut.h). At least one element; fails (INPUT)
 * on a number or block that there was not, on a number that two have, and as tess_device_cut_there. */
TESS_MUST_CHECK tess_status tess_device_recut_there(tess_cut_kernels *kernels, const tess_cut *what,
                                                    const tess_device_blocks *before,
                                                    int32_t *block_of, int32_t *n_blocks,
                                                    double *seconds);

/* As before, where all arrays are the host's. */
TESS_MUST_CHECK tess_status tess_device_recut(tess_cut_kernels *kernels, const tess_cut *what,
                                              const tess_device_blocks *before, int32_t *block_of,
                                              int32_t *n_blocks, double *seconds);
