/* Polytopes: cells that a mesh states by their sides, not by their nodes. */
#include "core/mesh/polytopes.h"

#include "core/base/array.h"
#include "core/base/gathered_rows.h"
#include "core/mesh/cells.h"
#include <stdlib.h>
#include <string.h>

/* Finds the maps of sides of one kind; false where they are not both there. */
static bool find_maps(const tess_mesh *mesh, const char *set, const tess_map **nodes,
                      const tess_map **cells) {
    *nodes = tess_mesh_find_map_between(mesh, set, "nodes");
    *cells = tess_mesh_find_map_between(mesh, set, "cells");
    if (*nodes && *cells)
        return true;
    *nodes = *cells = NULL;
    return false;
}

/* The markers of the sides of one kind, NULL where they have none. */
static const int32_t *find_markers(const tess_mesh *mesh, const char *set) {
    const tess_dat *dat = tess_mesh_find_dat(mesh, "marker", set);
    return dat && dat->type == TESS_INT32 && dat->dim == 1 ? dat->values : NULL;
}

/* Finds the sides of cells of 3 dimensions, else of 2. */
static void find_sides(const tess_mesh *mesh, tess_polytopes *polytopes) {
    static const char *const names[2][2] = {{"edges", "bedges"}, {"faces", "bfaces"}};
    for (int d = 3; d >= 2; d--) {
        if (!find_maps(mesh, names[d - 2][0], &polytopes->of_nodes[0], &polytopes->of_cells[0]))
            continue;
        polytopes->dimension = d;
        polytopes->n_inner = polytopes->n_sides = tess_mesh_set_size(mesh, names[d - 2][0]);
        for (int k = 0; k < 2; k++)
            polytopes->marker[k] = find_markers(mesh, names[d - 2][k]);
        if (find_maps(mesh, names[d - 2][1], &polytopes->of_nodes[1], &polytopes->of_cells[1]))
            polytopes->n_sides += tess_mesh_set_size(mesh, names[d - 2][1]);
        return;
    }
}

/* Lists the sides of each cell. */
static tess_status list_sides(tess_polytopes *polytopes) {
    TRY(tess_rows_new(polytopes->n_cells, &polytopes->sides));
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1)
            TRY(tess_rows_open(polytopes->sides));
        for (int64_t side = 0; side < polytopes->n_sides; side++) {
            int32_t cells[2];
            tess_polytope_cells(polytopes, side, cells);
            for (int k = 0; k < 2; k++) {
                if (cells[k] < 0 || (k == 1 && cells[1] == cells[0]))
                    continue;
                if (pass == 0)
                    tess_rows_count(polytopes->sides, cells[k]);
                else
                    tess_rows_put(polytopes->sides, cells[k], (int32_t)side);
            }
        }
    }
    return TESS_OK;
}

static tess_status check_arities(const tess_mesh *mesh, const tess_polytopes *polytopes) {
    for (int k = 0; k < 2 && polytopes->of_cells[k]; k++) {
        const tess_map *cells = polytopes->of_cells[k], *nodes = polytopes->of_nodes[k];
        if (cells->arity > 2)
            FAIL(TESS_ERROR_INPUT, "%s: %s has %d slots; a side has two cells at most",
                 mesh->source, cells->name, cells->arity);
        if (nodes && (polytopes->dimension == 2 ? nodes->arity != 2 : nodes->arity < 3))
            FAIL(TESS_ERROR_INPUT, "%s: %s has %d slots", mesh->source, nodes->name, nodes->arity);
    }
    return polytopes->n_sides <= INT32_MAX
               ? TESS_OK
               : tess_fail(TESS_ERROR_INPUT, "%s: more than 2147483647 sides", mesh->source);
}

tess_status tess_polytopes_build(const tess_mesh *mesh, tess_polytopes *out) {
    tess_status status = TESS_OK;
    tess_cells cells = {.dimension = 0};
    tess_polytopes polytopes = {.n_cells = tess_mesh_set_size(mesh, "cells"),
                                .n_nodes = tess_mesh_set_size(mesh, "nodes"),
                                .n_markers = mesh->n_markers};
    CHECK(tess_cells_build(mesh, &cells));
    if (cells.dimension == 0)
        find_sides(mesh, &polytopes);
    if (polytopes.dimension) {
        CHECK(check_arities(mesh, &polytopes));
        CHECK(list_sides(&polytopes));
    }
    *out = polytopes;
    polytopes = (tess_polytopes){.dimension = 0};
done:
    tess_cells_release(&cells);
    tess_polytopes_release(&polytopes);
    return status;
}

