/* Foam faces: the faces of a mesh as OpenFOAM numbers them, each once, with its cells and patch. */
#pragma once

#include "core/mesh/facets.h"
#include "core/mesh/polytopes.h"
#include "data/formats/marked.h"

/* A face between two cells, of which the owner is the lower, or of one at the boundary. */
typedef struct tess_foam_face {
    int32_t patch; /* -1: between two cells */
    int32_t owner, neighbour;
    int64_t from; /* half of its owner, or side of the polytopes */
} tess_foam_face;

/* Inner faces come first, by owner, then by neighbour: upper triangular; then those at the boundary
 * by patch and owner. */
typedef struct tess_foam_faces {
    const tess_mesh *mesh;
    tess_facets facets;       /* of cells of fixed numbers of nodes ... */
    tess_polytopes polytopes; /* ... or polyhedra */
    int64_t n, n_inner;
    tess_foam_face *faces; /* [n]; owned */
    int64_t n_bare;        /* at the boundary without a marker: the patch behind the markers' */
    int64_t *n_left_out;   /* [markers]: marked faces that no patch can have, for they lie between
                              cells, or are in another patch; owned */
} tess_foam_faces;

/* Finds the faces of a mesh whose cells have three dimensions; the caller releases them, the mesh
 * and its cells outlive them. Fails (INPUT) on a face of more than two cells. */
TESS_MUST_CHECK tess_status tess_foam_faces_build(const tess_mesh *mesh, const tess_cells *cells,
                                                  const tess_marked *marked, tess_foam_faces *out);
void tess_foam_faces_release(tess_foam_faces *faces);

/* Gives the nodes around a face, whose normal leaves the owner, and how many, in room for so many:
 * tess_foam_faces_most. */
int tess_foam_face_nodes(const tess_foam_faces *faces, const tess_foam_face *face, int32_t *nodes);
int tess_foam_faces_most(const tess_foam_faces *faces);
