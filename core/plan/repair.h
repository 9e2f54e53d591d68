/* A repair: puts the elements that overfill blocks elsewhere. */
#pragma once

#include "core/plan/partition_problem.h"

typedef enum tess_repair { TESS_REPAIR_SPLIT, TESS_REPAIR_MOVE } tess_repair;

/* Repairs block_of [n_elements], ids dense in [0, *n_blocks) and numbered along the mesh, until no
 * block exceeds the block size. *n_moved: elements whose block changed.
 *
 * TESS_REPAIR_MOVE first hands elements at the rim of an overfull block to the neighbouring block
 * with room that shares most points with them, those that the block misses least first; what finds
 * no room is split off.
 *
 * TESS_REPAIR_SPLIT orders an overfull block breadth first from a far end of it. Its first
 * block-size elements stay, each full run of as many behind them is a new block, and the tail, a
 * compact piece at the other end, joins the tails of the overfull blocks before and after it along
 * the mesh: they fill new blocks one after the other, so there are as few new blocks as there can
 * be. Sharing a new block never lowers the reuse factor against a block for each tail. */
TESS_MUST_CHECK tess_status tess_repair_overfull(const tess_partition_problem *problem,
                                                 tess_repair repair, int32_t *block_of,
                                                 int64_t *n_blocks, int64_t *n_moved);
