/* The plane: what applications on 2D meshes share. */
#include "kernels/applications/plane.h"

#include "core/base/array.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WALL = 1, FAR_FIELD = 2, CORNERS = 4 };

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

tess_plane_box tess_plane_box_of(const tess_mesh *mesh) {
    tess_plane_box box = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
    const int64_t n = tess_mesh_set_size(mesh, "nodes");
    for (int64_t i = 0; i < 2 * n; i++) {
        box.low[i % 2] = fmin(box.low[i % 2], mesh->coordinates[i]);
        box.high[i % 2] = fmax(box.high[i % 2], mesh->coordinates[i]);
    }
    return box;
}

/* cells:nodes of a mesh of triangles and quads. */
static tess_status unite_cells(tess_mesh *mesh) {
    static const char *const types[] = {"tris", "quads"};
    const int64_t n = tess_mesh_set_size(mesh, "cells");
    int32_t *index = NULL;
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

static bool names_a_wall(const char *marker) {
    static const char *const words[] = {"wall", "airfoil", "body", "cylinder", "naca", "solid"};
    char lower[TESS_NAME_SIZE] = "";
    for (size_t i = 0; marker[i] && i < sizeof lower - 1; i++)
        lower[i] = (char)tolower((unsigned char)marker[i]);
    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++)
        if (strstr(lower, words[w]))
            return true;
    return false;
}

static bool walls_by_marker(const tess_mesh *mesh, int32_t *bound) {
    const tess_dat *marker = tess_mesh_find_dat(mesh, "marker", "bedges");
    bool found = false;
    for (int m = 0; marker && m < mesh->n_markers; m++)
        found |= names_a_wall(mesh->markers[m]);
    if (!found)
        return false;
    const int32_t *of = marker->values;
    for (int64_t s = 0; s < mesh->sets[marker->set].size; s++)
        bound[s] = of[s] >= 0 && names_a_wall(mesh->markers[of[s]]) ? WALL : FAR_FIELD;
    return true;
}

static int32_t root_of(int32_t *parent, int32_t node) {
    while (parent[node] != node)
        node = parent[node] = parent[parent[node]];
    return node;
}

/* Sides joined at nodes make lines; a line that touches the bounding box is far field. */
static tess_status walls_by_place(const tess_mesh *mesh, int32_t *bound) {
    tess_status status = TESS_OK;
    const tess_map *nodes = tess_mesh_find_map(mesh, "bedges:nodes");
    const int64_t n_nodes = tess_mesh_set_size(mesh, "nodes"), n = mesh->sets[nodes->from].size;
    const tess_plane_box box = tess_plane_box_of(mesh);
    int32_t *parent = NULL;
    bool *far_field = NULL;
    CHECK(TESS_ALLOC(n_nodes, &parent));
    CHECK(TESS_ZEROS(n_nodes, &far_field));
    for (int64_t i = 0; i < n_nodes; i++)
        parent[i] = (int32_t)i;
    for (int64_t s = 0; s < n; s++)
        parent[root_of(parent, nodes->index[2 * s])] = root_of(parent, nodes->index[2 * s + 1]);
    for (int64_t i = 0; i < 2 * n; i++) {
        const double *x = &mesh->coordinates[2 * (int64_t)nodes->index[i]];
        for (int d = 0; d < 2; d++) {
            const double margin = 1e-6 * (box.high[d] - box.low[d]);
            if (x[d] < box.low[d] + margin || x[d] > box.high[d] - margin)
                far_field[root_of(parent, nodes->index[i])] = true;
        }
    }
    for (int64_t s = 0; s < n; s++)
        bound[s] = far_field[root_of(parent, nodes->index[2 * s])] ? FAR_FIELD : WALL;
done:
    free(far_field);
    free(parent);
    return status;
}

tess_status tess_plane_walls(const tess_mesh *mesh, int32_t *bound) {
    const tess_dat *stated = tess_mesh_find_dat(mesh, "bound", "bedges");
    if (stated && stated->type == TESS_INT32 && stated->dim == 1) {
        memcpy(bound, stated->values, (size_t)mesh->sets[stated->set].size * sizeof *bound);
        return TESS_OK;
    }
    return walls_by_marker(mesh, bound) ? TESS_OK : walls_by_place(mesh, bound);
}
