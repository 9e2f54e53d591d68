/* A proof of a halo: what ranks need of each other is found again from the mesh, the owners and the
 * loops, with no code of the builder's. */
#pragma once

#include "core/ranks/rank_mesh.h"

/* TESS_OK when the halo is right and no larger than it must be. Else TESS_ERROR_CHECK and the first
 * defect by loop, rank and element. Checked: every element has one owner; every increment of a
 * point is executed by its owner exactly once, or travels to it; all that an executed element
 * reaches is there, and what it reads of a changing dat arrives; an element that waits is marked as
 * border, and no other; nothing is executed, arrives, returns or is kept that no loop needs. Linear
 * in the mesh. */
TESS_MUST_CHECK tess_status tess_halo_check(const tess_ranking *ranking, const tess_halo *halo);

/* Proves one rank's mesh: its segments hold what the halo says, in order, and its maps lead
 * where those of the whole mesh do. */
TESS_MUST_CHECK tess_status tess_rank_mesh_check(const tess_ranking *ranking, const tess_halo *halo,
                                                 const tess_rank_mesh *rank_mesh);
