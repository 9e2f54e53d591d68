/* A cell type: its nodes, edges and faces, in VTK's order of nodes. */
#pragma once

#include "core/mesh/mesh.h"

enum { TESS_CELL_TYPES = 6, TESS_CELL_NODES_MAX = 8, TESS_CELL_EDGES_MAX = 12 };

typedef struct tess_cell_type {
    const char *set; /* "tris": the name of the set of such cells */
    int dimension;
    int vtk; /* VTK's number of the type */
    int n_nodes, n_edges, n_faces;
    signed char edge[12][2]; /* local nodes of each edge; in 2D in order around the cell */
    signed char face[6][4];  /* local nodes around each face, -1 last where it is a triangle; 3D */
} tess_cell_type;

/* tris, quads, tets, pyramids, prisms, hexes. */
extern const tess_cell_type tess_cell_types[TESS_CELL_TYPES];

/* Finds the type of the set `name` ("tris"), or of cells with `n_nodes` nodes; NULL when none is.
 */
const tess_cell_type *tess_cell_type_of_set(const char *name);
const tess_cell_type *tess_cell_type_of_size(int dimension, int n_nodes);

/* Nodes around a face: 3 or 4. */
int tess_cell_face_size(const tess_cell_type *type, int face);
