/* Links of a mesh: what hangs together in it, how far apart numbers of neighbours are, and how many
 * of one thing each of another has. */
#include "data/mesh_links.h"

#include "core/base/array.h"
#include "core/base/progress.h"
#include "core/base/union_find.h"
#include "core/mesh/derive.h"
#include "core/mesh/derived_edges.h"
#include "core/plan/graph.h"
#include "core/plan/order/graph_order.h"
#include <stdlib.h>
#include <string.h>

/* --- what hangs together ---------------------------------------------------------------------- */

/* Trees of things that hang together: each points to another of its tree, the root to itself. */
static void join(int32_t *parent, int32_t a, int32_t b) {
    const int32_t root_a = tess_root_of(parent, a), root_b = tess_root_of(parent, b);
    if (root_a < root_b)
        parent[root_b] = root_a;
    else
        parent[root_a] = root_b;
}

static tess_status trees_new(int64_t n, int32_t **parent) {
    TRY(TESS_ALLOC(n, parent));
    for (int64_t i = 0; i < n; i++)
        (*parent)[i] = (int32_t)i;
    return TESS_OK;
}

/* Joins the points of each element of a map. */
static void join_rows(const tess_mesh *mesh, const tess_map *map, int32_t *parent) {
    const int64_t n = mesh->sets[map->from].size;
    for (int64_t i = 0; i < n; i++) {
        const int32_t *row = map->index + i * map->arity;
        for (int slot = 1; slot < map->arity && row[slot] >= 0; slot++)
            join(parent, row[0], row[slot]);
    }
}

static tess_status count_components(const tess_mesh *mesh, const tess_map *sides,
                                    tess_mesh_links *links) {
    tess_status status = TESS_OK;
    int32_t *parent = NULL, *size = NULL;
    const int64_t n = mesh->sets[sides->to].size;
    CHECK(trees_new(n, &parent));
    CHECK(TESS_ZEROS(n, &size));
    join_rows(mesh, sides, parent);
    for (int64_t i = 0; i < n; i++)
        size[tess_root_of(parent, (int32_t)i)]++;
    for (int64_t i = 0; i < n; i++) {
        links->n_components += size[i] > 0;
        links->largest_component =
            size[i] > links->largest_component ? size[i] : links->largest_component;
    }
done:
    free(parent);
    free(size);
    return status;
}

/* The maps from sides of the boundary to their nodes, at most two: faces of mixed cells have one by
 * their shape. */
static int boundary_maps(const tess_mesh *mesh, bool flat, const tess_map *maps[2]) {
    static const char *const by_shape[] = {"btri_faces:nodes", "bquad_faces:nodes"};
    maps[0] = tess_mesh_find_map(mesh, flat ? "bedges:nodes" : "bfaces:nodes");
    if (flat || maps[0])
        return maps[0] != NULL;
    int n = 0;
    for (int i = 0; i < 2; i++) {
        maps[n] = tess_mesh_find_map(mesh, by_shape[i]);
        n += maps[n] != NULL;
    }
    return n;
}

/* Pieces of the boundary: loops in the plane, surfaces in space. */
static tess_status count_pieces(const tess_mesh *mesh, bool flat, tess_mesh_links *links) {
    tess_status status = TESS_OK;
    const tess_map *maps[2] = {NULL, NULL};
    int32_t *parent = NULL;
    char *is_there = NULL;
    const int64_t n_nodes = tess_mesh_set_size(mesh, "nodes");
    const int n_maps = boundary_maps(mesh, flat, maps);
    links->n_boundary = tess_mesh_set_size(mesh, flat ? "bedges" : "bfaces");
    links->n_boundary_pieces = links->n_boundary && !n_maps ? -1 : 0;
    CHECK(trees_new(n_nodes, &parent));
    CHECK(TESS_ZEROS(n_nodes, &is_there));
    for (int m = 0; m < n_maps; m++) {
        const int64_t n = mesh->sets[maps[m]->from].size * maps[m]->arity;
        join_rows(mesh, maps[m], parent);
        for (int64_t i = 0; i < n; i++)
            if (maps[m]->index[i] >= 0)
                is_there[maps[m]->index[i]] = 1;
    }
    for (int64_t i = 0; i < n_nodes; i++)
        links->n_boundary_pieces += is_there[i] && parent[i] == i;
done:
    free(parent);
    free(is_there);
    return status;
}

/* --- how far apart ---------------------------------------------------------------------------- */

/* Of the neighbours in `pairs` [n][2], by their places (NULL: their numbers). */
static tess_bandwidth measure_band(const int32_t *pairs, int64_t n, const int32_t *position) {
    int64_t sum = 0, most = 0;
    for (int64_t i = 0; i < n; i++) {
        const int32_t a = pairs[2 * i], b = pairs[2 * i + 1];
        const int64_t apart =
            labs((long)(position ? position[a] : a) - (position ? position[b] : b));
        sum += apart;
        most = apart > most ? apart : most;
    }
    return (tess_bandwidth){.mean = n ? (double)sum / (double)n : 0, .most = most};
}

