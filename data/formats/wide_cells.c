/* Wide cells: cells that cross a side at which a mesh is joined to its other end, and lie there and
 * here by their coordinates. */
#include "data/formats/wide_cells.h"

#include "core/mesh/cells.h"
#include <inttypes.h>
#include <math.h>

void tess_extent_of(const tess_mesh *mesh, double extent[3]) {
    const int64_t n = tess_mesh_set_size(mesh, "nodes");
    for (int axis = 0; axis < mesh->dimension; axis++) {
        double low = INFINITY, high = -INFINITY;
#pragma omp parallel for reduction(min : low) reduction(max : high)
        for (int64_t i = 0; i < n; i++) {
            const double x = mesh->coordinates[i * mesh->dimension + axis];
            low = fmin(low, x);
            high = fmax(high, x);
        }
        extent[axis] = high > low ? high - low : 0;
    }
}

static bool is_wide(const tess_mesh *mesh, const double period[3], const int32_t *nodes, int n) {
    for (int axis = 0; axis < mesh->dimension; axis++) {
        double low = INFINITY, high = -INFINITY;
        for (int k = 0; k < n && nodes[k] >= 0; k++) {
            const double x = mesh->coordinates[(int64_t)nodes[k] * mesh->dimension + axis];
            low = fmin(low, x);
            high = fmax(high, x);
        }
        if (period[axis] > 0 && high - low > period[axis] / 2)
            return true;
    }
    return false;
}

static int64_t count_wide(const tess_mesh *mesh, const double period[3], const int32_t *nodes,
                          int64_t n, int arity) {
    int64_t n_wide = 0;
#pragma omp parallel for schedule(static) reduction(+ : n_wide)
    for (int64_t i = 0; i < n; i++)
        n_wide += is_wide(mesh, period, nodes + i * arity, arity);
    return n_wide;
}

tess_status tess_wide_cells_warn(tess_mesh *mesh, const double period[3], const char *what) {
    tess_cells cells = {.dimension = 0};
    int64_t n = 0;
    TRY(tess_cells_build(mesh, &cells));
    for (int b = 0; b < cells.n_blocks; b++)
        n += count_wide(mesh, period, cells.blocks[b].nodes, cells.blocks[b].n,
                        cells.blocks[b].type->n_nodes);
    const tess_map *edges = cells.n_blocks ? NULL : tess_mesh_find_map(mesh, "edges:nodes");
    if (edges)
        n = count_wide(mesh, period, edges->index, mesh->sets[edges->from].size, edges->arity);
    tess_cells_release(&cells);
    return n ? tess_mesh_warn(mesh,
                              "%s: %" PRId64
                              " %s cross the joined side, and their sizes, shapes and "
                              "pictures are wrong, as the coordinates of their nodes lie at both "
                              "ends",
                              what, n, edges ? "edges" : "cells")
             : TESS_OK;
}
