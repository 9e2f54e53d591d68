/* Faced cells: a mesh that states the faces of its cells, not their nodes (OpenFOAM). */
#pragma once

#include "core/mesh/mesh.h"

/* Rows of different length: row i is value[start[i]] to value[start[i + 1]]. */
typedef struct tess_ragged {
    int64_t n;
    int64_t *start; /* [n + 1]; owned */
    int32_t *value; /* owned */
} tess_ragged;

typedef struct tess_faced {
    int64_t n_points, n_inner; /* the first n_inner faces have a neighbour */
    double *points;            /* [n_points][3]; owned */
    tess_ragged faces;         /* the points around each; the normal leaves the owner */
    int32_t *owner;            /* [faces.n]: a cell, below faces.n; owned */
    int32_t *neighbour;        /* [n_inner]: another cell, below faces.n; owned */
    int32_t *marker;           /* [faces.n]: of mesh->markers; -1: none; owned */
} tess_faced;

/* States nodes and cells, and takes the points. Where all cells are tets, pyramids, prisms or hexes
 * their nodes are found, and the mesh is as any other (marked faces become marked tris and quads).
 * Else it has polyhedra, which a warning counts: `faces` (those between cells) and `bfaces` with
 * their maps to cells (lower cell first) and, padded, to nodes, the dat `marker` on bfaces, and no
 * `cells:nodes`. Fails (INPUT) where padding would take far more than the faces have. */
TESS_MUST_CHECK tess_status tess_faced_state(tess_faced *faced, tess_mesh *mesh);
void tess_faced_clear(tess_faced *faced);
