/* Meshes made by their names, for tests of data: their volume, boundary and Euler number. */
#pragma once

#include "core/mesh/cells.h"
#include "core/mesh/derive.h"
#include "tests/data/generated_mesh.h"

#include <math.h>

static inline double tet_volume(const double *a, const double *b, const double *c,
                                const double *d) {
    double u[3], v[3], w[3];
    for (int i = 0; i < 3; i++) {
        u[i] = b[i] - a[i];
        v[i] = c[i] - a[i];
        w[i] = d[i] - a[i];
    }
    return ((u[1] * v[2] - u[2] * v[1]) * w[0] + (u[2] * v[0] - u[0] * v[2]) * w[1] +
            (u[0] * v[1] - u[1] * v[0]) * w[2]) /
           6;
}

/* Area or volume of a cell, positive where its nodes are in VTK's order. */
static inline double cell_volume(const tess_mesh *mesh, const tess_cell_type *type,
                                 const int32_t *nodes) {
    const double *x = mesh->coordinates;
    double volume = 0;
    if (type->dimension == 2) {
        for (int i = 0; i < type->n_nodes; i++) {
            const double *a = x + 2 * nodes[i], *b = x + 2 * nodes[(i + 1) % type->n_nodes];
            volume += (a[0] * b[1] - a[1] * b[0]) / 2;
        }
        return volume;
    }
    /* from node 0 to the outward faces; quads from their mean */
    double middle[3] = {0};
    for (int i = 0; i < type->n_nodes; i++)
        for (int d = 0; d < 3; d++)
            middle[d] += x[3 * nodes[i] + d] / type->n_nodes;
    for (int f = 0; f < type->n_faces; f++) {
        const int n = tess_cell_face_size(type, f);
        double centre[3] = {0};
        for (int i = 0; i < n; i++)
            for (int d = 0; d < 3; d++)
                centre[d] += x[3 * nodes[type->face[f][i]] + d] / n;
        for (int i = 0; i < n; i++)
            volume -= tet_volume(x + 3 * nodes[type->face[f][i]],
                                 x + 3 * nodes[type->face[f][(i + 1) % n]], centre, middle);
    }
    return volume;
}

/* The sum over all cells of a number, which is positive. */
static inline double sum_over_cells(const tess_mesh *mesh,
                                    double (*number_of)(const tess_mesh *mesh,
                                                        const tess_cell_type *type,
                                                        const int32_t *nodes)) {
    tess_cells cells;
    OK(tess_cells_build(mesh, &cells));
    double sum = 0;
    for (int64_t cell = 0; cell < cells.n_cells; cell++) {
        const tess_cell_type *type = NULL;
        const int32_t *nodes = tess_cell_nodes(&cells, cell, &type);
        const double number = number_of(mesh, type, nodes);
        assert_true(number > 0);
        sum += number;
    }
    tess_cells_release(&cells);
    return sum;
}

static inline double volume_of(const tess_mesh *mesh) {
    return sum_over_cells(mesh, cell_volume);
}

/* Derives all; every boundary side is marked, with each of n_markers. Cells that cross a periodic
 * side are the only warning. */
static inline void assert_marked(tess_mesh *mesh, int n_markers) {
    const char *set = mesh->dimension == 2 ? "bedges" : "bfaces";
    OK(tess_mesh_derive_all(mesh));
    for (int64_t i = 0; i < mesh->n_warnings; i++)
        assert_non_null(strstr(mesh->warnings[i], "cells cross the joined side"));
    assert_int_equal(mesh->n_markers, n_markers);
    const tess_dat *marker = tess_mesh_find_dat(mesh, "marker", set);
    int64_t *count = NULL;
    OK(TESS_ZEROS(n_markers, &count));
    for (int64_t i = 0; i < tess_mesh_set_size(mesh, set) && n_markers; i++) {
        const int32_t value = ((const int32_t *)marker->values)[i];
        assert_in_range(value, 0, n_markers - 1);
        count[value]++;
    }
    for (int m = 0; m < n_markers; m++)
        assert_true(count[m] > 0);
    free(count);
}

/* nodes - edges + faces - cells: 1 for what has no hole. */
static inline int64_t euler(const tess_mesh *mesh) {
    const bool flat = mesh->dimension == 2;
    const int64_t edges =
        tess_mesh_set_size(mesh, "edges") + (flat ? tess_mesh_set_size(mesh, "bedges") : 0);
    const int64_t faces = tess_mesh_set_size(mesh, "faces") + tess_mesh_set_size(mesh, "bfaces");
    const int64_t cells = tess_mesh_set_size(mesh, "cells");
    return tess_mesh_set_size(mesh, "nodes") - edges + (flat ? cells : faces - cells);
}
