/* Refinement: fewer points in several blocks, whoever made the blocks. */
#pragma once

#include "core/plan/partition.h"

/* Exchanges elements between neighbouring blocks of `block_of` [problem->n_elements] (dense ids
 * from 0, as in a tess_partition) where that lowers the number of distinct points of blocks, each
 * point weighted by its map. Blocks keep their sizes. `effort` 0 changes nothing; 1 is mosaic's
 * level quick, 2 and 3 its default, 4 to 6 its long; it ends early where nothing is gained.
 * Deterministic on any number of threads. Fails (INPUT) on a negative id or a block that is larger
 * than the block size. */
TESS_MUST_CHECK tess_status tess_refine(const tess_partition_problem *problem, int32_t *block_of,
                                        int effort);
