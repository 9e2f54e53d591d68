/* Restated elements: what a file says of one element several times, or of no element at all. */
#pragma once

#include "data/mesh_faults.h"

/* Makes cells with the same nodes in different regions one cell, of the first, where `faults` say
 * that there are such; *n_cells: how many have gone. A warning counts them. */
TESS_MUST_CHECK tess_status tess_restated_cells_unite(tess_mesh *mesh,
                                                      const tess_mesh_faults *faults,
                                                      int64_t *n_cells);

/* Leaves out marked sides that are sides of no cell, and those that have their marker already; a
 * warning counts each kind. Sides with several markers stay, once for each. */
TESS_MUST_CHECK tess_status tess_restated_sides_drop(tess_mesh *mesh);
