/* Cell sides: of which cell a marked element is a side, and which of its sides. */
#pragma once

#include "core/mesh/facets.h"
#include "data/formats/marked.h"

/* Gives for each marked element the lowest half (core/mesh/facets.h) of `facets` that has its
 * nodes, -1 where it is a side of no cell: [marked->n], the caller's. */
TESS_MUST_CHECK tess_status tess_cell_sides_find(const tess_facets *facets,
                                                 const tess_marked *marked, int64_t **out);
