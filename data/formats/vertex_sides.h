/* Vertex sides: the sides of cells at the boundary all of whose nodes are in a group of nodes. */
#pragma once

#include "data/formats/elements.h"

/* A node in a group. */
typedef struct tess_grouped_node {
    int32_t node, group;
} tess_grouped_node;

typedef struct tess_vertex_groups {
    int64_t n, capacity;
    tess_grouped_node *nodes; /* [n], in any order; owned */
} tess_vertex_groups;

TESS_MUST_CHECK tess_status tess_vertex_groups_add(tess_vertex_groups *groups, int64_t node,
                                                   int32_t group);

/* Polygons beside the elements: cells of two dimensions, or sides of polyhedra. */
typedef struct tess_vertex_polygons {
    int dimension; /* of the cells */
    const tess_jagged_array *rings;
    const int32_t *beyond; /* [rings->n]: of sides, the cell on the other side, or -1 */
} tess_vertex_polygons;

/* Appends to the elements, of n_nodes nodes, each side of one cell whose nodes are all in a group,
 * once for each such group, with it as marker; the nodes are sorted then. */
TESS_MUST_CHECK tess_status tess_vertex_sides_append(tess_vertex_groups *groups, int64_t n_nodes,
                                                     const tess_vertex_polygons *polygons,
                                                     tess_elements *elements);
void tess_vertex_groups_clear(tess_vertex_groups *groups);
