/* Polytopes as pieces: polygons are themselves; of polyhedra there is a cone from each part of each
 * face to the centroid. */
#pragma once

#include "core/base/buckets.h"
#include "core/mesh/polytopes.h"
#include "viz/view_pieces.h"

/* Sites of polytopes, behind the nodes of the mesh and the centroids of cells: the middles of their
 * sides; in 3D those of edges, where nodes are shown. */
typedef struct tess_view_polytopes {
    tess_polytopes cells;
    tess_rows *rings;    /* of polygons, unless nodes are shown: the nodes around them */
    int64_t n_edges;     /* 3D, where nodes are shown: of faces, and ... */
    int32_t *edge_of;    /* [start[n_sides]]: the edge from each node of each face on, */
    int32_t (*edge)[2];  /* [n_edges]: their nodes, */
    int64_t *start;      /* [n_sides + 1]: where each face begins in edge_of */
    tess_buckets around; /* [n_nodes], where nodes are shown: the ends of edges there */
} tess_view_polytopes;

/* Prepares the polytopes of a mesh, where it has such (cells.dimension); `nodes`: their corners are
 * shown. The caller releases them. */
TESS_MUST_CHECK tess_status tess_view_polytopes_build(const tess_mesh *mesh, bool nodes,
                                                      tess_view_polytopes *out);
void tess_view_polytopes_release(tess_view_polytopes *polytopes);

/* How many sites there are behind those of nodes and centroids; the nodes of which site i is the
 * middle, n of them. */
int64_t tess_view_polytopes_sites(const tess_view_polytopes *polytopes);
const int32_t *tess_view_polytopes_middle(const tess_view_polytopes *polytopes, int64_t i, int *n);

/* Append the pieces of a cell, of a face towards a cell, of a node in all cells round it (none
 * where no cell has it). */
void tess_view_polytopes_cell(const tess_view_polytopes *polytopes, int64_t cell,
                              tess_view_pieces *pieces);
void tess_view_polytopes_cone(const tess_view_polytopes *polytopes, int64_t side, int32_t cell,
                              tess_view_pieces *pieces);
void tess_view_polytopes_node(const tess_view_polytopes *polytopes, int64_t node,
                              tess_view_pieces *pieces);
