/* The points of a refined mesh: the old nodes, and the middles of edges, faces and cells. */
#include "data/refine_points.h"

#include "core/base/array.h"
#include "core/mesh/facets.h"
#include <stdlib.h>
#include <string.h>

static tess_status find_edges(tess_refine_points *points) {
    tess_status status = TESS_OK;
    int64_t *halves = NULL;
    const tess_facets facets = tess_facets_of(points->cells, TESS_FACET_EDGES);
    CHECK(tess_facets_first(&facets, &halves, &points->n_edges));
    CHECK(TESS_ALLOC(2 * points->n_edges, &points->edges));
    CHECK(tess_buckets_new(points->n_nodes, &points->edges_at));
#pragma omp parallel for schedule(static)
    for (int64_t e = 0; e < points->n_edges; e++) {
        int32_t nodes[TESS_FACET_NODES_MAX], key[TESS_FACET_NODES_MAX];
        tess_facet_key(tess_facet_of_half(&facets, halves[e], nodes), nodes, TESS_FACET_EDGES, key);
        memcpy(points->edges + 2 * e, key, 2 * sizeof *key);
        tess_buckets_count(&points->edges_at, key[0]);
    }
    CHECK(tess_buckets_open(&points->edges_at));
#pragma omp parallel for schedule(static)
    for (int64_t e = 0; e < points->n_edges; e++)
        tess_buckets_put(&points->edges_at, points->edges[2 * e],
                         (uint64_t)points->edges[2 * e + 1] << 32 | (uint64_t)e);
    tess_buckets_close(&points->edges_at);
done:
    free(halves);
    return status;
}

/* Keeps of the halves those of quadrilateral faces, and gives how many. */
static int64_t keep_quads(const tess_facets *facets, int64_t *halves, int64_t n) {
    int64_t n_quads = 0;
    for (int64_t i = 0; i < n; i++) {
        int32_t nodes[TESS_FACET_NODES_MAX];
        if (tess_facet_of_half(facets, halves[i], nodes) == 4)
            halves[n_quads++] = halves[i];
    }
    return n_quads;
}

static tess_status find_quads(tess_refine_points *points) {
    tess_status status = TESS_OK;
    int64_t *halves = NULL, n = 0;
    const tess_facets facets = tess_facets_of(points->cells, TESS_FACET_FACES);
    if (points->cells->dimension == 3)
        CHECK(tess_facets_first(&facets, &halves, &n));
    points->n_quads = keep_quads(&facets, halves, n);
    CHECK(TESS_ALLOC(4 * points->n_quads, &points->quads));
    CHECK(tess_buckets_new(points->n_nodes, &points->quads_at));
    for (int64_t q = 0; q < points->n_quads; q++) {
        int32_t nodes[TESS_FACET_NODES_MAX];
        tess_facet_of_half(&facets, halves[q], nodes);
        tess_facet_key(4, nodes, TESS_FACET_FACES, points->quads + 4 * q);
        tess_buckets_count(&points->quads_at, points->quads[4 * q]);
    }
    CHECK(tess_buckets_open(&points->quads_at));
    for (int64_t q = 0; q < points->n_quads; q++)
        tess_buckets_put(&points->quads_at, points->quads[4 * q], (uint64_t)q);
    tess_buckets_close(&points->quads_at);
done:
    free(halves);
    return status;
}

tess_status tess_refine_points_build(const tess_cells *cells, tess_refine_points *points) {
    tess_status status = TESS_OK;
    *points = (tess_refine_points){.cells = cells, .n_nodes = cells->n_nodes};
    CHECK(find_edges(points));
    CHECK(find_quads(points));
    const int64_t first = points->n_nodes + points->n_edges + points->n_quads;
    for (int b = 0; b < cells->n_blocks; b++) {
        points->first_centre[b] = -1;
        if (!tess_refinement_of(cells->blocks[b].type->set)->has_centre)
            continue;
        points->first_centre[b] = first + points->n_centres;
        points->n_centres += cells->blocks[b].n;
    }
done:
    if (status != TESS_OK)
        tess_refine_points_release(points);
    return status;
}

