/* Merged nodes: nodes that lie near one another become one. */
#include "data/merge_nodes.h"

#include "core/base/array.h"
#include "data/keep_rows.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Nodes in boxes as wide as the tolerance, found by their box. */
typedef struct node_boxes {
    const tess_mesh *mesh;
    int64_t n, n_heads; /* n_heads: a power of two */
    double tolerance;   /* 0: boxes are places */
    double low[3];
    int32_t *head; /* [n_heads]: the last node entered of those with a hash, -1: none; owned */
    int32_t *next; /* [n]: the one before it; owned */
} node_boxes;

typedef struct node_box {
    int64_t at[3]; /* of a place the bits of its coordinates */
} node_box;

static node_box box_of(const node_boxes *boxes, int64_t node) {
    const int dimension = boxes->mesh->dimension;
    node_box box = {{0}};
    for (int axis = 0; axis < dimension; axis++) {
        const double x = boxes->mesh->coordinates[node * dimension + axis] + 0.0; /* no -0 */
        if (boxes->tolerance > 0)
            box.at[axis] = (int64_t)floor((x - boxes->low[axis]) / boxes->tolerance);
        else
            memcpy(&box.at[axis], &x, sizeof x);
    }
    return box;
}

static int32_t *head_of(const node_boxes *boxes, const node_box *box) {
    uint64_t hash = 0;
    for (int axis = 0; axis < 3; axis++) {
        hash = (hash ^ (uint64_t)box->at[axis]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return &boxes->head[hash & (uint64_t)(boxes->n_heads - 1)];
}

static bool are_near(const node_boxes *boxes, int64_t a, int64_t b) {
    const int dimension = boxes->mesh->dimension;
    const double *x = boxes->mesh->coordinates;
    double sum = 0;
    for (int axis = 0; axis < dimension; axis++) {
        const double along = x[a * dimension + axis] - x[b * dimension + axis];
        sum += along * along;
    }
    return sum <= boxes->tolerance * boxes->tolerance;
}

/* The lowest entered node near `node`, or -1: it is in its box or one beside it.
 */
static int32_t find_near(const node_boxes *boxes, int64_t node) {
    const node_box own = box_of(boxes, node);
    const int reach = boxes->tolerance > 0, reach_z = reach && boxes->mesh->dimension == 3;
    int32_t found = -1;
    for (int i = -reach; i <= reach; i++)
        for (int j = -reach; j <= reach; j++)
            for (int k = -reach_z; k <= reach_z; k++) {
                const node_box box = {{own.at[0] + i, own.at[1] + j, own.at[2] + k}};
                for (int32_t at = *head_of(boxes, &box); at >= 0; at = boxes->next[at])
                    if ((found < 0 || at < found) && are_near(boxes, node, at))
                        found = at;
            }
    return found;
}

static void enter(node_boxes *boxes, int32_t node) {
    const node_box box = box_of(boxes, node);
    int32_t *head = head_of(boxes, &box);
    boxes->next[node] = *head;
    *head = node;
}

/* Gives the node that each becomes [n], itself or a lower one, the caller's; and how many go. */
static tess_status find_merged(const tess_mesh *mesh, double tolerance, int32_t **out,
                               int64_t *n_gone) {
    tess_status status = TESS_OK;
    node_boxes boxes = {.mesh = mesh,
                        .n = mesh->coordinates ? tess_mesh_set_size(mesh, "nodes") : 0,
                        .n_heads = 256,
                        .low = {INFINITY, INFINITY, INFINITY}};
    double extent = 0;
    for (int axis = 0; axis < mesh->dimension; axis++) {
        double high = -INFINITY;
        for (int64_t i = 0; i < boxes.n; i++) {
            const double x = mesh->coordinates[i * mesh->dimension + axis];
            boxes.low[axis] = fmin(boxes.low[axis], x);
            high = fmax(high, x);
        }
        extent = fmax(extent, high - boxes.low[axis]);
    }
    boxes.tolerance = tolerance > extent / INT32_MAX ? tolerance : 0; /* smaller boxes are places */
    while (boxes.n_heads < boxes.n)
        boxes.n_heads *= 2;
    CHECK(TESS_ALLOC(boxes.n_heads, &boxes.head));
    CHECK(TESS_ALLOC(boxes.n, &boxes.next));
    CHECK(TESS_ALLOC(boxes.n, out));
    memset(boxes.head, 0xff, (size_t)boxes.n_heads * sizeof *boxes.head);
    *n_gone = 0;
    for (int64_t node = 0; node < boxes.n; node++) {
        const int32_t near = find_near(&boxes, node);
        (*out)[node] = near < 0 ? (int32_t)node : near;
        *n_gone += near >= 0;
        if (near < 0)
            enter(&boxes, (int32_t)node);
    }
done:
    free(boxes.head);
    free(boxes.next);
    return status;
}

tess_status tess_mesh_count_twins(const tess_mesh *mesh, int64_t *n) {
    int32_t *merged = NULL;
    const tess_status status = find_merged(mesh, 0, &merged, n);
    free(merged);
    return status;
}

/* Packs the coordinates of the nodes that are kept. */
static void pack_coordinates(tess_mesh *mesh, int64_t n, const bool *keep) {
    double *to = mesh->coordinates;
    for (int64_t i = 0; i < n; i++)
        if (keep[i]) {
            memmove(to, mesh->coordinates + i * mesh->dimension,
                    (size_t)mesh->dimension * sizeof *to);
            to += mesh->dimension;
        }
}

tess_status tess_mesh_merge_nodes(tess_mesh *mesh, double tolerance) {
    tess_status status = TESS_OK;
    const int nodes = tess_mesh_find_set(mesh, "nodes");
    const int64_t n = nodes < 0 || !mesh->coordinates ? 0 : mesh->sets[nodes].size;
    int32_t *merged = NULL;
    bool *keep = NULL;
    int64_t n_gone = 0;
    CHECK(find_merged(mesh, tolerance, &merged, &n_gone));
    CHECK(TESS_ALLOC(n, &keep));
    for (int64_t i = 0; i < n; i++)
        keep[i] = merged[i] == i;
    for (int m = 0; m < mesh->n_maps && n_gone; m++) {
        const tess_map *map = &mesh->maps[m];
        const int64_t n_index = mesh->sets[map->from].size * map->arity;
        for (int64_t i = 0; i < n_index && map->to == nodes; i++)
            map->index[i] = map->index[i] < 0 ? -1 : merged[map->index[i]];
    }
    if (n_gone) {
        pack_coordinates(mesh, n, keep);
        CHECK(tess_mesh_keep_rows(mesh, nodes, keep));
        memset(mesh->shape, 0, sizeof mesh->shape);
    }
    CHECK(tess_mesh_warn(mesh,
                         "%" PRId64 " of %" PRId64 " nodes became one with another: they lie "
                         "within %g of it",
                         n_gone, n, tolerance));
done:
    free(merged);
    free(keep);
    return status;
}
