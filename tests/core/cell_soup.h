/* Meshes of cells chosen by hand or at random, mixed, non-manifold and collapsed, for tests of the
 * derivation. */
#pragma once

#include "core/mesh/cell_type.h"
#include "core/mesh/derive.h"
#include "tests/core/small_mesh.h"

static inline int32_t *copy_of(int64_t n, const int32_t *values) {
    int32_t *copy = NULL;
    OK(TESS_ALLOC(n, &copy));
    memcpy(copy, values, (size_t)n * sizeof *copy);
    return copy;
}

/* A mesh of nodes without coordinates that matter. */
static inline tess_mesh *mesh_of_nodes(int dimension, int64_t n_nodes) {
    tess_mesh *mesh = NULL;
    OK(tess_mesh_new("test", dimension, &mesh));
    OK(tess_mesh_add_set(mesh, "nodes", n_nodes, NULL));
    OK(TESS_ZEROS(n_nodes * dimension, &mesh->coordinates));
    return mesh;
}

/* n cells of one type with nodes given or, where NULL, chosen at random (repeated ones, too). */
static inline tess_mesh *cells_of_one_type(const char *set, int64_t n_nodes, int64_t n,
                                           const int32_t *nodes, uint64_t seed) {
    const tess_cell_type *type = tess_cell_type_of_set(set);
    tess_mesh *mesh = mesh_of_nodes(type->dimension, n_nodes);
    int32_t *index = NULL;
    OK(TESS_ALLOC(n * type->n_nodes, &index));
    for (int64_t i = 0; i < n * type->n_nodes; i++)
        index[i] = nodes ? nodes[i] : (int32_t)(tess_random_next(&seed) % (uint64_t)n_nodes);
    OK(tess_mesh_add_set(mesh, "cells", n, NULL));
    OK(tess_mesh_add_map(mesh, "cells", "nodes", type->n_nodes, 0, index));
    return mesh;
}

/* n cells of the given types in turn at random, with random nodes. */
static inline tess_mesh *soup(int n_types, const char *const *sets, int64_t n_nodes, int64_t n,
                              uint64_t seed) {
    tess_mesh *mesh = mesh_of_nodes(tess_cell_type_of_set(sets[0])->dimension, n_nodes);
    OK(tess_mesh_add_set(mesh, "cells", n, NULL));
    int *type_of = NULL;
    OK(TESS_ALLOC(n, &type_of));
    for (int64_t i = 0; i < n; i++)
        type_of[i] = (int)(tess_random_next(&seed) % (uint64_t)n_types);
    for (int t = 0; t < n_types; t++) {
        const int n_cell_nodes = tess_cell_type_of_set(sets[t])->n_nodes;
        int32_t *nodes = NULL, *cell = NULL;
        OK(TESS_ALLOC(n * n_cell_nodes, &nodes));
        OK(TESS_ALLOC(n, &cell));
        int64_t of_type = 0;
        for (int64_t i = 0; i < n; i++)
            if (type_of[i] == t)
                cell[of_type++] = (int32_t)i;
        for (int64_t i = 0; i < of_type * n_cell_nodes; i++)
            nodes[i] = (int32_t)(tess_random_next(&seed) % (uint64_t)n_nodes);
        OK(tess_mesh_add_set(mesh, sets[t], of_type, NULL));
        OK(tess_mesh_add_map(mesh, sets[t], "nodes", n_cell_nodes, 0, nodes));
        OK(tess_mesh_add_map(mesh, sets[t], "cells", 1, 0, cell));
    }
    free(type_of);
    return mesh;
}

static inline const int32_t *index_of(const tess_mesh *mesh, const char *name) {
    const tess_map *map = tess_mesh_find_map(mesh, name);
    if (!map)
        fail_msg("map %s is missing", name);
    return map->index;
}
