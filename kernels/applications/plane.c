/* The plane: what applications on 2D meshes share. */
#include "kernels/applications/plane.h"

#include "core/base/array.h"
#include "core/mesh/polytopes.h"
#include <math.h>
#include <stdlib.h>

enum { CORNERS = 4, MOST_CORNERS = 32 };

void tess_plane_centre(const tess_mesh *mesh, const tess_map *corners, int64_t cell,
                       double centre[2]) {
    centre[0] = centre[1] = 0;
    for (int k = 0; k < corners->arity; k++) {
        const int32_t node = corners->index[cell * corners->arity + k];
        centre[0] += mesh->coordinates[2 * (int64_t)node] / corners->arity;
        centre[1] += mesh->coordinates[2 * (int64_t)node + 1] / corners->arity;
    }
}

double tess_plane_area(const tess_mesh *mesh, const tess_map *corners, int64_t cell) {
    double twice = 0;
    for (int k = 0; k < corners->arity; k++) {
        const int32_t *nodes = &corners->index[cell * corners->arity];
        const double *a = &mesh->coordinates[2 * (int64_t)nodes[k]];
        const double *b = &mesh->coordinates[2 * (int64_t)nodes[(k + 1) % corners->arity]];
        twice += a[0] * b[1] - a[1] * b[0];
    }
    return fabs(twice) / 2;
}

/* cells:nodes of a mesh of polygons, which repeat their last node. */
static tess_status unite_polygons(tess_mesh *mesh, const tess_polytopes *polytopes) {
    tess_status status = TESS_OK;
    tess_rows *rings = NULL;
    int32_t *index = NULL;
    CHECK(tess_polygon_rings(polytopes, &rings));
    const int64_t most = tess_rows_longest(rings);
    if (most > MOST_CORNERS)
        CHECK(tess_fail(TESS_ERROR_USAGE,
                        "areas follow from up to %d nodes of a cell; one of %s "
                        "has %lld",
                        MOST_CORNERS, mesh->source, (long long)most));
    CHECK(TESS_ALLOC(rings->n * most, &index));
    for (int64_t cell = 0; cell < rings->n; cell++) {
        const int64_t n = tess_rows_size(rings, cell);
        if (n == 0)
            CHECK(tess_fail(TESS_ERROR_USAGE,
                            "areas follow from the nodes around cells; the edges of cell %lld of "
                            "%s are no ring",
                            (long long)cell, mesh->source));
        for (int64_t k = 0; k < most; k++)
            index[cell * most + k] = rings->item[rings->offset[cell] + (k < n ? k : n - 1)];
    }
    status =
        tess_mesh_add_map(mesh, "cells", "nodes", (int)most, TESS_MAP_DERIVED, TESS_TAKE(index));
done:
    free(index);
    tess_rows_free(rings);
    return status;
}

/* cells:nodes of a mesh of triangles and quads. */
static tess_status unite_cells(tess_mesh *mesh) {
    static const char *const types[] = {"tris", "quads"};
    const int64_t n = tess_mesh_set_size(mesh, "cells");
    int32_t *index = NULL;
    if (!tess_mesh_find_map(mesh, "tris:nodes") && !tess_mesh_find_map(mesh, "quads:nodes"))
        FAIL(TESS_ERROR_USAGE,
             "areas follow from the nodes around cells; %s has no map cells:nodes", mesh->source);
    TRY(TESS_ZEROS(n * CORNERS, &index));
    for (int t = 0; t < 2; t++) {
        const tess_map *corners = tess_mesh_find_map_between(mesh, types[t], "nodes");
        const tess_map *numbers = tess_mesh_find_map_between(mesh, types[t], "cells");
        if (!corners || !numbers)
            continue;
        for (int64_t e = 0; e < mesh->sets[corners->from].size; e++)
            for (int k = 0; k < CORNERS; k++)
                index[(int64_t)numbers->index[e] * CORNERS + k] =
                    corners
                        ->index[e * corners->arity + (k < corners->arity ? k : corners->arity - 1)];
    }
    return tess_mesh_add_map(mesh, "cells", "nodes", CORNERS, TESS_MAP_DERIVED, index);
}

/* Gives the sign of what turns a side to have a cell on its left: found in the ring of its nodes,
 * whichever way that goes; where it is not there, by the cell's centre. */
static double side_of_cell(const tess_mesh *mesh, const tess_map *corners, int64_t cell,
                           const int32_t ends[2]) {
    const int32_t *nodes = &corners->index[cell * corners->arity];
    const double *o = &mesh->coordinates[2 * (int64_t)nodes[0]];
    double twice = 0, along = 0, c[2];
    for (int k = 0; k < corners->arity; k++) {
        const int32_t from = nodes[k], to = nodes[(k + 1) % corners->arity];
        const double *a = &mesh->coordinates[2 * (int64_t)from];
        const double *b = &mesh->coordinates[2 * (int64_t)to];
        twice += (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
        along += (from == ends[0] && to == ends[1]) - (from == ends[1] && to == ends[0]);
    }
    if (along * twice != 0)
        return along * twice;
    const double *a = &mesh->coordinates[2 * (int64_t)ends[0]];
    const double *b = &mesh->coordinates[2 * (int64_t)ends[1]];
    tess_plane_centre(mesh, corners, cell, c);
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* Turns each side whose cell 0 is on its right. */
static void turn_sides(tess_mesh *mesh, const char *side_nodes, const char *side_cells) {
    const tess_map *corners = tess_mesh_find_map(mesh, "cells:nodes");
    const tess_map *nodes = tess_mesh_find_map(mesh, side_nodes);
    const tess_map *cells = tess_mesh_find_map(mesh, side_cells);
    const int64_t n = mesh->sets[nodes->from].size;
#pragma omp parallel for
    for (int64_t s = 0; s < n; s++) {
        int32_t *ends = &nodes->index[2 * s];
        if (side_of_cell(mesh, corners, cells->index[s * cells->arity], ends) < 0) {
            const int32_t first = ends[0];
            ends[0] = ends[1];
            ends[1] = first;
        }
    }
}

/* cells:nodes of a mesh that lacks it. */
static tess_status add_cells_nodes(tess_mesh *mesh) {
    tess_polytopes polytopes = {.dimension = 0};
    TRY(tess_polytopes_build(mesh, &polytopes));
    const tess_status status =
        polytopes.dimension == 2 ? unite_polygons(mesh, &polytopes) : unite_cells(mesh);
    tess_polytopes_release(&polytopes);
    return status;
}

tess_status tess_plane_bind(tess_mesh *mesh) {
    if (!tess_mesh_find_map(mesh, "cells:nodes"))
        TRY(add_cells_nodes(mesh));
    turn_sides(mesh, "edges:nodes", "edges:cells");
    turn_sides(mesh, "bedges:nodes", "bedges:cells");
    return TESS_OK;
}