void tess_refine_points_release(tess_refine_points *points) {
    tess_buckets_release(&points->edges_at);
    tess_buckets_release(&points->quads_at);
    free(points->edges);
    free(points->quads);
    points->edges = points->quads = NULL;
}

int64_t tess_refine_points_count(const tess_refine_points *points) {
    return points->n_nodes + points->n_edges + points->n_quads + points->n_centres;
}

int32_t tess_refine_points_of_edge(const tess_refine_points *points, int32_t a, int32_t b) {
    const int32_t low = a < b ? a : b, high = a < b ? b : a;
    int64_t begin = points->edges_at.offset[low], end = points->edges_at.offset[low + 1];
    while (begin < end) {
        const int64_t middle = begin + (end - begin) / 2;
        const uint64_t value = points->edges_at.value[middle];
        if ((int64_t)(value >> 32) == high)
            return (int32_t)(points->n_nodes + (int64_t)(uint32_t)value);
        if ((int64_t)(value >> 32) < high)
            begin = middle + 1;
        else
            end = middle;
    }
    return -1;
}

int32_t tess_refine_points_of_quad(const tess_refine_points *points, const int32_t nodes[4]) {
    int32_t key[TESS_FACET_NODES_MAX];
    tess_facet_key(4, nodes, TESS_FACET_FACES, key);
    for (int64_t i = points->quads_at.offset[key[0]]; i < points->quads_at.offset[key[0] + 1];
         i++) {
        const int64_t quad = (int64_t)points->quads_at.value[i];
        if (memcmp(points->quads + 4 * quad, key, sizeof key) == 0)
            return (int32_t)(points->n_nodes + points->n_edges + quad);
    }
    return -1;
}

bool tess_refine_points_of_cell(const tess_refine_points *points, int block, int64_t row,
                                int32_t out[TESS_REFINE_POINTS_MAX]) {
    const tess_cell_type *type = points->cells->blocks[block].type;
    const int32_t *nodes = points->cells->blocks[block].nodes + row * type->n_nodes;
    int n = 0;
    for (int i = 0; i < type->n_nodes; i++)
        out[n++] = nodes[i];
    for (int e = 0; e < type->n_edges; e++)
        out[n++] =
            tess_refine_points_of_edge(points, nodes[type->edge[e][0]], nodes[type->edge[e][1]]);
    for (int f = 0; f < type->n_faces; f++) {
        int32_t face[TESS_FACET_NODES_MAX];
        if (tess_facet_nodes(type, nodes, TESS_FACET_FACES, f, face) == 4)
            out[n++] = tess_refine_points_of_quad(points, face);
    }
    if (points->first_centre[block] >= 0)
        out[n++] = (int32_t)(points->first_centre[block] + row);
    for (int i = 0; i < n; i++)
        if (out[i] < 0)
            return false;
    return true;
}

/* point = mean of n nodes. */
static void place_mean(int dimension, const double *nodes, int n, const int32_t *of,
                       double *point) {
    for (int d = 0; d < dimension; d++) {
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += nodes[(int64_t)of[i] * dimension + d];
        point[d] = sum / n;
    }
}

void tess_refine_points_place(const tess_refine_points *points, int dimension, const double *nodes,
                              double *out) {
    memcpy(out, nodes, (size_t)(points->n_nodes * dimension) * sizeof *out);
    double *edges = out + points->n_nodes * dimension;
    double *quads = edges + points->n_edges * dimension;
#pragma omp parallel for schedule(static)
    for (int64_t e = 0; e < points->n_edges; e++)
        place_mean(dimension, nodes, 2, points->edges + 2 * e, edges + e * dimension);
#pragma omp parallel for schedule(static)
    for (int64_t q = 0; q < points->n_quads; q++)
        place_mean(dimension, nodes, 4, points->quads + 4 * q, quads + q * dimension);
    for (int b = 0; b < points->cells->n_blocks; b++) {
        const tess_cell_block *block = &points->cells->blocks[b];
        if (points->first_centre[b] < 0)
            continue;
#pragma omp parallel for schedule(static)
        for (int64_t row = 0; row < block->n; row++)
            place_mean(dimension, nodes, block->type->n_nodes,
                       block->nodes + row * block->type->n_nodes,
                       out + (points->first_centre[b] + row) * dimension);
    }
}
