/* Ordering: a mesh numbered along its nodes, before anything is derived from it. */
#include "data/order_mesh.h"

#include "core/base/array.h"
#include "core/base/unknown_name.h"
#include "core/mesh/derived_edges.h"
#include "core/mesh/facets.h"
#include "core/plan/graph.h"
#include "core/plan/order/graph_order.h"
#include "core/plan/order/hilbert_curve.h"
#include "core/plan/order/renumber_mesh.h"
#include "data/canonical_mesh.h"
#include "data/permute_mesh.h"
#include <stdlib.h>
#include <string.h>

const char *const tess_orders[] = {"hilbert", "rcm", "gps", "levels", NULL};

/* The graph of nodes that are joined by an edge of a cell. */
static tess_status edge_graph(const tess_mesh *mesh, const tess_cells *cells, tess_rows **out) {
    int64_t n = 0;
    int32_t *nodes = NULL;
    if (!cells->dimension)
        FAIL(TESS_ERROR_INPUT, "%s: has no cells whose edges the order could follow; try hilbert",
             mesh->source);
    TRY(tess_cell_edges_find(cells, &nodes, &n));
    tess_incidence map = {.index = nodes, .arity = 2, .n_points = cells->n_nodes};
    const tess_partition_problem problem = {.n_elements = n, .n_maps = 1, .maps = &map};
    const tess_status status = tess_graph_build_points(&problem, out);
    free(nodes);
    return status;
}

static tess_status order_by_curve(const tess_mesh *mesh, int64_t n_nodes, int32_t **new_to_old) {
    if (!mesh->coordinates)
        FAIL(TESS_ERROR_INPUT, "%s: has no coordinates, through which a curve could go; try rcm",
             mesh->source);
    return tess_hilbert_order(mesh->coordinates, n_nodes, mesh->dimension, new_to_old);
}

static tess_status order_by_positions(const tess_mesh *mesh, const tess_cells *cells,
                                      int32_t **new_to_old) {
    tess_polytopes polytopes = {.dimension = 0};
    TRY(tess_polytopes_build(mesh, &polytopes));
    const tess_status status =
        cells->dimension || polytopes.dimension
            ? tess_canonical_nodes(mesh, cells, &polytopes, new_to_old)
            : tess_fail(TESS_ERROR_INPUT,
                        "%s: has no cells whose nodes are known, which a canonical order needs",
                        mesh->source);
    tess_polytopes_release(&polytopes);
    return status;
}

static tess_status order_by_edges(const tess_mesh *mesh, const tess_cells *cells, const char *order,
                                  int32_t **new_to_old) {
    tess_rows *graph = NULL;
    TRY(edge_graph(mesh, cells, &graph));
    const tess_status status = strcmp(order, "rcm") == 0 ? tess_order_rcm(graph, new_to_old)
                                                         : tess_order_gps(graph, new_to_old);
    tess_rows_free(graph);
    return status;
}

/* The nodes along a curve or along edges. */
static tess_status order_nodes(const tess_mesh *mesh, const tess_cells *cells, const char *order,
                               int32_t **new_to_old) {
    return strcmp(order, "hilbert") == 0
               ? order_by_curve(mesh, tess_mesh_set_size(mesh, "nodes"), new_to_old)
               : order_by_edges(mesh, cells, order, new_to_old);
}

/* --- levels --------------------------------------------------------------------------------- */

/* The cell beside each half of a side [n_halves], -1: none. */
typedef struct beside_halves {
    int stride;
    int32_t *cell;
} beside_halves;

static void note_pair(void *context, const uint64_t *halves, int64_t n) {
    const beside_halves *beside = context;
    if (n < 2)
        return;
    beside->cell[halves[0]] = (int32_t)(halves[1] / (uint64_t)beside->stride);
    beside->cell[halves[1]] = (int32_t)(halves[0] / (uint64_t)beside->stride);
}

