/* Ordering: a mesh numbered along its nodes, before anything is derived from it. */
#pragma once

#include "core/mesh/mesh.h"

/* Renumbers the nodes of a mesh by `order`: "rcm" or "gps" along the edges of its cells
 * (core/plan/order/graph_order.h), "hilbert" along a curve through their coordinates, "canonical"
 * by these, so that a mesh has the same numbers whatever file it comes from. Cells and every other
 * set with a map to the nodes follow, in the lexicographic order of their nodes; where the order is
 * canonical the nodes of each are turned (data/canonical_mesh.h). Fails (INPUT) where a mesh has no
 * cells whose nodes are known, but for "hilbert". On failure the mesh is of no use but to be freed.
 */
TESS_MUST_CHECK tess_status tess_mesh_order(tess_mesh *mesh, const char *order);
