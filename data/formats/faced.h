/* Faced cells: a mesh that states the faces of its cells, not their nodes (OpenFOAM, CGNS's NGON_n,
 * MPAS, polyhedra of VTK). */
#pragma once

#include "core/mesh/mesh.h"

/* Rows of different length: row i is value[start[i]] to value[start[i + 1]]. */
typedef struct tess_ragged {
    int64_t n;
    int64_t *start; /* [n + 1]; owned */
    int32_t *value; /* owned */
} tess_ragged;

typedef struct tess_faced {
    int dimension;             /* of the cells: 3, or 2, where "faces" are edges of two points */
    int64_t n_points, n_inner; /* the first n_inner faces have a neighbour */
    double *points;            /* [n_points][dimension of the mesh]; owned */
    tess_ragged faces;         /* the points around each; the normal leaves the owner */
    int32_t *owner;            /* [faces.n]: a cell, below faces.n; owned */
    int32_t *neighbour;        /* [n_inner]: another cell, below faces.n; owned */
    int32_t *marker;           /* [faces.n - n_inner]: of mesh->markers; -1: none; owned */
} tess_faced;

/* States nodes and cells, and takes the points. Where all cells are tets, pyramids, prisms or hexes
 * their nodes are found, and the mesh is as any other (marked faces become marked tris and quads).
 * Else it has polyhedra, which a warning counts: `faces` (those between cells) and `bfaces` with
 * their maps to cells (lower cell first) and to nodes, padded where faces differ, the dat `marker`
 * on bfaces, and no `cells:nodes`. Cells of two dimensions are polygons: the same with `edges` and
 * `bedges`. Fails (INPUT) where padding would take far more than the faces have. */
TESS_MUST_CHECK tess_status tess_faced_state(tess_faced *faced, tess_mesh *mesh);
/* The same where the mesh has its nodes already: `points` are not looked at. Both take what they
 * need of `faced`, whose arrays become those of the mesh: it can only be cleared then. */
TESS_MUST_CHECK tess_status tess_faced_state_cells(tess_faced *faced, tess_mesh *mesh);
void tess_faced_clear(tess_faced *faced);