/* Cells over their facets, found by their nodes. */
static tess_status order_by_facets(const tess_cells *cells, int32_t **new_to_old) {
    const tess_facets facets =
        tess_facets_of(cells, cells->dimension == 2 ? TESS_FACET_EDGES : TESS_FACET_FACES);
    beside_halves beside = {.stride = facets.stride};
    TRY(TESS_ALLOC(facets.n_halves, &beside.cell));
    for (int64_t half = 0; half < facets.n_halves; half++)
        beside.cell[half] = -1;
    const tess_status status = tess_facets_visit(&facets, note_pair, &beside);
    if (status == TESS_OK)
        return tess_order_rcm_of(beside.cell, beside.stride, cells->n_cells, new_to_old);
    free(beside.cell);
    return status;
}

/* Cells over the sides that a map gives. */
static tess_status order_by_sides(const tess_mesh *mesh, const tess_map *map,
                                  int32_t **new_to_old) {
    tess_rows *graph = NULL;
    tess_incidence sides = {
        .index = map->index, .arity = map->arity, .n_points = mesh->sets[map->to].size};
    const tess_partition_problem problem = {
        .n_elements = mesh->sets[map->from].size, .n_maps = 1, .maps = &sides};
    TRY(tess_graph_build_points(&problem, &graph));
    const tess_status status = tess_order_rcm(graph, new_to_old);
    tess_rows_free(graph);
    return status;
}

/* Cells along the graph over their sides: those that the mesh has, or else found by their nodes. */
static tess_status order_by_levels(const tess_mesh *mesh, const tess_cells *cells,
                                   int32_t **new_to_old) {
    const tess_map *map = tess_mesh_find_map(mesh, "faces:cells");
    if (!map)
        map = tess_mesh_find_map(mesh, "edges:cells");
    if (map)
        return order_by_sides(mesh, map, new_to_old);
    if (!cells->dimension)
        FAIL(TESS_ERROR_INPUT, "%s: has no cells whose sides the order could follow; try hilbert",
             mesh->source);
    return order_by_facets(cells, new_to_old);
}

bool tess_order_is_known(const char *order) {
    for (int i = 0; tess_orders[i]; i++)
        if (strcmp(tess_orders[i], order) == 0)
            return true;
    return false;
}

/* The order of the whole mesh: of levels the cells lead, of all others the nodes. */
static tess_status renumber_by(const tess_mesh *mesh, const char *order, tess_renumbering **out) {
    tess_status status = TESS_OK;
    tess_cells cells = {.dimension = 0};
    tess_renumbering *renumbering = NULL;
    int32_t *new_to_old = NULL;
    const bool by_nodes = strcmp(order, "levels") != 0;
    CHECK(TESS_ZEROS(1, &renumbering));
    CHECK(tess_cells_build(mesh, &cells));
    CHECK(!by_nodes                         ? order_by_levels(mesh, &cells, &new_to_old)
          : strcmp(order, "canonical") == 0 ? order_by_positions(mesh, &cells, &new_to_old)
                                            : order_nodes(mesh, &cells, order, &new_to_old));
    CHECK(tess_renumbering_add(mesh, tess_mesh_find_set(mesh, by_nodes ? "nodes" : "cells"),
                               new_to_old, renumbering));
    CHECK(tess_renumber_others(mesh, by_nodes, renumbering));
    *out = TESS_TAKE(renumbering);
done:
    tess_cells_release(&cells);
    tess_renumbering_free(renumbering);
    return status;
}

tess_status tess_order_renumber(const tess_mesh *mesh, const char *order, tess_renumbering **out) {
    tess_unknown_name unknown = tess_unknown_name_of(order);
    if (tess_order_is_known(order))
        return renumber_by(mesh, order, out);
    tess_unknown_name_add_all(&unknown, tess_orders);
    return tess_unknown_name_fail("there is no order", &unknown,
                                  (tess_unknown_words){"? There are %s", ": there are %s"});
}

tess_status tess_mesh_order(tess_mesh *mesh, const char *order) {
    tess_renumbering *renumbering = NULL;
    TRY(renumber_by(mesh, order, &renumbering));
    const tess_status status = tess_mesh_renumber(mesh, renumbering);
    tess_renumbering_free(renumbering);
    return status == TESS_OK && strcmp(order, "canonical") == 0 ? tess_canonical_turn(mesh)
                                                                : status;
}
