/* The edges of a cell, as tables of a page. */
#pragma once

#include "core/mesh/cell_type.h"
#include "kernels/codegen/page.h"

/* Prints, for cells of one type:
 *
 *   edge_end(edge, end)             one of the two nodes of an edge
 *   edge_set(edge)                  one of N_EDGE_SETS sets: edges of one set have no common end
 *   slot_edge(node, i)              edge i, of MOST_EDGES, of a node; -1 where it has no more
 *
 * There are as few sets as can be. */
void tess_cell_edges_print(const tess_cell_type *type, tess_page *page);
