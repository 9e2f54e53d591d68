/* A block order: blocks numbered along the mesh, so that neighbours are near in memory. */
#pragma once

#include "core/plan/partition_problem.h"

/* Gives the number [n_blocks] of each block, dense from 0, that the caller frees: breadth first
 * over blocks that share points, each connected piece from a far end of it (the block that a first
 * search from its lowest block reaches last). The element numbering decides nothing but that lowest
 * block. Where one block alone has another size than all others it comes last, so that all of them
 * begin at a multiple of their size. *largest is the size of the largest; *reuse_factor
 * (docs/concepts.md, "Metrics") comes from the same pass over the points; 0 where no element has a
 * point. Parallel, the same on any number of threads; time is linear in the points of all elements.
 */
TESS_MUST_CHECK tess_status tess_block_order_build(const tess_partition_problem *problem,
                                                   const int32_t *block_of, int64_t n_blocks,
                                                   int32_t **number, int64_t *largest,
                                                   double *reuse_factor);
