/* Faults of a mesh: what is wrong with the shape of its cells, their sides, and where nodes lie. */
#include "data/mesh_faults.h"

#include "core/base/array.h"
#include "core/base/splitmix.h"
#include "core/mesh/facets.h"
#include "core/mesh/polytopes.h"
#include "data/cell_measure.h"
#include <stdio.h>
#include <stdlib.h>

/* Sides of more than two cells, by their lowest half. */
typedef struct crowded_sides {
    const tess_facets *facets;
    int64_t n, capacity;
    int64_t *halves; /* [n] */
    tess_status status;
} crowded_sides;

static void visit_side(void *context, const uint64_t *halves, int64_t n) {
    crowded_sides *sides = context;
    if (n <= 2)
        return;
#pragma omp critical(crowded_sides)
    {
        sides->status = TESS_RESERVE(sides->n + 1, &sides->capacity, &sides->halves);
        if (sides->status == TESS_OK)
            sides->halves[sides->n++] = (int64_t)halves[0];
    }
}

static int compare_halves(const void *left, const void *right) {
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static tess_status find_crowded_sides(const tess_cells *cells, tess_mesh_faults *faults) {
    tess_status status = TESS_OK;
    const bool edges = cells->dimension == 2;
    const tess_facets facets = tess_facets_of(cells, edges ? TESS_FACET_EDGES : TESS_FACET_FACES);
    crowded_sides sides = {.facets = &facets};
    tess_mesh_fault fault = {.kind = "non-manifold", .words = "belong to more than two cells"};
    snprintf(fault.set, sizeof fault.set, "%s", edges ? "edges" : "faces");
    CHECK(tess_facets_visit(&facets, visit_side, &sides));
    CHECK(sides.status);
    if (sides.n)
        qsort(sides.halves, (size_t)sides.n, sizeof *sides.halves, compare_halves);
    fault.count = sides.n;
    for (int64_t i = 0; i < sides.n && i < TESS_MOST_SHOWN; i++) {
        int32_t *nodes = fault.nodes[i];
        for (int k = tess_facet_of_half(&facets, sides.halves[i], nodes); k < 4; k++)
            nodes[k] = -1;
        tess_mesh_fault_show(&fault, sides.halves[i] / facets.stride);
    }
    CHECK(tess_mesh_faults_add(faults, &fault));
done:
    free(sides.halves);
    return status;
}

/* Adds flat cells and those that turn the other way round than most of their type. */
static tess_status find_odd_shapes(const tess_mesh *mesh, const tess_cell_block *block,
                                   tess_mesh_faults *faults) {
    const double rounding = 1e-16; /* what a flat cell may have, as a part of its box */
    const tess_cell_type *type = block->type;
    int8_t *sign = NULL;   /* [n] */
    int64_t n_of[3] = {0}; /* negative, flat, positive */
    TRY(TESS_ALLOC(block->n, &sign));
    for (int64_t i = 0; i < block->n; i++) {
        const int32_t *nodes = block->nodes + i * type->n_nodes;
        const double size = tess_cell_size(mesh, type, nodes);
        const double least = rounding * tess_cell_box_size(mesh, type, nodes);
        sign[i] = (int8_t)((size > least) - (size < -least));
        n_of[sign[i] + 1]++;
    }
    const int rarer = n_of[0] <= n_of[2] ? -1 : 1;
    tess_mesh_fault flat = {
        .kind = "no-extent", .words = "have no extent: their nodes lie flat", .count = n_of[1]};
    tess_mesh_fault turned = {.kind = "orientation",
                              .words = "turn the other way round than most: their size is negative "
                                       "where others' is positive",
                              .count = n_of[rarer + 1]};
    for (int64_t i = 0; i < block->n; i++)
        if (sign[i] == 0 || sign[i] == rarer)
            tess_mesh_fault_show(sign[i] == 0 ? &flat : &turned, i);
    free(sign);
    snprintf(flat.set, sizeof flat.set, "%s", block->cell ? type->set : "cells");
    snprintf(turned.set, sizeof turned.set, "%s", flat.set);
    TRY(tess_mesh_faults_add(faults, &flat));
    return tess_mesh_faults_add(faults, &turned);
}

/* By place, then by number. */
static int compare_places(const void *left, const void *right, void *context) {
    const tess_mesh *mesh = *(const tess_mesh **)context;
    const int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    for (int axis = 0; axis < mesh->dimension; axis++) {
        const double x = mesh->coordinates[(int64_t)a * mesh->dimension + axis];
        const double y = mesh->coordinates[(int64_t)b * mesh->dimension + axis];
        if (x != y)
            return x < y ? -1 : 1;
    }
    return (a > b) - (a < b);
}

static bool same_position(const tess_mesh *mesh, int32_t a, int32_t b) {
    bool same = true;
    for (int axis = 0; axis < mesh->dimension; axis++)
        same = same && mesh->coordinates[(int64_t)a * mesh->dimension + axis] ==
                           mesh->coordinates[(int64_t)b * mesh->dimension + axis];
    return same;
}

/* Adds the nodes at the place of another one, but the lowest of each place. */
static tess_status find_coincident(const tess_mesh *mesh, tess_mesh_faults *faults) {
    tess_status status = TESS_OK;
    const int64_t n = tess_mesh_set_size(mesh, "nodes");
    tess_mesh_fault fault = {
        .kind = "place-shared", .words = "lie at the place of another one", .set = "nodes"};
    int32_t *by_position = NULL;
    char *repeats = NULL;
    CHECK(TESS_ALLOC(n, &by_position));
    CHECK(TESS_ZEROS(n, &repeats));
    for (int64_t i = 0; i < n; i++)
        by_position[i] = (int32_t)i;
    qsort_r(by_position, (size_t)n, sizeof *by_position, compare_places, &mesh);
    for (int64_t i = 1; i < n; i++)
        repeats[by_position[i]] = same_position(mesh, by_position[i - 1], by_position[i]);
    for (int64_t i = 0; i < n; i++)
        if (repeats[i]) {
            fault.count++;
            tess_mesh_fault_show(&fault, i);
        }
    CHECK(tess_mesh_faults_add(faults, &fault));
done:
    free(by_position);
    free(repeats);
    return status;
}

/* What the parts of a side, edges of a face or ends of an edge, come to, which cancels where each
 * is there twice; each node is marked. */
static uint64_t sum_rim(const int32_t *nodes, int n, int dimension, bool *used) {
    uint64_t sum = 0;
    for (int i = 0; i < n; i++) {
        const int32_t a = nodes[i], b = dimension == 3 ? nodes[i + 1 < n ? i + 1 : 0] : a;
        uint64_t part = (uint64_t)(a < b ? a : b) << 32 | (uint32_t)(a < b ? b : a);
        sum ^= tess_random_next(&part);
        used[a] = true;
    }
    return sum;
}

/* Adds polytopes whose sides leave a gap, and nodes that none has. */
static tess_status find_open(const tess_polytopes *polytopes, tess_mesh_faults *faults) {
    tess_status status = TESS_OK;
    tess_mesh_fault open = {
        .kind = "cell-open", .words = "are not closed by their sides", .set = "cells"};
    tess_mesh_fault unused = {.kind = "node-unused", .words = "belong to no cell", .set = "nodes"};
    uint64_t *rim = NULL;
    bool *used = NULL;
    CHECK(TESS_ZEROS(polytopes->n_cells, &rim));
    CHECK(TESS_ZEROS(polytopes->n_nodes, &used));
    for (int64_t side = 0; side < polytopes->n_sides; side++) {
        int32_t cells[2];
        int n = 0;
        const int32_t *nodes = tess_polytope_side(polytopes, side, &n);
        const uint64_t sum = sum_rim(nodes, n, polytopes->dimension, used);
        tess_polytope_cells(polytopes, side, cells);
        for (int k = 0; k < 2; k++)
            if (cells[k] >= 0)
                rim[cells[k]] ^= sum;
    }
    for (int64_t cell = 0; cell < polytopes->n_cells; cell++)
        if (rim[cell] && ++open.count)
            tess_mesh_fault_show(&open, cell);
    for (int64_t node = 0; node < polytopes->n_nodes; node++)
        if (!used[node] && ++unused.count)
            tess_mesh_fault_show(&unused, node);
    CHECK(tess_mesh_faults_add(faults, &open));
    CHECK(tess_mesh_faults_add(faults, &unused));
done:
    free(rim);
    free(used);
    return status;
}

tess_status tess_mesh_faults_of_shape(const tess_mesh *mesh, tess_mesh_faults *faults) {
    tess_status status = TESS_OK;
    tess_cells cells = {.dimension = 0};
    tess_polytopes polytopes = {.dimension = 0};
    CHECK(tess_cells_build(mesh, &cells));
    CHECK(tess_polytopes_build(mesh, &polytopes));
    if (polytopes.dimension)
        CHECK(find_open(&polytopes, faults));
    if (cells.n_blocks)
        CHECK(find_crowded_sides(&cells, faults));
    for (int b = 0; b < cells.n_blocks && cells.dimension == mesh->dimension; b++)
        CHECK(find_odd_shapes(mesh, &cells.blocks[b], faults));
    CHECK(find_coincident(mesh, faults));
done:
    tess_polytopes_release(&polytopes);
    tess_cells_release(&cells);
    return status;
}