/* The bands of n_vertices that are neighbours by `pairs` [n][2]. */
static tess_status add_band(tess_mesh_links *links, tess_band band, const int32_t *pairs, int64_t n,
                            int64_t n_vertices) {
    tess_status status = TESS_OK;
    tess_rows *graph = NULL;
    int32_t *new_to_old = NULL, *position = NULL;
    tess_incidence map = {.index = pairs, .arity = 2, .n_points = n_vertices};
    const tess_partition_problem problem = {.n_elements = n, .n_maps = 1, .maps = &map};
    CHECK(tess_graph_build_points(&problem, &graph));
    CHECK(tess_order_rcm(graph, &new_to_old));
    CHECK(TESS_ALLOC(n_vertices, &position));
    for (int64_t i = 0; i < n_vertices; i++)
        position[new_to_old[i]] = (int32_t)i;
    band.now = measure_band(pairs, n, NULL);
    band.rcm = measure_band(pairs, n, position);
    links->bands[links->n_bands++] = band;
done:
    tess_rows_free(graph);
    free(new_to_old);
    free(position);
    return status;
}

/* --- how many --------------------------------------------------------------------------------- */

/* Adds what the counters of n elements say. */
static void add_degrees(tess_mesh_links *links, const char *of, const int32_t *counter, int64_t n) {
    tess_degrees *degrees = &links->degrees[links->n_degrees++];
    *degrees = (tess_degrees){.of = of, .n = n, .least = n ? counter[0] : 0};
    for (int64_t i = 0; i < n; i++) {
        degrees->sum += counter[i];
        degrees->least = counter[i] < degrees->least ? counter[i] : degrees->least;
        degrees->most = counter[i] > degrees->most ? counter[i] : degrees->most;
        degrees->count[counter[i] < TESS_MOST_DEGREE ? counter[i] : TESS_MOST_DEGREE]++;
    }
}

/* Adds how often each of n points is among n_entries of an index. */
static tess_status add_counted(tess_mesh_links *links, const char *of, const int32_t *index,
                               int64_t n_entries, int64_t n) {
    int32_t *counter = NULL;
    TRY(TESS_ZEROS(n, &counter));
    for (int64_t i = 0; i < n_entries; i++)
        counter[index[i]]++;
    add_degrees(links, of, counter, n);
    free(counter);
    return TESS_OK;
}

static tess_status add_cell_degrees(tess_mesh_links *links, const tess_cells *cells) {
    tess_status status = TESS_OK;
    int32_t *nodes_of = NULL, *cells_of = NULL;
    CHECK(TESS_ZEROS(cells->n_cells, &nodes_of));
    CHECK(TESS_ZEROS(cells->n_nodes, &cells_of));
    for (int64_t cell = 0; cell < cells->n_cells; cell++) {
        const tess_cell_type *type = NULL;
        const int32_t *nodes = tess_cell_nodes(cells, cell, &type);
        nodes_of[cell] = type->n_nodes;
        for (int i = 0; i < type->n_nodes; i++)
            cells_of[nodes[i]]++;
    }
    add_degrees(links, "nodes of a cell", nodes_of, cells->n_cells);
    add_degrees(links, "cells of a node", cells_of, cells->n_nodes);
done:
    free(nodes_of);
    free(cells_of);
    return status;
}

/* --- together --------------------------------------------------------------------------------- */

/* Derives the map from sides to cells, or NULL. */
static tess_status derive_sides(tess_mesh *mesh, const tess_cells *cells, const tess_map **out) {
    const bool flat = cells->dimension == 2 ||
                      (cells->dimension == 0 && !tess_mesh_find_map(mesh, "faces:cells"));
    const char *name = flat ? "edges:cells" : "faces:cells";
    if (cells->dimension)
        TRY(tess_mesh_derive(mesh, name));
    *out = tess_mesh_find_map(mesh, name);
    return TESS_OK;
}

/* What the edges of cells, which are not added to the mesh, say of nodes. */
static tess_status measure_nodes(const tess_cells *cells, tess_mesh_links *links) {
    tess_status status = TESS_OK;
    int32_t *edges = NULL;
    int64_t n = 0;
    CHECK(tess_cell_edges_find(cells, &edges, &n));
    CHECK(add_counted(links, "edges of a node", edges, 2 * n, cells->n_nodes));
    CHECK(add_band(links, (tess_band){.of = "nodes", .over = "edges"}, edges, n, cells->n_nodes));
done:
    free(edges);
    return status;
}

static tess_status measure_sides(const tess_mesh *mesh, const tess_map *sides,
                                 tess_mesh_links *links) {
    const int64_t n_cells = mesh->sets[sides->to].size;
    const bool flat = strcmp(mesh->sets[sides->from].name, "edges") == 0;
    links->sides =
        flat ? "edges" : "faces"; /* the mesh's own name moves when it gets another set */
    links->n_sides = mesh->sets[sides->from].size;
    TRY(count_components(mesh, sides, links));
    TRY(count_pieces(mesh, flat, links));
    TRY(add_counted(links, "neighbours of a cell", sides->index, 2 * links->n_sides, n_cells));
    return add_band(links, (tess_band){.of = "cells", .over = links->sides}, sides->index,
                    links->n_sides, n_cells);
}

tess_status tess_mesh_links_measure(tess_mesh *mesh, tess_mesh_links *out) {
    tess_status status = TESS_OK;
    tess_cells cells = {.dimension = 0};
    const tess_map *sides = NULL;
    *out = (tess_mesh_links){.sides = NULL};
    tess_progress_begin("measuring what hangs together");
    CHECK(tess_cells_build(mesh, &cells));
    if (cells.dimension)
        CHECK(add_cell_degrees(out, &cells));
    CHECK(derive_sides(mesh, &cells, &sides));
    if (sides)
        CHECK(measure_sides(mesh, sides, out));
    if (cells.dimension)
        CHECK(measure_nodes(&cells, out));
done:
    tess_progress_end();
    tess_cells_release(&cells);
    return status;
}
