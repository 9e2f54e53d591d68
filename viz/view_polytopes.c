/* Polytopes as pieces: polygons, and cones from the faces of polyhedra to their centroids. */
#include "viz/view_polytopes.h"

#include "core/base/array.h"
#include "core/base/key_order.h"
#include <stdlib.h>
#include <string.h>

/* --- nodes ------------------------------------------------------------------------------------ */

/* A node's share of an edge of a side, seen in one of the side's cells. */
typedef struct edge_end {
    int32_t side;
    int slot; /* of the side's ring: the edge goes from there to the next */
    int cell; /* 0 or 1 of the side's */
} edge_end;

static uint64_t packed(edge_end end) {
    return (uint64_t)end.side << 32 | (uint64_t)end.slot << 1 | (uint64_t)end.cell;
}

static edge_end unpacked(uint64_t value) {
    return (edge_end){.side = (int32_t)(value >> 32),
                      .slot = (int)((uint32_t)value >> 1),
                      .cell = (int)(value & 1)};
}

/* Edges of a side: one where it is an edge. */
static int edges_of_side(const tess_polytopes *cells, int n_nodes) {
    return cells->dimension == 2 ? 1 : n_nodes;
}

/* Counts or puts the ends of a side's edges at their nodes. */
static void put_ends(tess_view_polytopes *polytopes, int32_t side, bool put) {
    int n = 0;
    int32_t cells[2];
    const int32_t *nodes = tess_polytope_side(&polytopes->cells, side, &n);
    tess_polytope_cells(&polytopes->cells, side, cells);
    for (int slot = 0; slot < edges_of_side(&polytopes->cells, n); slot++)
        for (int k = 0; k < 4; k++) {
            const edge_end end = {.side = side, .slot = slot, .cell = k / 2};
            const int32_t node = nodes[(slot + k % 2) % n];
            if (cells[end.cell] < 0 || (end.cell && cells[1] == cells[0]))
                continue;
            if (put)
                tess_buckets_put(&polytopes->around, node, packed(end));
            else
                tess_buckets_count(&polytopes->around, node);
        }
}

static tess_status find_ends(tess_view_polytopes *polytopes) {
    TRY(tess_buckets_new(polytopes->cells.n_nodes, &polytopes->around));
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1)
            TRY(tess_buckets_open(&polytopes->around));
        for (int64_t side = 0; side < polytopes->cells.n_sides; side++)
            put_ends(polytopes, (int32_t)side, pass == 1);
    }
    tess_buckets_close(&polytopes->around);
    return TESS_OK;
}

/* Where each face begins among the edges of all of them. */
static tess_status find_starts(tess_view_polytopes *polytopes) {
    const int64_t n = polytopes->cells.n_sides;
    TRY(TESS_ALLOC(n + 1, &polytopes->start));
    polytopes->start[0] = 0;
    for (int64_t side = 0; side < n; side++) {
        int n_nodes = 0;
        tess_polytope_side(&polytopes->cells, side, &n_nodes);
        polytopes->start[side + 1] = polytopes->start[side] + n_nodes;
    }
    return TESS_OK;
}

/* Numbers the edges of faces by their nodes: the same nodes, the same number. */
static tess_status number_edges(tess_view_polytopes *polytopes) {
    tess_status status = TESS_OK;
    const int64_t n = polytopes->start[polytopes->cells.n_sides];
    uint64_t *key = NULL;
    int32_t *order = NULL;
    CHECK(TESS_ALLOC(n, &key));
    for (int64_t side = 0; side < polytopes->cells.n_sides; side++) {
        int n_nodes = 0;
        const int32_t *nodes = tess_polytope_side(&polytopes->cells, side, &n_nodes);
        for (int i = 0; i < n_nodes; i++) {
            const uint32_t a = (uint32_t)nodes[i], b = (uint32_t)nodes[(i + 1) % n_nodes];
            key[polytopes->start[side] + i] = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
        }
    }
    CHECK(tess_key_order(key, n, &order));
    CHECK(TESS_ALLOC(n, &polytopes->edge_of));
    CHECK(TESS_ALLOC(n, &polytopes->edge));
    for (int64_t i = 0; i < n; i++) {
        const uint64_t own = key[order[i]];
        if (i == 0 || own != key[order[i - 1]]) {
            polytopes->edge[polytopes->n_edges][0] = (int32_t)(own >> 32);
            polytopes->edge[polytopes->n_edges++][1] = (int32_t)own;
        }
        polytopes->edge_of[order[i]] = (int32_t)polytopes->n_edges - 1;
    }
done:
    free(key);
    free(order);
    return status;
}

