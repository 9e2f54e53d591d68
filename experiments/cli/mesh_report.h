/* A report of a mesh: its sets, extent, markers, maps and warnings, for people or as JSON. */
#ifndef TESS_MESH_REPORT_H
#define TESS_MESH_REPORT_H

#include "core/mesh/mesh.h"

/* Prints on stdout; with `maps` every map that the mesh has and can have. */
TESS_MUST_CHECK tess_status tess_mesh_report_print(const tess_mesh *mesh, bool maps);

/* Prints one object on stdout: schema "tess.mesh/1". */
TESS_MUST_CHECK tess_status tess_mesh_report_json(const tess_mesh *mesh);

#endif
