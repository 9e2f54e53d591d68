/* The blocks of a view as points: one for each, with all that is known of it. */
#pragma once

#include "viz/view_mesh.h"

/* Gives a vertex for each block of a view, where its points' mean is, with `explode` likewise, and
 * the view's arrays that are of blocks: `block`, `display_colour`, `block_...`, `rank`; more:
 * `block_neighbours`, how many blocks share a corner with it, and `block_shared`, how many of its
 * corners other blocks have. The caller frees it. */
TESS_MUST_CHECK tess_status tess_view_mesh_of_blocks(const tess_view_mesh *view,
                                                     tess_view_mesh **out);
