/* A ring list: cells or boundary elements of any number of nodes, in the order of the file. */
#pragma once

#include "core/base/status.h"
#include <stdint.h>

/* A polygon, which is one ring of nodes, or a polyhedron, the rings of its faces. */
typedef struct tess_polygon_list {
    int dimension; /* 2 or 3 */
    int32_t marker;
    int64_t n;            /* rings */
    const int64_t *start; /* [n + 1]: of each in nodes */
    const int32_t *nodes;
} tess_polygon_list;

typedef struct tess_ring_list {
    int64_t size, n_rings;
    int64_t first_capacity, start_capacity, nodes_capacity, marker_capacity, ordinal_capacity;
    int64_t *first;   /* [size + 1]: the rings of each; NULL while there are none; owned */
    int64_t *start;   /* [n_rings + 1]: the nodes of each ring; owned */
    int32_t *nodes;   /* [start[n_rings]]; owned */
    int32_t *marker;  /* [size]; owned */
    int32_t *ordinal; /* [size]: place among all elements of this dimension; owned */
} tess_ring_list;

TESS_MUST_CHECK tess_status tess_ring_list_append(tess_ring_list *list,
                                                  const tess_polygon_list *added, int32_t ordinal);
void tess_ring_list_clear(tess_ring_list *list);
