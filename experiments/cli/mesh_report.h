/* A report of a mesh: its sets, extent, markers, maps and warnings, for people or as JSON. */
#pragma once

#include "data/mesh_faults.h"

/* Prints on stdout; with `maps` every map that the mesh has and can have. */
TESS_MUST_CHECK tess_status tess_mesh_report_print(const tess_mesh *mesh, bool maps);

/* Prints one object on stdout: schema "tess.mesh/1". */
TESS_MUST_CHECK tess_status tess_mesh_report_json(const tess_mesh *mesh);

/* Print the faults of a mesh on stdout, a line each, or as one object: schema "tess.mesh_check/1".
 */
void tess_mesh_faults_print(const tess_mesh *mesh, const tess_mesh_faults *faults);
TESS_MUST_CHECK tess_status tess_mesh_faults_json(const tess_mesh *mesh,
                                                  const tess_mesh_faults *faults);
