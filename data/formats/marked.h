/* Marked elements of the boundary, of whichever sets a mesh has them in. */
#pragma once

#include "core/mesh/mesh.h"

/* Boundary elements with their markers, of whichever sets the mesh has them in: marked_edges,
 * marked_tris and marked_quads, or bedges with a dat `bound` (then the marker is its value). */
typedef struct tess_marked {
    int64_t n;
    int n_markers;
    int32_t *nodes;  /* [n][4], -1 behind the last */
    int32_t *marker; /* [n], each in [0, n_markers) */
    char **names;    /* [n_markers] */
} tess_marked;

TESS_MUST_CHECK tess_status tess_marked_build(const tess_mesh *mesh, tess_marked *out);
void tess_marked_release(tess_marked *marked);

/* How many nodes an element of [4] has: 2, 3 or 4. */
int tess_marked_size(const int32_t nodes[4]);
