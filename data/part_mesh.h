/* A part of a mesh: some of its cells, side by side, with the nodes that they have. */
#pragma once

#include "core/mesh/mesh.h"

/* Leaves `n` cells of the mesh, or all where it has no more: those on one side, along its longest
 * axis, in the order that they have; without coordinates the first. Of other sets those elements
 * stay that reach nothing that is gone. Fails (INPUT) where it has no cells with nodes. */
TESS_MUST_CHECK tess_status tess_mesh_take_part(tess_mesh *mesh, int64_t n);
