/* Small meshes for tests of core: a box of quads with its edges, and random maps of any arity. */
#pragma once

#include "core/base/array.h"
#include "core/base/splitmix.h"
#include "core/plan/loop.h"
#include "tests/unit.h"

static inline int random_below(uint64_t *seed, int64_t n) {
    return (int)(tess_random_next(seed) % (uint64_t)n);
}

/* nx by ny quads of side 1 with cells:nodes and the interior edges' edges:cells and edges:nodes;
 * cell (i, j) is j * nx + i, edges come cell by cell, the right one before the upper. */
static inline tess_mesh *quad_mesh(int nx, int ny) {
    tess_mesh *mesh = NULL;
    OK(tess_mesh_new("quads", 2, &mesh));
    const int n_edges = (nx - 1) * ny + nx * (ny - 1);
    OK(tess_mesh_add_set(mesh, "nodes", (nx + 1) * (ny + 1), NULL));
    OK(tess_mesh_add_set(mesh, "cells", nx * ny, NULL));
    OK(tess_mesh_add_set(mesh, "edges", n_edges, NULL));
    int32_t *cell_nodes = NULL, *edge_cells = NULL, *edge_nodes = NULL;
    OK(TESS_ALLOC(4 * nx * ny, &cell_nodes));
    OK(TESS_ALLOC(2 * n_edges, &edge_cells));
    OK(TESS_ALLOC(2 * n_edges, &edge_nodes));
    OK(TESS_ALLOC(2 * (nx + 1) * (ny + 1), &mesh->coordinates));
    for (int n = 0; n < (nx + 1) * (ny + 1); n++) {
        mesh->coordinates[2 * n] = n % (nx + 1);
        mesh->coordinates[2 * n + 1] = n / (nx + 1);
    }
    for (int j = 0, edge = 0; j < ny; j++) {
        for (int i = 0; i < nx; i++) {
            const int cell = j * nx + i, corner = j * (nx + 1) + i;
            const int32_t around[] = {corner, corner + 1, corner + nx + 2, corner + nx + 1};
            memcpy(cell_nodes + 4 * cell, around, sizeof around);
            for (int side = 1; side <= 2; side++) {
                if (side == 1 ? i + 1 == nx : j + 1 == ny)
                    continue;
                edge_cells[2 * edge] = cell;
                edge_cells[2 * edge + 1] = side == 1 ? cell + 1 : cell + nx;
                edge_nodes[2 * edge] = around[side];
                edge_nodes[2 * edge + 1] = around[side + 1];
                edge++;
            }
        }
    }
    OK(tess_mesh_add_map(mesh, "cells", "nodes", 4, 0, cell_nodes));
    OK(tess_mesh_add_map(mesh, "edges", "cells", 2, 0, edge_cells));
    OK(tess_mesh_add_map(mesh, "edges", "nodes", 2, 0, edge_nodes));
    mesh->shape[0] = nx;
    mesh->shape[1] = ny;
    return mesh;
}

/* A mesh of the set `elements` and one map to each of n_maps sets a, b, ... of at most most_points:
 * random sizes and arities, padded at random. */
static inline tess_mesh *random_mesh_of(uint64_t *seed, int n_maps, int most_points) {
    tess_mesh *mesh = NULL;
    OK(tess_mesh_new("random", 2, &mesh));
    const int n = 1 + random_below(seed, 60);
    OK(tess_mesh_add_set(mesh, "elements", n, NULL));
    for (int m = 0; m < n_maps; m++) {
        const char name[] = {(char)('a' + m), '\0'};
        const int n_points = 1 + random_below(seed, most_points);
        const int arity = 1 + random_below(seed, 5);
        const bool padded = random_below(seed, 2);
        OK(tess_mesh_add_set(mesh, name, n_points, NULL));
        int32_t *index = NULL;
        OK(TESS_ALLOC(n * arity, &index));
        for (int e = 0; e < n; e++) {
            const int used = padded ? random_below(seed, arity + 1) : arity;
            for (int s = 0; s < arity; s++)
                index[e * arity + s] = s < used ? random_below(seed, n_points) : -1;
        }
        OK(tess_mesh_add_map(mesh, "elements", name, arity, padded ? TESS_MAP_PADDED : 0, index));
    }
    return mesh;
}

static inline tess_mesh *random_mesh(uint64_t *seed, int n_maps) {
    return random_mesh_of(seed, n_maps, 40);
}

/* Adds an arg of doubles, on the loop's own set where `map` is "". */
static inline void add_arg(tess_loop *loop, const char *dat, const char *map, int slot, int dim,
                           tess_access access) {
    const char *to = strchr(map, ':');
    tess_arg arg = {.slot = slot, .dim = dim, .type = TESS_DOUBLE, .access = access};
    snprintf(arg.dat, sizeof arg.dat, "%s", dat);
    snprintf(arg.set, sizeof arg.set, "%s", to ? to + 1 : loop->set);
    snprintf(arg.map, sizeof arg.map, "%s", map);
    OK(tess_loop_add_arg(loop, &arg));
}

/* A loop over `elements` of a random mesh: one arg a map, incremented where the bit of the map is
 * set in `incremented`, else read. */
static inline tess_loop *random_loop(const tess_mesh *mesh, unsigned incremented) {
    tess_loop *loop = NULL;
    OK(tess_loop_new("random", "elements", &loop));
    for (int m = 0; m < mesh->n_maps; m++) {
        char dat[16];
        snprintf(dat, sizeof dat, "dat%d", m);
        add_arg(loop, dat, mesh->maps[m].name, -1, 1 + m,
                incremented >> m & 1 ? TESS_INC : TESS_READ);
    }
    return loop;
}

/* A loop with an arg a slot: slots of an incremented map are read or incremented at random. */
static inline tess_loop *random_loop_of_slots(uint64_t *seed, const tess_mesh *mesh,
                                              unsigned incremented) {
    tess_loop *loop = NULL;
    OK(tess_loop_new("random", "elements", &loop));
    for (int m = 0; m < mesh->n_maps; m++) {
        char dat[16];
        snprintf(dat, sizeof dat, "dat%d", m);
        for (int slot = 0; slot < mesh->maps[m].arity; slot++)
            add_arg(loop, dat, mesh->maps[m].name, slot, 1 + m,
                    (incremented >> m & 1) && random_below(seed, 2) ? TESS_INC : TESS_READ);
    }
    return loop;
}
