/* A dual mesh: the cells that median planes cut around the nodes of a mesh of any cells. */
#include "kernels/applications/dual_mesh.h"

#include "core/base/array.h"
#include "core/mesh/facets.h"
#include <math.h>
#include <stdlib.h>

/* Where the edges of each left node begin. */
typedef struct edge_rows {
    const int32_t *nodes; /* [edges][2] */
    int64_t *offset;      /* [nodes + 1] */
} edge_rows;

static tess_status edge_rows_build(const tess_map *edges, int64_t n, int64_t n_nodes,
                                   edge_rows *rows) {
    rows->nodes = edges->index;
    TRY(TESS_ZEROS(n_nodes + 1, &rows->offset));
    for (int64_t e = 0; e < n; e++)
        rows->offset[rows->nodes[2 * e] + 1]++;
    for (int64_t i = 0; i < n_nodes; i++)
        rows->offset[i + 1] += rows->offset[i];
    return TESS_OK;
}

/* The edge between two nodes, which exists; a node has few. */
static int64_t edge_find(const edge_rows *rows, int32_t left, int32_t right) {
    int64_t e = rows->offset[left];
    while (rows->nodes[2 * e + 1] != right)
        e++;
    return e;
}

/* The face of a type in whose outward order node a comes right before b. */
static int face_along(const tess_cell_type *type, int a, int b) {
    for (int f = 0; f < type->n_faces; f++) {
        const int n = tess_cell_face_size(type, f);
        for (int i = 0; i < n; i++)
            if (type->face[f][i] == a && type->face[f][(i + 1) % n] == b)
                return f;
    }
    return -1;
}

static void middle_of(const double *x, const int32_t *nodes, const signed char *local, int n,
                      double *middle) {
    for (int d = 0; d < 3; d++) {
        middle[d] = 0;
        for (int i = 0; i < n; i++)
            middle[d] += x[3 * (int64_t)nodes[local ? local[i] : i] + d] / n;
    }
}

/* Half the cross product of q - p and s - r. */
static void area_of(const double *p, const double *q, const double *r, const double *s,
                    double *area) {
    for (int d = 0; d < 3; d++) {
        const int e = (d + 1) % 3, f = (d + 2) % 3;
        area[d] = 0.5 * ((q[e] - p[e]) * (s[f] - r[f]) - (q[f] - p[f]) * (s[e] - r[e]));
    }
}

/* Adds the dual faces of a cell's edges; gives its volume. */
static double add_cell(const double *x, const tess_cell_type *type, const int32_t *nodes,
                       const edge_rows *rows, tess_dual_mesh *dual) {
    double centre[3], volume = 0;
    middle_of(x, nodes, NULL, type->n_nodes, centre);
    for (int e = 0; e < type->n_edges; e++) {
        const int a = type->edge[e][0], b = type->edge[e][1];
        const int l = face_along(type, a, b), r = face_along(type, b, a);
        double left[3], right[3], middle[3], area[3], along = 0;
        middle_of(x, nodes, type->face[l], tess_cell_face_size(type, l), left);
        middle_of(x, nodes, type->face[r], tess_cell_face_size(type, r), right);
        middle_of(x, nodes, type->edge[e], 2, middle);
        area_of(left, right, middle, centre, area);
        const bool turned = nodes[a] > nodes[b];
        const int64_t edge =
            turned ? edge_find(rows, nodes[b], nodes[a]) : edge_find(rows, nodes[a], nodes[b]);
        for (int d = 0; d < 3; d++) {
            dual->normal[4 * edge + d] += turned ? -area[d] : area[d];
            along += area[d] * (x[3 * (int64_t)nodes[b] + d] - x[3 * (int64_t)nodes[a] + d]);
        }
        volume += along / 3; /* two pyramids over the dual face, as high as the edge */
    }
    return volume;
}

static tess_status add_cells(const tess_mesh *mesh, const tess_cells *cells, const edge_rows *rows,
                             tess_dual_mesh *dual) {
    for (int64_t cell = 0; cell < cells->n_cells; cell++) {
        const tess_cell_type *type = NULL;
        const int32_t *nodes = tess_cell_nodes(cells, cell, &type);
        const double volume = add_cell(mesh->coordinates, type, nodes, rows, dual);
        if (!(volume > 0))
            FAIL(TESS_ERROR_INPUT,
                 "%s: cell %lld, of %s, has the volume %g: its nodes turn the wrong way, it is "
                 "flat, "
                 "or it lies between periodic sides that are joined",
                 mesh->source, (long long)cell, type->set, volume);
    }
    return TESS_OK;
}

