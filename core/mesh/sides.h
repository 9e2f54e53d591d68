/* The sides of cells: edges in 2D, faces in 3D; interior ones join two cells, the boundary's have
 * one. */
#pragma once

#include "core/mesh/cells.h"

/* Whether the cells have triangular (n_nodes 3) or quadrilateral (4) faces. */
bool tess_cells_have_faces(const tess_cells *cells, int n_nodes);

/* Adds the sets, maps and markers of the sides (core/mesh/derive.h): the interior ones, the
 * boundary's or both. The cells are a view of the mesh; they have 2 or 3 dimensions. */
TESS_MUST_CHECK tess_status tess_sides_add(tess_mesh *mesh, const tess_cells *cells, bool interior,
                                           bool boundary);
