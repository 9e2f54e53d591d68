/* lulesh: Lagrangian hydrodynamics on hexes, Sedov's blast from a corner. */
#include "kernels/devices/embed.h"
#include "kernels/loops/kernel_table.h"

#include <math.h>

typedef double real;
#include "kernels/loops/arithmetic_words.h"

#include "kernels/applications/lulesh/lulesh_kernels.h"

TESS_EMBED(tess_lulesh_text, "kernels/applications/lulesh/lulesh_kernels.h");

REFERENCE(integrate_stress, 4)
REFERENCE(init_stress, 3)
REFERENCE(move_nodes, 5)

static const tess_kernel_arg integrate_stress_args[] = {
    ARG_THROUGH("hexes:nodes", -1, "nodes", "x", 3, "real", TESS_READ),
    ARG_ON("hexes", "stress", 3, "real", TESS_READ),
    ARG_ON("hexes", "volume", 1, "real", TESS_WRITE),
    ARG_THROUGH("hexes:nodes", -1, "nodes", "force", 3, "real", TESS_INC),
};

static const tess_kernel_arg init_stress_args[] = {
    ARG_ON("hexes", "pressure", 1, "real", TESS_READ),
    ARG_ON("hexes", "viscosity", 1, "real", TESS_READ),
    ARG_ON("hexes", "stress", 3, "real", TESS_WRITE),
};

static const tess_kernel_arg move_nodes_args[] = {
    ARG_GLOBAL("dt", 1, "real", TESS_READ),   ARG_ON("nodes", "mass", 1, "real", TESS_READ),
    ARG_CLEARED("nodes", "force", 3, "real"), ARG_ON("nodes", "u", 3, "real", TESS_RW),
    ARG_ON("nodes", "x", 3, "real", TESS_RW),
};

static const tess_kernel kernels[] = {
    {KERNEL_OVER("hexes", integrate_stress, tess_lulesh_text), .flops = 318},
    {KERNEL_OVER("hexes", init_stress, tess_lulesh_text)},
    {KERNEL_OVER("nodes", move_nodes, tess_lulesh_text)},
};

static const char *const maps[] = {"hexes:nodes", NULL};
static const char *const step[] = {"init_stress", "integrate_stress", "move_nodes", NULL};

/* Pressure falls off from the corner of the lowest node; every node weighs an eighth of each of its
 * hexes, density 1. */
static tess_status start(const tess_mesh *mesh, tess_state *state) {
    const tess_map *corners = tess_mesh_find_map(mesh, "hexes:nodes");
    tess_dat *mass = tess_state_find(state, "mass", "nodes");
    tess_dat *pressure = tess_state_find(state, "pressure", "hexes");
    tess_dat *viscosity = tess_state_find(state, "viscosity", "hexes");
    tess_state_put_coordinates(state, "x");
    double smallest = INFINITY;
    for (int64_t c = 0; c < tess_state_size(state, pressure); c++) {
        const int32_t *nodes = &corners->index[8 * c];
        double corner[24], stress[3] = {0}, volume = 0, force[24] = {0}, distance = 0;
        for (int i = 0; i < 24; i++)
            corner[i] = mesh->coordinates[3 * (int64_t)nodes[i / 3] + i % 3];
        integrate_stress(corner, stress, &volume, force);
        smallest = fmin(smallest, fabs(volume));
        for (int d = 0; d < 3; d++)
            distance = hypot(distance, corner[d] - mesh->coordinates[d]);
        for (int i = 0; i < 8; i++)
            tess_dat_set(mass, nodes[i], tess_dat_value(mass, nodes[i]) + fabs(volume) / 8);
        tess_dat_set(pressure, c, 1e-3 + exp(-4 * distance));
        tess_dat_set(viscosity, c, 0.01 * exp(-8 * distance));
    }
    tess_dat_set(tess_state_find(state, "dt", NULL), 0, 0.02 * cbrt(smallest));
    return TESS_OK;
}

static const char *const cells[] = {"hexes", NULL};

const tess_application tess_application_lulesh = {
    .name = "lulesh",
    .summary = "Lagrangian hydrodynamics on hexes: stress integrated to the nodes",
    .reference = "Karlin et al. 2013 (LULESH 2.0); Sulyok et al. 2019, section 3.1.4",
    .precision = TESS_DOUBLE,
    .dimension = 3,
    APPLICATION_OF(kernels, maps, step),
    .cells = cells,
    .start = start,
};
