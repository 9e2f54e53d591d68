/* Edges of cells, edges sorted by their left node, and cells that are neighbours. */
#include "core/mesh/derived_edges.h"

#include "core/base/array.h"
#include "core/base/buckets.h"
#include "core/mesh/facets.h"
#include <stdlib.h>

tess_status tess_cell_edges_find(const tess_cells *cells, int32_t **out, int64_t *n) {
    tess_status status = TESS_OK;
    const tess_facets facets = tess_facets_of(cells, TESS_FACET_EDGES);
    int64_t *halves = NULL;
    int32_t *nodes = NULL;
    CHECK(tess_facets_first(&facets, &halves, n));
    CHECK(TESS_ALLOC(2 * *n, &nodes));
#pragma omp parallel for schedule(static)
    for (int64_t e = 0; e < *n; e++) {
        int32_t edge[TESS_FACET_NODES_MAX] = {0};
        tess_facet_of_half(&facets, halves[e], edge);
        nodes[2 * e] = edge[0];
        nodes[2 * e + 1] = edge[1];
    }
    *out = nodes;
done:
    free(halves);
    return status;
}

tess_status tess_cell_edges_add(tess_mesh *mesh, const tess_cells *cells) {
    int32_t *nodes = NULL;
    int64_t n = 0;
    TRY(tess_cell_edges_find(cells, &nodes, &n));
    const tess_status status = tess_mesh_add_set(mesh, "edges", n, NULL);
    if (status != TESS_OK) {
        free(nodes);
        return status;
    }
    return tess_mesh_add_map(mesh, "edges", "nodes", 2, TESS_MAP_DERIVED, nodes);
}

tess_status tess_left_edges_add(tess_mesh *mesh) {
    tess_status status = TESS_OK;
    tess_buckets buckets = {.n = 0};
    int32_t *left = NULL;
    const tess_map *map = tess_mesh_find_map(mesh, "edges:nodes");
    const int64_t n = mesh->sets[map->from].size;
    const int32_t *nodes = map->index;
    if (map->arity != 2)
        CHECK(tess_fail(TESS_ERROR_INPUT, "%s: edges:nodes has %d slots, not 2", mesh->source,
                        map->arity));
    CHECK(tess_buckets_new(tess_mesh_set_size(mesh, "nodes"), &buckets));
#pragma omp parallel for schedule(static)
    for (int64_t e = 0; e < n; e++)
        tess_buckets_count(&buckets,
                           nodes[2 * e] < nodes[2 * e + 1] ? nodes[2 * e] : nodes[2 * e + 1]);
    CHECK(tess_buckets_open(&buckets));
#pragma omp parallel for schedule(static)
    for (int64_t e = 0; e < n; e++) {
        const int32_t a = nodes[2 * e], b = nodes[2 * e + 1];
        tess_buckets_put(&buckets, a < b ? a : b, (uint64_t)(a < b ? b : a));
    }
    tess_buckets_close(&buckets);
    CHECK(TESS_ALLOC(2 * n, &left));
#pragma omp parallel for schedule(static)
    for (int64_t node = 0; node < buckets.n; node++) {
        for (int64_t i = buckets.offset[node]; i < buckets.offset[node + 1]; i++) {
            left[2 * i] = (int32_t)node;
            left[2 * i + 1] = (int32_t)buckets.value[i];
        }
    }
    CHECK(tess_mesh_add_set(mesh, "left_edges", n, NULL));
    CHECK(tess_mesh_add_map(mesh, "left_edges", "nodes", 2, TESS_MAP_DERIVED, TESS_TAKE(left)));
done:
    free(left);
    tess_buckets_release(&buckets);
    return status;
}

/* Puts each side's cells into the other's bucket, as (side, cell); a side between a cell and itself
 * makes no neighbour. */
static tess_status neighbour_buckets(const int32_t *side_cells, int64_t n_sides, int64_t n_cells,
                                     tess_buckets *buckets) {
    TRY(tess_buckets_new(n_cells, buckets));
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < 2 * n_sides; i++)
        if (side_cells[i] != side_cells[i ^ 1])
            tess_buckets_count(buckets, side_cells[i]);
    TRY(tess_buckets_open(buckets));
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < 2 * n_sides; i++)
        if (side_cells[i] != side_cells[i ^ 1])
            tess_buckets_put(buckets, side_cells[i],
                             (uint64_t)(i / 2) << 32 | (uint32_t)side_cells[i ^ 1]);
    tess_buckets_close(buckets);
    return TESS_OK;
}

tess_status tess_neighbours_add(tess_mesh *mesh, const char *name) {
    enum { WIDEST = 64 };
    tess_status status = TESS_OK;
    tess_buckets buckets = {.n = 0};
    int32_t *index = NULL, *count = NULL;
    const tess_map *map = tess_mesh_find_map(mesh, name);
    const int64_t n_cells = tess_mesh_set_size(mesh, "cells");
    if (map->arity != 2 || map->padded)
        CHECK(
            tess_fail(TESS_ERROR_INPUT, "%s: %s does not join two cells each", mesh->source, name));
    CHECK(neighbour_buckets(map->index, mesh->sets[map->from].size, n_cells, &buckets));
    CHECK(TESS_ALLOC(n_cells, &count));
    int32_t width = 1;
#pragma omp parallel for schedule(static) reduction(max : width)
    for (int64_t cell = 0; cell < n_cells; cell++) {
        count[cell] = (int32_t)(buckets.offset[cell + 1] - buckets.offset[cell]);
        width = count[cell] > width ? count[cell] : width;
    }
    if (n_cells * width > WIDEST * (n_cells + 2 * mesh->sets[map->from].size))
        CHECK(tess_fail(TESS_ERROR_INPUT,
                        "%s: %s gives one cell %d neighbours: cells:cells padded "
                        "to as many would be far larger than the mesh",
                        mesh->source, name, width));
    CHECK(TESS_ALLOC(n_cells * width, &index));
#pragma omp parallel for schedule(static)
    for (int64_t cell = 0; cell < n_cells; cell++)
        for (int32_t i = 0; i < width; i++)
            index[cell * width + i] =
                i < count[cell] ? (int32_t)(uint32_t)buckets.value[buckets.offset[cell] + i] : -1;
    CHECK(tess_mesh_add_map(mesh, "cells", "cells", width, TESS_MAP_PADDED | TESS_MAP_DERIVED,
                            TESS_TAKE(index)));
    CHECK(tess_mesh_add_dat(mesh, "n_cells", "cells", 1, TESS_INT32, TESS_TAKE(count)));
done:
    free(index);
    free(count);
    tess_buckets_release(&buckets);
    return status;
}
