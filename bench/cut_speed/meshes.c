/* Meshes that are cut: squares of quads, cubes of tets. */
#include "bench/cut_speed/meshes.h"

#include "core/base/array.h"
#include "core/mesh/derive.h"
#include "data/mesh_open.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static uint64_t next_random(uint64_t *seed) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 33;
}

/* Puts the element at a place of the structured mesh there. */
static void fill_place(int dimension, int64_t side, int64_t at, double *x, uint64_t *seed) {
    static const double tets[6][3] = {{3, 2, 1}, {3, 1, 2}, {2, 3, 1},
                                      {1, 3, 2}, {2, 1, 3}, {1, 2, 3}};
    if (dimension == 2) {
        x[0] = ((double)(at % side) + 0.5) / (double)side;
        x[1] = ((double)(at / side) + 0.5) / (double)side;
        return;
    }
    const int64_t hex = at / 6, of[3] = {hex % side, hex / side % side, hex / side / side};
    for (int d = 0; d < 3; d++)
        x[d] = ((double)of[d] + tets[at % 6][d] / 4 + (double)next_random(seed) * 0x1p-34) /
               (double)side;
}

tess_status places_build(int dimension, int64_t *n, double **out) {
    const double wanted = (double)*n;
    const int64_t side = dimension == 2 ? llround(sqrt(wanted)) : llround(cbrt(wanted / 6));
    uint64_t seed = 7;
    *n = dimension == 2 ? side * side : 6 * side * side * side;
    TRY(TESS_ALLOC(*n * dimension, out));
    double *x = *out;
    for (int64_t e = 0; e < *n; e++)
        fill_place(dimension, side, e, x + e * dimension, &seed);
    for (int64_t e = *n - 1; e > 0; e--) { /* Fisher and Yates */
        const int64_t other = (int64_t)(next_random(&seed) % (uint64_t)(e + 1));
        for (int d = 0; d < dimension; d++) {
            const double kept = x[e * dimension + d];
            x[e * dimension + d] = x[other * dimension + d];
            x[other * dimension + d] = kept;
        }
    }
    return TESS_OK;
}

/* A dat of four doubles on cells. */
static tess_status add_state(tess_mesh *mesh) {
    const int64_t n = 4 * tess_mesh_set_size(mesh, "cells");
    double *state = NULL;
    TRY(TESS_ALLOC(n, &state));
    for (int64_t i = 0; i < n; i++)
        state[i] = (double)i;
    return tess_mesh_add_dat(mesh, "state", "cells", 4, TESS_DOUBLE, state);
}

/* Adds the nodes of nx by nx cells. */
static tess_status add_nodes(int32_t nx, tess_mesh *mesh) {
    const int64_t n_cells = (int64_t)nx * nx, n_nodes = (int64_t)(nx + 1) * (nx + 1);
    int32_t *index = NULL;
    TRY(tess_mesh_add_set(mesh, "nodes", n_nodes, NULL));
    TRY(TESS_ALLOC(2 * n_nodes, &mesh->coordinates));
    for (int64_t i = 0; i < 2 * n_nodes; i++)
        mesh->coordinates[i] = (double)(i % 2 ? i / 2 / (nx + 1) : i / 2 % (nx + 1));
    TRY(TESS_ALLOC(4 * n_cells, &index));
    for (int64_t c = 0; c < n_cells; c++) {
        const int32_t corner = (int32_t)(c / nx * (nx + 1) + c % nx);
        const int32_t around[] = {corner, corner + 1, corner + nx + 2, corner + nx + 1};
        memcpy(index + 4 * c, around, sizeof around);
    }
    TRY(tess_mesh_add_map(mesh, "cells", "nodes", 4, 0, index));
    return add_state(mesh);
}

tess_status edges_build(int32_t nx, double **places, tess_mesh **out) {
    const int64_t n_cells = (int64_t)nx * nx, n = 2 * (n_cells - nx);
    tess_mesh *mesh = NULL;
    int32_t *index = NULL;
    TRY(tess_mesh_new("quads", 2, &mesh));
    *out = mesh;
    TRY(tess_mesh_add_set(mesh, "cells", n_cells, NULL));
    TRY(tess_mesh_add_set(mesh, "edges", n, NULL));
    TRY(TESS_ALLOC(2 * n, &index));
    TRY(TESS_ALLOC(2 * n, places));
    for (int64_t c = 0, at = 0; c < n_cells; c++)
        for (int up = 0; up < 2; up++) {
            if (up ? c + nx >= n_cells : (c + 1) % nx == 0)
                continue;
            index[2 * at] = (int32_t)c;
            index[2 * at + 1] = (int32_t)(c + (up ? nx : 1));
            (*places)[2 * at] = (double)(c % nx) + (up ? 0 : 0.5);
            (*places)[2 * at++ + 1] = (double)(c / nx) + (up ? 0.5 : 0);
        }
    TRY(tess_mesh_add_map(mesh, "edges", "cells", 2, 0, index));
    return add_nodes(nx, mesh);
}

tess_status tets_build(int64_t n_cells, const char *numbered, tess_mesh **out) {
    static const char *const names[] = {"cells", "faces", "nodes"};
    static const char *const maps[] = {"faces:cells", "cells:nodes"};
    tess_status status = TESS_OK;
    tess_mesh *from = NULL, *mesh = NULL;
    char text[96];
    const long long nx = llround(cbrt((double)n_cells / 6));
    snprintf(text, sizeof text, "tets:nx=%lld:ny=%lld:nz=%lld%s", nx, nx, nx, numbered);
    TRY(tess_mesh_open(text, &from));
    CHECK(tess_mesh_derive(from, maps[0]));
    CHECK(tess_mesh_new("tets", 3, &mesh));
    *out = mesh;
    for (int i = 0; i < 3; i++)
        CHECK(tess_mesh_add_set(mesh, names[i], tess_mesh_set_size(from, names[i]), NULL));
    CHECK(TESS_COPY(3 * mesh->sets[2].size, from->coordinates, &mesh->coordinates));
    for (int i = 0; i < 2; i++) {
        int32_t *index = NULL;
        const tess_map *map = tess_mesh_find_map(from, maps[i]);
        CHECK(TESS_COPY(from->sets[map->from].size * map->arity, map->index, &index));
        CHECK(tess_mesh_add_map(mesh, names[1 - i], names[2 * i], map->arity, 0, index));
    }
    CHECK(add_state(mesh));
done:
    tess_mesh_free(from);
    return status;
}

tess_status middles_build(const tess_mesh *mesh, double **out) {
    const int32_t *nodes = mesh->maps[1].index;
    const int64_t n = mesh->sets[0].size;
    const int dimension = mesh->dimension;
    TRY(TESS_ZEROS(n * dimension, out));
    for (int64_t i = 0; i < 4 * n; i++)
        for (int d = 0; d < dimension; d++)
            (*out)[i / 4 * dimension + d] +=
                mesh->coordinates[nodes[i] * (int64_t)dimension + d] / 4;
    return TESS_OK;
}