/* --- together --------------------------------------------------------------------------------- */

tess_status tess_view_polytopes_build(const tess_mesh *mesh, bool nodes, tess_view_polytopes *out) {
    tess_status status = TESS_OK;
    tess_view_polytopes polytopes = {.n_edges = 0};
    CHECK(tess_polytopes_build(mesh, &polytopes.cells));
    if (polytopes.cells.dimension && nodes)
        CHECK(find_ends(&polytopes));
    if (polytopes.cells.dimension == 3 && nodes) {
        CHECK(find_starts(&polytopes));
        CHECK(number_edges(&polytopes));
    }
    if (polytopes.cells.dimension == 2 && !nodes)
        CHECK(tess_polygon_rings(&polytopes.cells, &polytopes.rings));
    *out = polytopes;
    polytopes = (tess_view_polytopes){.n_edges = 0};
done:
    tess_view_polytopes_release(&polytopes);
    return status;
}

void tess_view_polytopes_release(tess_view_polytopes *polytopes) {
    tess_polytopes_release(&polytopes->cells);
    tess_rows_free(polytopes->rings);
    free(polytopes->edge_of);
    free(polytopes->edge);
    free(polytopes->start);
    tess_buckets_release(&polytopes->around);
    *polytopes = (tess_view_polytopes){.n_edges = 0};
}

int64_t tess_view_polytopes_sites(const tess_view_polytopes *polytopes) {
    return polytopes->cells.n_sides + polytopes->n_edges;
}

const int32_t *tess_view_polytopes_middle(const tess_view_polytopes *polytopes, int64_t i, int *n) {
    if (i < polytopes->cells.n_sides)
        return tess_polytope_side(&polytopes->cells, i, n);
    *n = 2;
    return polytopes->edge[i - polytopes->cells.n_sides];
}

/* --- sites ------------------------------------------------------------------------------------ */

static int32_t cell_site(const tess_view_polytopes *polytopes, int64_t cell) {
    return (int32_t)(polytopes->cells.n_nodes + cell);
}

static int32_t side_site(const tess_view_polytopes *polytopes, int64_t side) {
    return (int32_t)(polytopes->cells.n_nodes + polytopes->cells.n_cells + side);
}

static int32_t edge_site(const tess_view_polytopes *polytopes, int32_t edge) {
    return side_site(polytopes, polytopes->cells.n_sides) + edge;
}

/* --- pieces ----------------------------------------------------------------------------------- */

