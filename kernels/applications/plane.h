/* The plane: what applications on 2D meshes share: sides that know left from right, cells of any
 * mesh by one map. Walls and the far field: core/mesh/plane_walls.h. */
#pragma once

#include "core/mesh/plane_walls.h"

/* Makes cells:nodes of a mesh of mixed cells or polygons (the smaller repeat their last node), and
 * turns edges:nodes and bedges:nodes so that cell 0 lies on the left of the way from node 0 to
 * node 1. The mesh has these maps but for the first. */
TESS_MUST_CHECK tess_status tess_plane_bind(tess_mesh *mesh);

/* The centre of a cell's nodes. */
void tess_plane_centre(const tess_mesh *mesh, const tess_map *corners, int64_t cell,
                       double centre[2]);

/* The area of a cell, whatever its orientation. */
double tess_plane_area(const tess_mesh *mesh, const tess_map *corners, int64_t cell);
