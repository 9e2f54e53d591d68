/* Meshes of cells of several types, made cell by cell. */
#pragma once

#include "tests/data/generated_mesh.h"

/* A mesh of nodes at x [n_nodes][dimension] and of cells that are yet to be added. */
static inline tess_mesh *mesh_of_nodes(int dimension, int n_nodes, const double *x, int n_cells) {
    tess_mesh *mesh = NULL;
    OK(tess_mesh_new("mixed", dimension, &mesh));
    OK(tess_mesh_add_set(mesh, "nodes", n_nodes, NULL));
    OK(TESS_ALLOC(n_nodes * dimension, &mesh->coordinates));
    memcpy(mesh->coordinates, x, (size_t)(n_nodes * dimension) * sizeof *x);
    OK(tess_mesh_add_set(mesh, "cells", n_cells, NULL));
    return mesh;
}

/* Adds n cells of one type: their nodes [n][n_nodes], and which cells they are. */
static inline void add_type(tess_mesh *mesh, const char *set, int n, int n_nodes,
                            const int32_t *nodes, const int32_t *cell) {
    int32_t *index = NULL, *position = NULL;
    OK(TESS_ALLOC(n * n_nodes, &index));
    OK(TESS_ALLOC(n, &position));
    memcpy(index, nodes, (size_t)(n * n_nodes) * sizeof *nodes);
    memcpy(position, cell, (size_t)n * sizeof *cell);
    OK(tess_mesh_add_set(mesh, set, n, NULL));
    OK(tess_mesh_add_map(mesh, set, "nodes", n_nodes, 0, index));
    OK(tess_mesh_add_map(mesh, set, "cells", 1, 0, position));
}