static void cross(const double a[3], const double b[3], double out[3]) {
    for (int d = 0; d < 3; d++)
        out[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
}

/* From one node of a ring to the next one. */
static void along(const tess_view_sites *sites, const int32_t *nodes, int n, int i, double out[3]) {
    double a[3];
    sites->point(sites->of, nodes[i % n], a);
    sites->point(sites->of, nodes[(i + 1) % n], out);
    for (int d = 0; d < 3; d++)
        out[d] -= a[d];
}

/* Whether a face turns the same way at all of its nodes. */
static bool is_convex(const tess_view_sites *sites, const int32_t *nodes, int n) {
    const double rounding = 1e-9; /* of nodes in a row, as a part of the face */
    double normal[3] = {0}, size = 0, o[3];
    sites->point(sites->of, nodes[0], o);
    for (int i = 1; i + 1 < n; i++) {
        double p[3], q[3], part[3];
        sites->point(sites->of, nodes[i], p);
        sites->point(sites->of, nodes[i + 1], q);
        for (int d = 0; d < 3; d++) {
            p[d] -= o[d];
            q[d] -= o[d];
        }
        cross(p, q, part);
        for (int d = 0; d < 3; d++)
            normal[d] += part[d];
    }
    for (int d = 0; d < 3; d++)
        size += normal[d] * normal[d];
    for (int i = 0; i < n; i++) {
        double a[3], b[3], turn[3], same = 0;
        along(sites, nodes, n, i, a);
        along(sites, nodes, n, i + 1, b);
        cross(a, b, turn);
        for (int d = 0; d < 3; d++)
            same += turn[d] * normal[d];
        if (same < -rounding * size)
            return false;
    }
    return true;
}

/* Faces of up to four nodes have one cone; convex ones are cut into quads and a triangle at their
 * first node, others into triangles at their middle: both cells of a face in the same way. */
void tess_view_polytopes_cone(const tess_view_polytopes *polytopes, int64_t side, int32_t cell,
                              tess_view_pieces *pieces) {
    int n = 0;
    const int32_t *nodes = tess_polytope_side(&polytopes->cells, side, &n);
    const int32_t apex = cell_site(polytopes, cell);
    if (n > 4 && !is_convex(pieces->sites, nodes, n)) {
        for (int i = 0; i < n; i++) {
            int32_t sites[4] = {nodes[i], nodes[(i + 1) % n], side_site(polytopes, side), apex};
            tess_view_piece_turned(pieces, 4, sites, true);
        }
        return;
    }
    for (int i = 1; i + 1 < n; i += 2) {
        const int n_base = i + 2 < n ? 4 : 3;
        int32_t sites[5] = {nodes[0]};
        memcpy(sites + 1, nodes + i, (size_t)(n_base - 1) * sizeof *sites);
        sites[n_base] = apex;
        tess_view_piece_turned(pieces, n_base + 1, sites, true);
    }
}

void tess_view_polytopes_cell(const tess_view_polytopes *polytopes, int64_t cell,
                              tess_view_pieces *pieces) {
    const tess_rows *sides = polytopes->cells.sides, *rings = polytopes->rings;
    const int64_t n_ring = rings ? tess_rows_size(rings, cell) : 0;
    if (n_ring) {
        const int vtk = n_ring == 3   ? TESS_VTK_TRIANGLE
                        : n_ring == 4 ? TESS_VTK_QUAD
                                      : TESS_VTK_POLYGON;
        tess_view_piece(pieces, vtk, (int)n_ring, rings->item + rings->offset[cell]);
        return;
    }
    for (int64_t i = sides->offset[cell]; i < sides->offset[cell + 1]; i++) {
        int n = 0;
        const int32_t *nodes = tess_polytope_side(&polytopes->cells, sides->item[i], &n);
        int32_t sites[3] = {nodes[0], nodes[1], cell_site(polytopes, cell)};
        if (polytopes->cells.dimension == 2)
            tess_view_piece_turned(pieces, 3, sites, false);
        else
            tess_view_polytopes_cone(polytopes, sides->item[i], (int32_t)cell, pieces);
    }
}

void tess_view_polytopes_node(const tess_view_polytopes *polytopes, int64_t node,
                              tess_view_pieces *pieces) {
    const tess_buckets *around = &polytopes->around;
    const bool solid = polytopes->cells.dimension == 3;
    for (int64_t i = around->offset[node]; i < around->offset[node + 1]; i++) {
        const edge_end end = unpacked(around->value[i]);
        int32_t cells[2], sites[4] = {(int32_t)node};
        int n = 1;
        tess_polytope_cells(&polytopes->cells, end.side, cells);
        if (solid)
            sites[n++] =
                edge_site(polytopes, polytopes->edge_of[polytopes->start[end.side] + end.slot]);
        sites[n++] = side_site(polytopes, end.side);
        sites[n++] = cell_site(polytopes, cells[end.cell]);
        tess_view_piece_turned(pieces, n, sites, solid);
    }
}
