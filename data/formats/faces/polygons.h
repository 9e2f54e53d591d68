/* Polygons: cells of two dimensions with any number of nodes, made faced cells by their edges. */
#pragma once

#include "data/formats/elements.h"
#include "data/formats/faces/faces.h"
#include "data/formats/lost_marks.h"

/* Fills faces (edges of two nodes, of the rings' nodes in their order), owner, neighbour and marker
 * of `out`: edges that two polygons have come first, each kind by its first polygon, then by its
 * place in it. An edge of more than two polygons joins the first two; the others have one of their
 * own. Markers are those of the `marked` lines with the same nodes, the first ones, else -1; what
 * becomes of each line is counted. The caller clears `out`. */
TESS_MUST_CHECK tess_status tess_polyhedra_of_polygons(const tess_jagged_array *rings,
                                                       int64_t n_nodes,
                                                       const tess_element_list *marked,
                                                       tess_polyhedra *out, tess_lost_marks *lost);