/* Areas and unit normals of the vectors that were summed. */
static void normalise(tess_dual_mesh *dual) {
    for (int64_t e = 0; e < dual->n_edges; e++) {
        double *n = dual->normal + 4 * e;
        n[3] = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int d = 0; d < 3 && n[3] > 0; d++)
            n[d] /= n[3];
    }
}

/* Gram and Schmidt on the columns dx, dy, dz of each node's edges, in three sums over the edges:
 * one for r11 r12 r13, one for r22 r23, one for r33. A node of no edge gets R = I. */
static void factorise(const double *x, const edge_rows *rows, tess_dual_mesh *dual) {
    double *r = dual->factors;
    for (int turn = 0; turn < 3; turn++) {
        for (int64_t i = 0; i < 2 * dual->n_edges; i++) {
            const int64_t at = rows->nodes[i], to = rows->nodes[i ^ 1];
            const double *own = r + 6 * at;
            double d[3];
            for (int k = 0; k < 3; k++)
                d[k] = x[3 * to + k] - x[3 * at + k];
            const double y = turn ? d[1] - own[1] / own[0] * d[0] : 0;
            const double z = turn ? d[2] - own[2] / own[0] * d[0] : 0;
            const double last = turn == 2 ? z - own[4] / own[3] * y : 0;
            const double terms[3][6] = {{d[0] * d[0], d[0] * d[1], d[0] * d[2], 0, 0, 0},
                                        {0, 0, 0, y * y, y * z, 0},
                                        {0, 0, 0, 0, 0, last * last}};
            for (int k = 0; k < 6; k++)
                r[6 * at + k] += terms[turn][k];
        }
        const int first = turn == 0   ? 0
                          : turn == 1 ? 3
                                      : 5,
                  end = turn == 0   ? 3
                        : turn == 1 ? 5
                                    : 6;
        for (int64_t at = 0; at < dual->n_nodes; at++) {
            double *own = r + 6 * at;
            own[first] = own[first] > 0 ? sqrt(own[first]) : 1;
            for (int k = first + 1; k < end; k++)
                own[k] /= own[first];
        }
    }
}

/* Where nodes on the boundary are put down. */
typedef struct outer_search {
    const tess_facets *facets;
    bool *outer;
} outer_search;

/* A face that one cell has. */
static void outer_visit(void *context, const uint64_t *halves, int64_t n) {
    const outer_search *search = context;
    int32_t nodes[TESS_FACET_NODES_MAX] = {0};
    if (n != 1)
        return;
    const int n_nodes = tess_facet_of_half(search->facets, (int64_t)halves[0], nodes);
    for (int i = 0; i < n_nodes; i++)
        __atomic_store_n(&search->outer[nodes[i]], true, __ATOMIC_RELAXED);
}

static tess_status find_outer(const tess_cells *cells, bool *outer) {
    const tess_facets facets = tess_facets_of(cells, TESS_FACET_FACES);
    outer_search search = {&facets, outer};
    return tess_facets_visit(&facets, outer_visit, &search);
}

tess_status tess_dual_mesh_build(const tess_mesh *mesh, tess_dual_mesh *out) {
    tess_status status = TESS_OK;
    tess_cells cells = {.n_cells = 0};
    edge_rows rows = {.offset = NULL};
    const tess_map *edges = tess_mesh_find_map(mesh, "left_edges:nodes");
    tess_dual_mesh dual = {.n_nodes = tess_mesh_set_size(mesh, "nodes"),
                           .n_edges = mesh->sets[edges->from].size};
    CHECK(tess_cells_build(mesh, &cells));
    CHECK(edge_rows_build(edges, dual.n_edges, dual.n_nodes, &rows));
    CHECK(TESS_ZEROS(4 * dual.n_edges, &dual.normal));
    CHECK(TESS_ZEROS(6 * dual.n_nodes, &dual.factors));
    CHECK(TESS_ZEROS(dual.n_nodes, &dual.outer));
    CHECK(add_cells(mesh, &cells, &rows, &dual));
    normalise(&dual);
    factorise(mesh->coordinates, &rows, &dual);
    CHECK(find_outer(&cells, dual.outer));
    *out = dual;
    dual = (tess_dual_mesh){.n_nodes = 0};
done:
    free(rows.offset);
    tess_cells_release(&cells);
    tess_dual_mesh_clear(&dual);
    return status;
}

void tess_dual_mesh_clear(tess_dual_mesh *dual) {
    free(dual->normal);
    free(dual->factors);
    free(dual->outer);
    *dual = (tess_dual_mesh){.n_nodes = 0};
}
