/* A chained border: the blocks of a chain on a rank that reach something of other ranks. */
#pragma once

#include "core/plan/chain_blocks.h"
#include "core/ranks/rank_mesh.h"

/* Numbers blocks of a chain on a rank's mesh anew: those that reach nothing of other ranks, n_core,
 * then the others, up to n_own; empty ones are gone. block_of [points] has the new numbers then. */
TESS_MUST_CHECK tess_status tess_chained_border_order(const tess_chain *chain,
                                                      const tess_rank_mesh *rank,
                                                      const tess_chain_blocks *blocks,
                                                      int32_t *block_of, int64_t *n_core,
                                                      int64_t *n_own);
