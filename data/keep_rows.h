/* Rows that are kept: some elements of a set are left out of a mesh. */
#pragma once

#include "core/mesh/mesh.h"

/* Leaves out the elements of a set that have no `keep`, from its maps and dats; maps to the set are
 * renumbered, and none may lead to an element that goes. */
TESS_MUST_CHECK tess_status tess_mesh_keep_rows(tess_mesh *mesh, int set, const bool *keep);
