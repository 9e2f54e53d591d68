/* How many cells of a mesh are polygons or polyhedra, and no others. */
#pragma once

#include "core/mesh/polytopes.h"

/* Counts the polyhedra beside tets, pyramids, prisms and hexes, and gives the number of the first;
 * in two dimensions the polygons beside triangles and quadrilaterals. Where there are none, all of
 * the cells are stated by their sides: they count. */
TESS_MUST_CHECK tess_status tess_polytopes_count(const tess_polytopes *polytopes, int64_t *n,
                                                 int64_t *first);
