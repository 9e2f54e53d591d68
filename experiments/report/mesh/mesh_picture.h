/* A picture of a mesh: its cells coloured by their shapes, polygons and polyhedra by their sides.
 */
#pragma once

#include "core/mesh/mesh.h"

/* Renders the mesh with ParaView to a PNG file; adds to it the maps that this needs. Fails (INPUT)
 * where neither its cells nor their sides are known by their nodes, (MISSING) as tess_paraview_run.
 */
TESS_MUST_CHECK tess_status tess_mesh_picture_render(tess_mesh *mesh, const char *png);
