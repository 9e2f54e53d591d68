/* Ringed cells: cells among which some are polygons or polyhedra, made faced cells by the sides
 * that two of them have. */
#pragma once

#include "data/formats/elements.h"

/* States cells and boundary elements as tess_elements_state() does; where there are polygons or
 * polyhedra among the cells these are faced (data/formats/faces/polyhedra.h). Of the sides with the
 * same nodes each two of different cells are one face, in the order in which they are read.
 * Boundary elements mark the faces at the boundary that have their nodes. */
TESS_MUST_CHECK tess_status tess_polygon_cells_state(tess_elements *elements, tess_mesh *mesh);
