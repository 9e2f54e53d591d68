/* Ordering: a mesh numbered along its nodes, before anything is derived from it. */
#pragma once

#include "core/plan/order/renumber.h"

/* The orders that tess_order_renumber knows, NULL-terminated; and whether it knows one. */
extern const char *const tess_orders[];
bool tess_order_is_known(const char *order);

/* Renumbers the nodes of a mesh by `order`: "rcm" or "gps" along the edges of its cells
 * (core/plan/order/graph_order.h), "hilbert" along a curve through their coordinates, "canonical"
 * by these, so that a mesh has the same numbers whatever file it comes from; "levels" puts cells in
 * levels over their sides and nodes after them. All other
 * sets follow (core/plan/order/renumber_mesh.h), by their nodes where they have some; where the
 * order is canonical the nodes of each are turned (data/canonical_mesh.h). Fails (INPUT) where a
 * mesh has no cells whose nodes are known, but for "hilbert". On failure the mesh is of no use but
 * to be freed.
 */
TESS_MUST_CHECK tess_status tess_mesh_order(tess_mesh *mesh, const char *order);

/* Fails (USAGE) on another one. Gives what the mesh would be by the order "hilbert", "rcm", "gps"
 * or "levels"; it stays as it is. All sets follow (core/plan/order/renumber_mesh.h). "levels":
 * cells in Cuthill and McKee's order of the graph over their sides, reversed, so that a sweep over
 * sides, in the order of their cells, goes along two windows of memory, the level of the first
 * cells and that of the second ones. */
TESS_MUST_CHECK tess_status tess_order_renumber(const tess_mesh *mesh, const char *order,
                                                tess_renumbering **out);
