/* Ordering: a mesh numbered along its nodes, before anything is derived from it. */
#include "data/order_mesh.h"

#include "core/base/array.h"
#include "core/base/key_order.h"
#include "core/mesh/derived_edges.h"
#include "core/plan/graph.h"
#include "core/plan/order/element_order.h"
#include "core/plan/order/graph_order.h"
#include "core/plan/order/hilbert_curve.h"
#include "data/canonical_mesh.h"
#include "data/permute_mesh.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    uint64_t *keys = NULL;
    TRY(TESS_ALLOC(n_nodes, &keys));
    tess_hilbert_keys(mesh->coordinates, n_nodes, mesh->dimension, keys);
    const tess_status status = tess_key_order(keys, n_nodes, new_to_old);
    free(keys);
    return status;
}

static tess_status order_by_positions(const tess_mesh *mesh, const tess_cells *cells,
                                      const tess_polytopes *polytopes, int32_t **new_to_old) {
    if (!cells->dimension && !polytopes->dimension)
        FAIL(TESS_ERROR_INPUT,
             "%s: has no cells whose nodes are known, which a canonical order needs", mesh->source);
    return tess_canonical_nodes(mesh, cells, polytopes, new_to_old);
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

/* The new number of each of n elements in the order new_to_old, which is freed. */
static tess_status numbers_of(int32_t *new_to_old, int64_t n, int32_t **new_of) {
    const tess_status status = TESS_ALLOC(n, new_of);
    for (int64_t i = 0; status == TESS_OK && i < n; i++)
        (*new_of)[new_to_old[i]] = (int32_t)i;
    free(new_to_old);
    return status;
}

/* The new numbers of a set's elements, by the positions of their nodes, of cells those in the rows
 * `polytopes` unless it is NULL; NULL where they have none. */
static tess_status order_set(const tess_mesh *mesh, const tess_cells *cells,
                             const tess_rows *polytopes, int set, const int32_t *position,
                             int32_t **new_of) {
    char name[2 * TESS_NAME_SIZE];
    int32_t *nodes = NULL, *new_to_old = NULL;
    const int64_t n = mesh->sets[set].size;
    snprintf(name, sizeof name, "%s:nodes", mesh->sets[set].name);
    const tess_map *map = tess_mesh_find_map(mesh, name);
    tess_incidence points = {.n_points = tess_mesh_set_size(mesh, "nodes")};
    if (map) {
        points.index = map->index;
        points.arity = map->arity;
    } else if (strcmp(mesh->sets[set].name, "cells") == 0 && cells->dimension) {
        TRY(tess_cells_unite(cells, &points.arity, &nodes));
        points.index = nodes;
    } else if (strcmp(mesh->sets[set].name, "cells") == 0 && polytopes) {
        points.index = polytopes->item;
        points.offset = polytopes->offset;
    } else {
        return TESS_OK;
    }
    const tess_status status = tess_element_order(&points, n, position, &new_to_old);
    free(nodes);
    return status == TESS_OK ? numbers_of(new_to_old, n, new_of) : status;
}

tess_status tess_mesh_order(tess_mesh *mesh, const char *order) {
    tess_status status = TESS_OK;
    tess_cells cells = {.dimension = 0};
    tess_polytopes polytopes = {.dimension = 0};
    tess_rows *of_polytopes = NULL;
    int32_t **new_of = NULL, *new_to_old = NULL;
    const bool is_canonical = strcmp(order, "canonical") == 0;
    const int nodes = tess_mesh_find_set(mesh, "nodes");
    const int64_t n_nodes = tess_mesh_set_size(mesh, "nodes");
    CHECK(TESS_ZEROS(mesh->n_sets, &new_of));
    CHECK(tess_cells_build(mesh, &cells));
    CHECK(tess_polytopes_build(mesh, &polytopes));
    if (polytopes.dimension)
        CHECK(tess_polytope_nodes(&polytopes, &of_polytopes));
    CHECK(strcmp(order, "hilbert") == 0 ? order_by_curve(mesh, n_nodes, &new_to_old)
          : is_canonical                ? order_by_positions(mesh, &cells, &polytopes, &new_to_old)
                                        : order_by_edges(mesh, &cells, order, &new_to_old));
    CHECK(numbers_of(new_to_old, n_nodes, &new_of[nodes]));
    for (int set = 0; set < mesh->n_sets; set++)
        if (set != nodes)
            CHECK(order_set(mesh, &cells, of_polytopes, set, new_of[nodes], &new_of[set]));
    CHECK(tess_mesh_permute(mesh, new_of));
    if (is_canonical)
        CHECK(tess_canonical_turn(mesh));
done:
    for (int set = 0; new_of && set < mesh->n_sets; set++)
        free(new_of[set]);
    free(new_of);
    tess_rows_free(of_polytopes);
    tess_polytopes_release(&polytopes);
    tess_cells_release(&cells);
    return status;
}
