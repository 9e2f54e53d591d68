/* The plane: what applications on 2D meshes share. */
#include "kernels/applications/plane.h"

#include "core/base/array.h"
#include <math.h>
#include <stdio.h>

enum { CORNERS = 4 };

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

/* cells:nodes of a mesh of triangles and quads. */
static tess_status unite_cells(tess_mesh *mesh) {
    static const char *const types[] = {"tris", "quads"};
    const int64_t n = tess_mesh_set_size(mesh, "cells");
    int32_t *index = NULL;
    if (!tess_mesh_find_map(mesh, "tris:nodes") && !tess_mesh_find_map(mesh, "quads:nodes"))
        FAIL(TESS_ERROR_USAGE,
             "areas follow from the nodes of cells; %s has polygons, and no map cells:nodes",
             mesh->source);
    TRY(TESS_ZEROS(n * CORNERS, &index));
    for (int t = 0; t < 2; t++) {
        char nodes[TESS_NAME_SIZE], cells[TESS_NAME_SIZE];
        snprintf(nodes, sizeof nodes, "%s:nodes", types[t]);
        snprintf(cells, sizeof cells, "%s:cells", types[t]);
        const tess_map *corners = tess_mesh_find_map(mesh, nodes);
        const tess_map *numbers = tess_mesh_find_map(mesh, cells);
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

/* Turns each side whose cell 0 is on its right. */
static void turn_sides(tess_mesh *mesh, const char *side_nodes, const char *side_cells) {
    const tess_map *corners = tess_mesh_find_map(mesh, "cells:nodes");
    const tess_map *nodes = tess_mesh_find_map(mesh, side_nodes);
    const tess_map *cells = tess_mesh_find_map(mesh, side_cells);
    for (int64_t s = 0; s < mesh->sets[nodes->from].size; s++) {
        int32_t *ends = &nodes->index[2 * s];
        const double *a = &mesh->coordinates[2 * (int64_t)ends[0]];
        const double *b = &mesh->coordinates[2 * (int64_t)ends[1]];
        double c[2];
        tess_plane_centre(mesh, corners, cells->index[s * cells->arity], c);
        if ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) < 0) {
            const int32_t first = ends[0];
            ends[0] = ends[1];
            ends[1] = first;
        }
    }
}

tess_status tess_plane_bind(tess_mesh *mesh) {
    if (!tess_mesh_find_map(mesh, "cells:nodes"))
        TRY(unite_cells(mesh));
    turn_sides(mesh, "edges:nodes", "edges:cells");
    turn_sides(mesh, "bedges:nodes", "bedges:cells");
    return TESS_OK;
}
