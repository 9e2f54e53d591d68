/* Wide cells: cells that cross a side at which a mesh is joined to its other end, and lie there and
 * here by their coordinates. */
#pragma once

#include "core/mesh/mesh.h"

/* Warns of the cells, or of the sides that join two of them where the mesh has no cells:nodes,
 * whose nodes are farther apart along an axis than half of `period` [dimension] (0: none along it).
 * `what` says how the mesh is joined: "MPAS's mesh is periodic". */
TESS_MUST_CHECK tess_status tess_wide_cells_warn(tess_mesh *mesh, const double period[3],
                                                 const char *what);
/* The extent of the nodes along each axis. */
void tess_extent_of(const tess_mesh *mesh, double extent[3]);
