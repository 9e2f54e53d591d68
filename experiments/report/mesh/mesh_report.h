/* A report of a mesh: its sets, extent, markers, maps and warnings, for people or as JSON. */
#pragma once

#include "data/mesh_faults.h"
#include <jansson.h>

/* Prints on stdout; with `maps` every map that the mesh has and can have. */
TESS_MUST_CHECK tess_status tess_mesh_report_print(const tess_mesh *mesh, bool maps);

/* Gives one object, the caller's: schema "tess.mesh/1". */
TESS_MUST_CHECK tess_status tess_mesh_report_json(const tess_mesh *mesh, json_t **out);

/* Prints the faults of a mesh on stdout, a line each. */
void tess_mesh_faults_print(const tess_mesh_faults *faults);
/* The faults as an array, or NULL when out of memory. */
json_t *tess_mesh_faults_array(const tess_mesh_faults *faults);
