/* Ringed cells: cells among which some are polygons or polyhedra, made faced cells by the sides
 * that two of them have. */
#pragma once

#include "data/formats/elements.h"
#include "data/formats/faced.h"

/* Fills faces, owner, neighbour and marker of `out` (data/formats/faced.h), whose dimension is that
 * of the cells: all elements of it, in the order of the file. Of the sides with the same nodes the
 * first two of different cells are one face; the others have one of their own. Elements of one
 * dimension less mark the sides at the boundary that have their nodes. The caller clears `out`. */
TESS_MUST_CHECK tess_status tess_ringed_cells_faced(const tess_elements *elements, int64_t n_nodes,
                                                    tess_faced *out);
