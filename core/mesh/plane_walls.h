/* Walls: which sides of a mesh in the plane bound a body, and which the far field. */
#pragma once

#include "core/mesh/mesh.h"

/* As OP2's files have it. */
enum { TESS_PLANE_WALL = 1, TESS_PLANE_FAR_FIELD = 2 };

/* Fills bound [bedges] with what is at each: by the file's dat `bound` if there is one; else by the
 * names of markers (wall, airfoil, body, cylinder, naca ... are walls); else the closed lines of
 * sides that touch the mesh's bounding box are far field, the others walls. */
TESS_MUST_CHECK tess_status tess_plane_walls(const tess_mesh *mesh, int32_t *bound);

typedef struct tess_plane_box {
    double low[2], high[2];
} tess_plane_box;

tess_plane_box tess_plane_box_of(const tess_mesh *mesh);
