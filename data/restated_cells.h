/* Restated cells: what a file says of one cell several times. */
#pragma once

#include "data/mesh_faults.h"

/* Makes cells with the same nodes in different regions one cell, of the first, where `faults` say
 * that there are such; *n_cells: how many have gone. A warning counts them. */
TESS_MUST_CHECK tess_status tess_restated_cells_unite(tess_mesh *mesh,
                                                      const tess_mesh_faults *faults,
                                                      int64_t *n_cells);
