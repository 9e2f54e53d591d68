/* Merged nodes: nodes that lie near one another become one. */
#pragma once

#include "core/mesh/mesh.h"

/* Makes each node the lowest one that is not farther away than the tolerance (0: at the same place)
 * and has not become another one itself. A warning says how many have gone; nodes that are left
 * keep their order, places and data. Of a mesh that states the sides of its cells these stay as
 * they are. */
TESS_MUST_CHECK tess_status tess_mesh_merge_nodes(tess_mesh *mesh, double tolerance);

/* How many nodes lie at the place of a lower one. */
TESS_MUST_CHECK tess_status tess_mesh_count_twins(const tess_mesh *mesh, int64_t *n);
