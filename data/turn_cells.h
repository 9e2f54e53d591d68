/* Turning: the nodes of cells so that cells of neighbouring numbers have them in the same slots. */
#pragma once

#include "core/mesh/mesh.h"

/* Turns the nodes of each cell, which keeps its orientation, so that among `window` consecutive
 * cells of a type a node has the same slot, and two nodes the same two, as often as can be found.
 * What a warp of so many lanes adds to one node, or pair of nodes, through one slot it can add
 * once. */
TESS_MUST_CHECK tess_status tess_mesh_turn_cells(tess_mesh *mesh, int64_t window);
