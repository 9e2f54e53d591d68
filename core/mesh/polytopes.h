/* Polytopes: cells that a mesh states by their sides, not by their nodes: polygons by their edges,
 * polyhedra by their faces. */
#pragma once

#include "core/base/rows.h"
#include "core/mesh/mesh.h"

typedef struct tess_polytopes {
    int dimension;            /* 2: sides are edges; 3: they are faces; 0: there are none */
    int64_t n_cells, n_nodes; /* of the mesh */
    int64_t n_inner, n_sides; /* sides between two cells come first, then those of the boundary */
    const tess_map *of_nodes[2]; /* nodes of both kinds, the mesh's; the second NULL where there is
                                    no boundary */
    const tess_map *of_cells[2]; /* cells on both sides, likewise */
    const int32_t *marker[2];    /* of both kinds, the mesh's; NULL where it has none */
    int n_markers;
    tess_rows *sides; /* [n_cells]: of each cell, ascending; owned */
} tess_polytopes;

/* Finds the polytopes of a mesh, which outlives them: none where its cells have nodes, or no sides
 * whose nodes are known. Fails (INPUT) on sides of more than two cells. */
TESS_MUST_CHECK tess_status tess_polytopes_build(const tess_mesh *mesh, tess_polytopes *out);
void tess_polytopes_release(tess_polytopes *polytopes);

/* The nodes around a side, n of them: of a face as they are seen from outside of the first cell. */
static inline const int32_t *tess_polytope_side(const tess_polytopes *polytopes, int64_t side,
                                                int *n) {
    const bool outer = side >= polytopes->n_inner;
    const tess_map *map = polytopes->of_nodes[outer];
    const int32_t *nodes =
        map->index + (side - (outer ? polytopes->n_inner : 0)) * (int64_t)map->arity;
    for (*n = map->arity; *n > 0 && nodes[*n - 1] < 0;)
        --*n;
    return nodes;
}

/* The marker of a side, -1: none. */
static inline int32_t tess_polytope_marker(const tess_polytopes *polytopes, int64_t side) {
    const bool outer = side >= polytopes->n_inner;
    const int32_t *of = polytopes->marker[outer];
    const int32_t marker = of ? of[side - (outer ? polytopes->n_inner : 0)] : -1;
    return marker < polytopes->n_markers ? marker : -1;
}

/* The cells on both sides of a side, -1 for none. */
static inline void tess_polytope_cells(const tess_polytopes *polytopes, int64_t side,
                                       int32_t cells[2]) {
    const bool outer = side >= polytopes->n_inner;
    const tess_map *map = polytopes->of_cells[outer];
    const int32_t *row =
        map->index + (side - (outer ? polytopes->n_inner : 0)) * (int64_t)map->arity;
    cells[0] = row[0];
    cells[1] = map->arity > 1 ? row[1] : -1;
}

/* Gives the nodes of each cell [n_cells], ascending; the caller frees them. */
TESS_MUST_CHECK tess_status tess_polytope_nodes(const tess_polytopes *polytopes, tess_rows **out);

/* Gives the nodes around each polygon [n_cells] in the order of its edges, the first edge's first.
 * A row is empty where the edges are no single ring. The caller frees them. */
TESS_MUST_CHECK tess_status tess_polygon_rings(const tess_polytopes *polytopes, tess_rows **out);
