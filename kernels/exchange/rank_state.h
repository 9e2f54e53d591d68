/* A rank's state: the rows of a state that the rank's mesh has. */
#pragma once

#include "core/ranks/rank_mesh.h"
#include "kernels/exchange/schedule.h"

/* Gives a rank's part of a state on the whole mesh, imports included. Global values are copied, but
 * those that loops add to begin at 0 on all ranks but the first, so that their sum is right. */
TESS_MUST_CHECK tess_status tess_rank_state_take(const tess_rank_mesh *rank_mesh,
                                                 const tess_schedule *schedule,
                                                 const tess_state *whole, tess_state **out);

/* Puts what a rank owns into a state on the whole mesh, whose global values begin at 0: to these
 * each rank adds its sums, and the first what is no sum. */
void tess_rank_state_give(const tess_rank_mesh *rank_mesh, const tess_schedule *schedule,
                          const tess_state *state, tess_state *whole);
