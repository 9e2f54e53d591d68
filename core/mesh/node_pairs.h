/* Pairs of nodes: the entries off the diagonal of a matrix over the nodes, and where each cell's
 * are among them. */
#pragma once

#include "core/mesh/cells.h"

/* Adds `node_pairs` and node_pairs:nodes (row, column): the ordered pairs of two nodes of a cell,
 * each once, sorted by row, then by column. A pair has the same node twice only where a cell
 * repeats one. Parallel, the same on any number of threads. */
TESS_MUST_CHECK tess_status tess_node_pairs_add(tess_mesh *mesh, const tess_cells *cells);

/* Adds TYPE:node_pairs ("tets:node_pairs") of arity n (n - 1) for the block of a type: the pairs
 * (0, 1), (0, 2) ... (1, 0), (1, 2) ... of its nodes. The mesh has node_pairs. */
TESS_MUST_CHECK tess_status tess_pairs_of_cells_add(tess_mesh *mesh, const tess_cell_block *block);
