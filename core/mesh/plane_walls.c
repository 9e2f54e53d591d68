/* Walls: which sides of a mesh in the plane bound a body, and which the far field. */
#include "core/mesh/plane_walls.h"

#include "core/base/array.h"
#include "core/base/union_find.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

tess_plane_box tess_plane_box_of(const tess_mesh *mesh) {
    const int64_t n = tess_mesh_set_size(mesh, "nodes");
    const double *x = mesh->coordinates;
    double left = INFINITY, right = -INFINITY, bottom = INFINITY, top = -INFINITY;
#pragma omp parallel for reduction(min : left, bottom) reduction(max : right, top)
    for (int64_t i = 0; i < n; i++) {
        left = fmin(left, x[2 * i]);
        right = fmax(right, x[2 * i]);
        bottom = fmin(bottom, x[2 * i + 1]);
        top = fmax(top, x[2 * i + 1]);
    }
    return (tess_plane_box){{left, bottom}, {right, top}};
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
        bound[s] = of[s] >= 0 && names_a_wall(mesh->markers[of[s]]) ? TESS_PLANE_WALL
                                                                    : TESS_PLANE_FAR_FIELD;
    return true;
}

/* Sides joined at nodes make lines; a line that touches the bounding box is far field. */
static tess_status walls_by_position(const tess_mesh *mesh, int32_t *bound) {
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
        tess_sets_join(parent, nodes->index[2 * s], nodes->index[2 * s + 1]);
    for (int64_t i = 0; i < 2 * n; i++) {
        const double *x = &mesh->coordinates[2 * (int64_t)nodes->index[i]];
        for (int d = 0; d < 2; d++) {
            const double margin = 1e-6 * (box.high[d] - box.low[d]);
            if (x[d] < box.low[d] + margin || x[d] > box.high[d] - margin)
                far_field[tess_root_of(parent, nodes->index[i])] = true;
        }
    }
    for (int64_t s = 0; s < n; s++)
        bound[s] = far_field[tess_root_of(parent, nodes->index[2 * s])] ? TESS_PLANE_FAR_FIELD
                                                                        : TESS_PLANE_WALL;
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
    return walls_by_marker(mesh, bound) ? TESS_OK : walls_by_position(mesh, bound);
}
