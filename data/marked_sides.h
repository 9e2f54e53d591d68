/* Marked sides of a mesh, found by their nodes: which of them are sides of cells, and which are
 * stated again. */
#pragma once

#include "core/mesh/cells.h"

typedef struct tess_marked_sides tess_marked_sides;

/* Finds the marked sides, of which none is a side of a cell yet; NULL where there are none. */
TESS_MUST_CHECK tess_status tess_marked_sides_build(const tess_mesh *mesh, tess_marked_sides **out);
/* [nodes]: 1 where some marked side has the node. */
const uint8_t *tess_marked_sides_nodes(const tess_marked_sides *marked);
/* Notes which of them are sides of a cell; threads may do so together. Only cells that have as many
 * nodes of marked sides as they have dimensions need to be looked at. */
void tess_marked_sides_note(tess_marked_sides *marked, const tess_cell_type *type,
                            const int32_t *nodes);
/* Leaves out of the mesh those that are sides of no cell that was noted, and those that have their
 * marker already; a warning counts each kind. Sides with several markers stay, once for each. */
TESS_MUST_CHECK tess_status tess_marked_sides_drop(const tess_marked_sides *marked,
                                                   tess_mesh *mesh);
void tess_marked_sides_free(tess_marked_sides *marked);
