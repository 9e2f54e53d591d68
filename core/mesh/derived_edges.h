/* Edges of cells, edges sorted by their left node, and cells that are neighbours: the derivations
 * that need no pairing of sides (core/mesh/derive.h). */
#pragma once

#include "core/mesh/cells.h"

/* Gives all node pairs that are an edge of a cell, nodes [n][2], the caller's: by their first cell,
 * then by position in it. */
TESS_MUST_CHECK tess_status tess_cell_edges_find(const tess_cells *cells, int32_t **nodes,
                                                 int64_t *n);

/* Adds `edges` and edges:nodes: all node pairs that are an edge of a cell. */
TESS_MUST_CHECK tess_status tess_cell_edges_add(tess_mesh *mesh, const tess_cells *cells);

/* Adds `left_edges` and left_edges:nodes from edges:nodes. */
TESS_MUST_CHECK tess_status tess_left_edges_add(tess_mesh *mesh);

/* Adds cells:cells and the dat n_cells from `map`, edges:cells or faces:cells: neighbours in the
 * order of the sides between. */
TESS_MUST_CHECK tess_status tess_neighbours_add(tess_mesh *mesh, const char *map);
