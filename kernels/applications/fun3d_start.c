/* The start of fun3d: a free stream with a smooth swirl, at rest at walls. */
#include "kernels/applications/fun3d_start.h"

#include "core/base/array.h"
#include "kernels/applications/dual_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double mach = 0.5, reynolds = 5000, courant = 0.5;

/* The free stream along x with a smooth swirl; `place` in a box of side 1 around the mesh. */
static void start_node(const double *position, bool wall, double *q, double *amut) {
    double square = 0;
    for (int d = 0; d < 3; d++)
        square += (position[d] - 0.5) * (position[d] - 0.5);
    const double bump = 0.1 * exp(-8 * square);
    q[0] = 1 + 0.5 * bump;
    q[1] = wall ? 0 : mach * (1 + bump);
    q[2] = wall ? 0 : 0.3 * bump * (position[2] - 0.5);
    q[3] = wall ? 0 : -0.3 * bump * (position[1] - 0.5);
    q[4] = (1 + bump) / 1.4;
    *amut = wall ? 0 : 30 * bump;
}

/* Marks the nodes of the boundary that is marked "wall". */
static void find_walls(const tess_mesh *mesh, bool *wall) {
    static const char *const sets[] = {"marked_tris", "marked_quads"};
    for (int s = 0; s < 2; s++) {
        const tess_map *map = tess_mesh_find_map_between(mesh, sets[s], "nodes");
        const tess_dat *marker = tess_mesh_find_dat(mesh, "marker", sets[s]);
        for (int64_t i = 0; map && marker && i < mesh->sets[map->from].size * map->arity; i++) {
            const int32_t of = ((const int32_t *)marker->values)[i / map->arity];
            if (of >= 0 && strcmp(mesh->markers[of], "wall") == 0)
                wall[map->index[i]] = true;
        }
    }
}

/* Steps of explicit time over the dual volumes: by the speed of sound through the dual faces and by
 * what diffuses through them. A node of no cell stays as it is. */
static void start_steps(const tess_mesh *mesh, const tess_dual_mesh *dual, tess_state *state) {
    const int32_t *nodes = tess_mesh_find_map(mesh, "left_edges:nodes")->index;
    tess_dat *steps = tess_state_find(state, "step", "nodes");
    const tess_dat *amut = tess_state_find(state, "amut", "nodes");
    for (int64_t i = 0; i < 2 * dual->n_edges; i++) {
        const int64_t at = nodes[i], to = nodes[i ^ 1];
        const double viscosity = 1 + fmax(tess_dat_value(amut, at), tess_dat_value(amut, to));
        double square = 0;
        for (int d = 0; d < 3; d++)
            square += pow(mesh->coordinates[3 * to + d] - mesh->coordinates[3 * at + d], 2);
        const double rate = 1 + mach + 4 * mach / reynolds * viscosity / sqrt(square);
        tess_dat_set(steps, at, tess_dat_value(steps, at) + dual->normal[4 * (i / 2) + 3] * rate);
    }
    for (int64_t i = 0; i < dual->n_nodes; i++)
        if (tess_dat_value(steps, i) > 0)
            tess_dat_set(steps, i, courant / tess_dat_value(steps, i));
}

/* R of a node's QR factorisation, and the sums that the loops qr_... make it of. */
static void start_factors(int64_t node, const double *r, tess_state *state) {
    const double sums[6] = {r[0] * r[0], r[0] * r[1], r[0] * r[2],
                            r[3] * r[3], r[3] * r[4], r[5] * r[5]};
    for (int v = 0; v < 6; v++)
        tess_dat_set(tess_state_find(state, "r", "nodes"), 6 * node + v, r[v]);
    for (int v = 0; v < 3; v++)
        tess_dat_set(tess_state_find(state, "qr_first", "nodes"), 3 * node + v, sums[v]);
    for (int v = 0; v < 2; v++)
        tess_dat_set(tess_state_find(state, "qr_second", "nodes"), 2 * node + v, sums[3 + v]);
    tess_dat_set(tess_state_find(state, "qr_third", "nodes"), node, sums[5]);
}

static void start_nodes(const tess_mesh *mesh, const tess_dual_mesh *dual, const bool *wall,
                        tess_state *state) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, size = 0;
    for (int64_t i = 0; i < 3 * dual->n_nodes; i++)
        low[i % 3] = fmin(low[i % 3], mesh->coordinates[i]);
    for (int64_t i = 0; i < 3 * dual->n_nodes; i++)
        size = fmax(size, mesh->coordinates[i] - low[i % 3]);
    for (int64_t i = 0; i < dual->n_nodes; i++) {
        double position[3], q[5], amut = 0;
        for (int d = 0; d < 3; d++) {
            const double x = mesh->coordinates[3 * i + d];
            position[d] = (x - low[d]) / size;
            tess_dat_set(tess_state_find(state, "x", "nodes"), 3 * i + d, x);
        }
        start_node(position, wall[i], q, &amut);
        for (int v = 0; v < 5; v++)
            tess_dat_set(tess_state_find(state, "q", "nodes"), 5 * i + v, q[v]);
        start_factors(i, dual->factors + 6 * i, state);
        tess_dat_set(tess_state_find(state, "amut", "nodes"), i, amut);
        tess_dat_set(tess_state_find(state, "held", "nodes"), i, dual->outer[i]);
    }
    for (int64_t i = 0; i < 4 * dual->n_edges; i++)
        tess_dat_set(tess_state_find(state, "normal", "left_edges"), i, dual->normal[i]);
    tess_dat_set(tess_state_find(state, "scale", NULL), 0, mach / reynolds);
}

tess_status tess_fun3d_start(const tess_mesh *mesh, tess_state *state) {
    tess_status status = TESS_OK;
    tess_dual_mesh dual = {.n_nodes = 0};
    bool *wall = NULL;
    CHECK(tess_dual_mesh_build(mesh, &dual));
    CHECK(TESS_ZEROS(dual.n_nodes, &wall));
    find_walls(mesh, wall);
    start_nodes(mesh, &dual, wall, state);
    start_steps(mesh, &dual, state);
done:
    free(wall);
    tess_dual_mesh_clear(&dual);
    return status;
}
