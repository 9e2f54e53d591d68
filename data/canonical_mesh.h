/* A canonical mesh: one numbering for all files of a mesh, whatever theirs is. */
#pragma once

#include "core/mesh/cells.h"
#include "core/mesh/polytopes.h"

/* Cells have nodes, or are polytopes. Gives the nodes (new_to_old, the caller's) by their
 * coordinates, the first before the second; those at one place by the positions of their cells'
 * nodes and of the cells around these, at last by number. */
TESS_MUST_CHECK tess_status tess_canonical_nodes(const tess_mesh *mesh, const tess_cells *cells,
                                                 const tess_polytopes *polytopes,
                                                 int32_t **new_to_old);

/* Turns the nodes of each cell and marked side, which keeps its orientation, so that their numbers
 * are lexicographically the least; of polygons and polyhedra the sides, whose lower cell comes
 * first then. */
TESS_MUST_CHECK tess_status tess_canonical_turn(tess_mesh *mesh);

/* The ways to turn a cell with that many nodes and dimension onto itself: slots [n][slots]; gives
 * n, 24 for hexahedra. */
enum { TESS_MOST_TURNS = 24 };
int tess_cell_turns(int dimension, int n_nodes,
                    signed char slots[TESS_MOST_TURNS][TESS_CELL_NODES_MAX]);
