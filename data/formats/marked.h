/* Marked elements of the boundary, of whichever sets a mesh has them in, and regions of cells. */
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
    int32_t *tags;   /* [n_markers], positive, each once: those of their file where they are so */
    /* and the cells' regions: */
    int n_regions;
    char **region_names;      /* [n_regions] */
    int32_t *region_tags;     /* [n_regions], likewise */
    const int32_t *region_of; /* [cells], -1 for none, the mesh's; NULL where there are none */
} tess_marked;

TESS_MUST_CHECK tess_status tess_marked_build(const tess_mesh *mesh, tess_marked *out);
/* Leaves out the regions. */
void tess_marked_drop_regions(tess_marked *marked);
void tess_marked_release(tess_marked *marked);

/* How many nodes an element of [4] has: 2, 3 or 4. */
int tess_marked_size(const int32_t nodes[4]);
