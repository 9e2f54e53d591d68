/* Joined nodes: one of the copies that the pieces of a mesh have of the nodes between them. */
#include "data/formats/joined_nodes.h"

#include "core/base/array.h"
#include <stdlib.h>
#include <string.h>

typedef struct placed_node {
    double x[3];
    int32_t piece, node;
} placed_node;

/* By place, then by node: the nodes of a piece ascend. */
static int compare_places(const void *left, const void *right) {
    const placed_node *a = left, *b = right;
    for (int axis = 0; axis < 3; axis++)
        if (a->x[axis] != b->x[axis])
            return a->x[axis] < b->x[axis] ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

static bool same_position(const placed_node *a, const placed_node *b) {
    return a->x[0] == b->x[0] && a->x[1] == b->x[1] && a->x[2] == b->x[2];
}

/* Of n nodes at one place, the k-th of a piece becomes the k-th of the first piece that has as
 * many. Scratch: first_of [n]. */
static void join_place(const placed_node *nodes, int64_t n, int32_t *first_of, int32_t *joined) {
    int64_t n_first = 0, rank = 0;
    for (int64_t i = 0; i < n; i++) {
        rank = i > 0 && nodes[i].piece == nodes[i - 1].piece ? rank + 1 : 0;
        if (rank == n_first)
            first_of[n_first++] = nodes[i].node;
        joined[nodes[i].node] = first_of[rank];
    }
}

/* Fills joined [nodes]: the node that each becomes, itself or a lower one. */
static tess_status find_joined(const tess_pieces *pieces, const double *x, int32_t *joined) {
    const int64_t n = pieces->first_node[pieces->n_pieces];
    tess_status status = TESS_OK;
    placed_node *nodes = NULL;
    int32_t *first_of = NULL;
    CHECK(TESS_ALLOC(n, &nodes));
    CHECK(TESS_ALLOC(n, &first_of));
    for (int64_t piece = 0; piece < pieces->n_pieces; piece++)
        for (int64_t i = pieces->first_node[piece]; i < pieces->first_node[piece + 1]; i++) {
            nodes[i] = (placed_node){.piece = (int32_t)piece, .node = (int32_t)i};
            memcpy(nodes[i].x, x + 3 * i, sizeof nodes[i].x);
        }
    qsort(nodes, (size_t)n, sizeof *nodes, compare_places);
    for (int64_t first = 0, end = 0; first < n; first = end) {
        while (end < n && same_position(&nodes[first], &nodes[end]))
            end++;
        join_place(nodes + first, end - first, first_of, joined);
    }
done:
    free(nodes);
    free(first_of);
    return status;
}

tess_status tess_joined_nodes_pack(tess_grouped *grouped, int32_t *joined) {
    const int64_t n = grouped->n_nodes;
    const int dimension = grouped->dimension;
    double *x = grouped->coordinates;
    grouped->n_nodes = 0;
    for (int64_t i = 0; i < n; i++) {
        if (joined[i] < i) {
            joined[i] = joined[joined[i]];
            continue;
        }
        memmove(x + dimension * grouped->n_nodes, x + dimension * i, (size_t)dimension * sizeof *x);
        joined[i] = (int32_t)grouped->n_nodes++;
    }
    for (int type = 0; type < TESS_N_ELEMENT_TYPES; type++) {
        tess_element_list *list = &grouped->elements.lists[type];
        for (int64_t i = 0; i < list->size * tess_element_kinds[type].arity; i++)
            list->nodes[i] = joined[list->nodes[i]];
    }
    const tess_ring_list *polygons = &grouped->elements.polygons;
    for (int64_t i = 0; i < (polygons->size ? polygons->start[polygons->n_rings] : 0); i++)
        polygons->nodes[i] = joined[polygons->nodes[i]];
    return tess_face_list_renumber(&grouped->elements.faces, joined);
}

tess_status tess_joined_nodes(const tess_pieces *pieces, tess_grouped *grouped) {
    const int64_t n = pieces->first_node[pieces->n_pieces];
    int32_t *joined = NULL;
    tess_status status = TESS_OK;
    grouped->n_nodes = n;
    if (pieces->n_pieces < 2)
        return TESS_OK;
    CHECK(TESS_ALLOC(n, &joined));
    CHECK(find_joined(pieces, grouped->coordinates, joined));
    CHECK(tess_joined_nodes_pack(grouped, joined));
done:
    free(joined);
    return status;
}
