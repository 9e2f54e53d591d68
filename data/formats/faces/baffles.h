/* Baffles: faces at the boundary of which two have the same nodes, thin walls between cells. */
#pragma once

#include "core/mesh/mesh.h"
#include "data/formats/faces/faces.h"

/* Says how many faces are such, by marker, where cells are told by their nodes: there the cells on
 * both sides are neighbours. */
TESS_MUST_CHECK tess_status tess_baffles_warn(const tess_polyhedra *polyhedra, tess_mesh *mesh);
