/* The start of fun3d. */
#pragma once

#include "kernels/loops/state.h"

/* Fills what fun3d starts with: coordinates, dual faces, the factors of gradients, states, eddy
 * viscosity and steps of explicit time; nodes of the outer boundary are held. Fails (INPUT) where
 * the mesh has no dual mesh. */
TESS_MUST_CHECK tess_status tess_fun3d_start(const tess_mesh *mesh, tess_state *state);
