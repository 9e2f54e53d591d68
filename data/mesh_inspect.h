/* An inspection: what is odd about a mesh that was read, said in its warnings, and what its file
 * says twice put right. */
#pragma once

#include "core/mesh/mesh.h"

/* Makes one what a file states several times, and leaves out marked sides of no cell
 * (data/restated_cells.h, data/marked_sides.h). Adds warnings, each with a count and the first
 * case, about cells that have a node twice, cells two of whose nodes lie at the same place, cells
 * with the same nodes as another one, and nodes of no cell. Parallel, and the same result on any
 * number of threads. */
TESS_MUST_CHECK tess_status tess_mesh_inspect(tess_mesh *mesh);
