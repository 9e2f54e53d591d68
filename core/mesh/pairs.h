/* Pairs: the entries off the diagonal of a matrix over the points of a set, and where each
 * element's are among them. */
#pragma once

#include "core/mesh/cells.h"

/* Adds `node_pairs` and node_pairs:nodes (row, column): the ordered pairs of two nodes of a cell,
 * each once, sorted by row, then by column. A pair has the same node twice only where a cell
 * repeats one. Parallel, the same on any number of threads. */
TESS_MUST_CHECK tess_status tess_node_pairs_add(tess_mesh *mesh, const tess_cells *cells);

/* Adds the same as the set `pairs` and the map pairs:TO for the elements of `n` maps of the mesh,
 * "hexes:nodes", which lead to one set TO and are not padded. Fails (INPUT) by the map that does
 * not fit. */
TESS_MUST_CHECK tess_status tess_pairs_add(tess_mesh *mesh, const char *pairs,
                                           const char *const *maps, int n);

/* The map from a set of pairs to their rows and columns; NULL of other sets, and of pairs of which
 * a rank has some only. */
const tess_map *tess_pairs_of_set(const tess_mesh *mesh, int set);

/* Adds FROM:pairs of arity n (n - 1) for a map FROM:TO of arity n > 1: the pairs (0, 1), (0, 2) ...
 * (1, 0), (1, 2) ... of an element's points. The mesh has the set `pairs` and pairs:TO. Fails
 * (INPUT) by element, slots and points where a pair is not among them. */
TESS_MUST_CHECK tess_status tess_pairs_of_map_add(tess_mesh *mesh, const char *map,
                                                  const char *pairs);