void tess_polytopes_release(tess_polytopes *polytopes) {
    tess_rows_free(polytopes->sides);
    *polytopes = (tess_polytopes){.dimension = 0};
}

static int64_t gather_nodes(const void *context, int64_t cell, int32_t *items) {
    const tess_polytopes *polytopes = context;
    const tess_rows *sides = polytopes->sides;
    int64_t n = 0;
    for (int64_t i = sides->offset[cell]; i < sides->offset[cell + 1]; i++) {
        int n_nodes = 0;
        const int32_t *nodes = tess_polytope_side(polytopes, sides->item[i], &n_nodes);
        for (int k = 0; k < n_nodes; k++)
            if (nodes[k] >= 0) /* a rank has not all nodes */
                items[n++] = nodes[k];
    }
    return n;
}

tess_status tess_polytope_nodes(const tess_polytopes *polytopes, tess_rows **out) {
    int64_t most = 0;
    for (int k = 0; k < 2; k++)
        if (polytopes->of_nodes[k] && polytopes->of_nodes[k]->arity > most)
            most = polytopes->of_nodes[k]->arity;
    const tess_row_gatherer nodes = {.n_rows = polytopes->n_cells,
                                     .longest = most * tess_rows_longest(polytopes->sides),
                                     .gather = gather_nodes,
                                     .context = polytopes};
    return tess_rows_gather(&nodes, NULL, out);
}

/* --- rings ------------------------------------------------------------------------------------ */

/* The two edges that a polygon has at each of its nodes, -1 behind the last. */
typedef struct edges_at_nodes {
    int32_t *cell;    /* [n_nodes]: the last polygon that has the node; owned */
    int32_t (*of)[2]; /* [n_nodes]; owned */
} edges_at_nodes;

static tess_status edges_at_nodes_new(int64_t n_nodes, edges_at_nodes *at) {
    TRY(TESS_ALLOC(n_nodes, &at->cell));
    memset(at->cell, 0xff, (size_t)n_nodes * sizeof *at->cell);
    return TESS_ALLOC(n_nodes, &at->of);
}

/* False where a node has a third edge. */
static bool add_edge(edges_at_nodes *at, int32_t cell, int32_t node, int32_t edge) {
    int32_t *edges = at->of[node];
    if (at->cell[node] != cell) {
        at->cell[node] = cell;
        edges[0] = edge;
        edges[1] = -1;
        return true;
    }
    const bool is_second = edges[1] < 0;
    edges[1] = edge;
    return is_second;
}

/* Gives the nodes of a polygon in the order of its edges; false where these are no single ring. */
static bool find_ring(const tess_polytopes *polytopes, edges_at_nodes *at, int32_t cell,
                      int32_t *nodes) {
    const tess_rows *rows = polytopes->sides;
    const int64_t first = rows->offset[cell], n = tess_rows_size(rows, cell);
    int size = 0;
    for (int64_t i = first; i < first + n; i++) {
        const int32_t *ends = tess_polytope_side(polytopes, rows->item[i], &size);
        if (size != 2 || !add_edge(at, cell, ends[0], rows->item[i]) ||
            !add_edge(at, cell, ends[1], rows->item[i]))
            return false;
    }
    if (n < 3)
        return false;
    int32_t edge = rows->item[first], node = tess_polytope_side(polytopes, edge, &size)[0];
    for (int64_t i = 0; i < n; i++) {
        const int32_t *ends = tess_polytope_side(polytopes, edge, &size);
        if (i > 0 && node == nodes[0])
            return false;
        nodes[i] = node;
        node = ends[0] == node ? ends[1] : ends[0];
        edge = at->of[node][0] == edge ? at->of[node][1] : at->of[node][0];
        if (edge < 0)
            return false;
    }
    return node == nodes[0];
}

tess_status tess_polygon_rings(const tess_polytopes *polytopes, tess_rows **out) {
    tess_status status = TESS_OK;
    tess_rows *rings = NULL;
    edges_at_nodes at = {.cell = NULL};
    const int64_t n = polytopes->n_cells;
    CHECK(edges_at_nodes_new(polytopes->n_nodes, &at));
    CHECK(tess_rows_new(n, &rings));
    CHECK(TESS_ALLOC(polytopes->sides->offset[n], &rings->item));
    for (int64_t cell = 0; cell < n; cell++) {
        const int64_t to = rings->offset[cell];
        const bool is_ring = find_ring(polytopes, &at, (int32_t)cell, rings->item + to);
        rings->offset[cell + 1] = to + (is_ring ? tess_rows_size(polytopes->sides, cell) : 0);
    }
    *out = TESS_TAKE(rings);
done:
    free(at.cell);
    free(at.of);
    tess_rows_free(rings);
    return status;
}
