/* The edges of a cell, as tables of a page. */
#pragma once

#include "core/mesh/cell_type.h"
#include "kernels/strategies/strategy.h"

/* Prints, for cells of one type:
 *
 *   edge_ends[edge][2]              the nodes of an edge
 *   edge_set[edge]                  one of N_EDGE_SETS sets: edges of one set have no common end
 *   slot_edges[node][MOST_EDGES]    the edges of a node; -1 where it has no more
 *
 * There are as few sets as can be. */
void tess_cell_edges_print(const tess_cell_type *type, tess_page *page);
