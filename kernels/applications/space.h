/* Space: the geometry of cells and faces that applications on 3D meshes of any cell type share. */
#pragma once

#include "core/mesh/mesh.h"

typedef struct tess_space {
    int64_t n_cells, n_faces;
    double *centre; /* [n_cells][3] */
    double *volume; /* [n_cells] */
    double *face;   /* [n_faces][6]: the face's middle, its area vector out of cell 0 */
    double *wall;   /* [n_cells][3]: area vector of what of the cell lies on the boundary */
} tess_space;

/* Fails (USAGE) where neither cells nor their faces have nodes, of which the geometry is found. */
TESS_MUST_CHECK tess_status tess_space_bind(tess_mesh *mesh);

/* Computes the geometry of a 3D mesh that has faces:cells and is bound, whatever the orientation of
 * its cells. The caller clears it. */
TESS_MUST_CHECK tess_status tess_space_build(const tess_mesh *mesh, tess_space *out);
void tess_space_clear(tess_space *space);
