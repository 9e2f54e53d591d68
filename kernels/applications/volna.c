/* volna: the shallow-water equations over a bed, a wave that runs up a slope. */
#include "kernels/applications/plane.h"
#include "kernels/devices/embed.h"
#include "kernels/loops/kernel_table.h"

#include <math.h>

typedef double real;
#include "kernels/loops/arithmetic_words.h"

#include "kernels/applications/volna/volna_kernels.h"

TESS_EMBED(tess_volna_text, "kernels/applications/volna/volna_kernels.h");

REFERENCE(space_discretization, 8)
REFERENCE(compute_fluxes, 5)
REFERENCE(wall_pressure, 5)
REFERENCE(evolve, 5)

static const tess_kernel_arg space_discretization_args[] = {
    ARG_BOTH("edges:cells", "cells", "area", 1, "real", TESS_READ),
    ARG_ON("edges", "flux", 3, "real", TESS_READ),
    ARG_ON("edges", "source", 2, "real", TESS_READ),
    ARG_ON("edges", "normal", 2, "real", TESS_READ),
    ARG_ON("edges", "closed", 1, "int", TESS_READ),
    ARG_BOTH("edges:cells", "cells", "rate", 4, "real", TESS_INC),
};

static const tess_kernel_arg compute_fluxes_args[] = {
    ARG_BOTH("edges:cells", "cells", "q", 4, "real", TESS_READ),
    ARG_ON("edges", "normal", 2, "real", TESS_READ),
    ARG_ON("edges", "flux", 3, "real", TESS_WRITE),
    ARG_ON("edges", "source", 2, "real", TESS_WRITE),
};

static const tess_kernel_arg wall_pressure_args[] = {
    ARG_BOTH("bedges:nodes", "nodes", "x", 2, "real", TESS_READ),
    ARG_THROUGH("bedges:cells", 0, "cells", "q", 4, "real", TESS_READ),
    ARG_THROUGH("bedges:cells", 0, "cells", "area", 1, "real", TESS_READ),
    ARG_THROUGH("bedges:cells", 0, "cells", "rate", 4, "real", TESS_INC),
};

static const tess_kernel_arg evolve_args[] = {
    ARG_GLOBAL("dt", 1, "real", TESS_READ),        ARG_CLEARED("cells", "rate", 4, "real"),
    ARG_ON("cells", "q", 4, "real", TESS_RW),      ARG_GLOBAL("volume", 1, "real", TESS_INC),
    ARG_ON("cells", "area", 1, "real", TESS_READ),
};

static const tess_kernel kernels[] = {
    {KERNEL_OVER("edges", space_discretization, tess_volna_text), .flops = 23,
     .independent_ends = true},
    {KERNEL_OVER("edges", compute_fluxes, tess_volna_text)},
    {KERNEL_OVER("bedges", wall_pressure, tess_volna_text)},
    {KERNEL_OVER("cells", evolve, tess_volna_text)},
};

static const char *const maps[] = {"edges:nodes", "edges:cells", "bedges:nodes", "bedges:cells",
                                   NULL};
static const char *const step[] = {"compute_fluxes", "space_discretization", "wall_pressure",
                                   "evolve", NULL};

/* A hump of water over a bed that rises with x; the far end is dry. Lengths in units of the
 * domain's width. */
static void start_cell(const tess_plane_box *box, const double *centre, double *q) {
    const double width = box->high[0] - box->low[0];
    const double x = (centre[0] - box->low[0]) / width, y = (centre[1] - box->low[1]) / width;
    q[3] = -1 + 1.1 * x;
    q[0] = fmax(0.25 * exp(-40 * ((x - 0.3) * (x - 0.3) + (y - 0.4) * (y - 0.4))) - q[3], 0);
    q[1] = q[2] = 0;
}

/* Normals out of cell 0, as long as the edges; each adds to the areas (divergence theorem). */
static void start_edges(const tess_mesh *mesh, tess_dat *normal) {
    const tess_map *nodes = tess_mesh_find_map(mesh, "edges:nodes");
    for (int64_t e = 0; e < mesh->sets[nodes->from].size; e++) {
        const double *a = &mesh->coordinates[2 * (int64_t)nodes->index[2 * e]];
        const double *b = &mesh->coordinates[2 * (int64_t)nodes->index[2 * e + 1]];
        tess_dat_set(normal, 2 * e, b[1] - a[1]);
        tess_dat_set(normal, 2 * e + 1, a[0] - b[0]);
    }
}

static tess_status start(const tess_mesh *mesh, tess_state *state) {
    const tess_map *corners = tess_mesh_find_map(mesh, "cells:nodes");
    tess_dat *q = tess_state_find(state, "q", "cells");
    tess_dat *area = tess_state_find(state, "area", "cells");
    tess_state_put_coordinates(state, "x");
    start_edges(mesh, tess_state_find(state, "normal", "edges"));
    const tess_plane_box box = tess_plane_box_of(mesh);
    double smallest = INFINITY;
    for (int64_t c = 0; c < tess_state_size(state, q); c++) {
        double centre[2], values[4];
        tess_plane_centre(mesh, corners, c, centre);
        start_cell(&box, centre, values);
        for (int d = 0; d < 4; d++)
            tess_dat_set(q, 4 * c + d, values[d]);
        const double size = tess_plane_area(mesh, corners, c);
        smallest = fmin(smallest, size);
        tess_dat_set(area, c, size);
    }
    tess_dat_set(tess_state_find(state, "dt", NULL), 0, 0.1 * sqrt(smallest) / 4);
    return TESS_OK;
}

const tess_application tess_application_volna = {
    .name = "volna",
    .summary = "shallow-water equations over a bed, cell-centred finite volumes",
    .reference = "Dutykh et al. 2011 (VOLNA); Audusse et al. 2004; Sulyok et al. 2019, "
                 "section 3.1.2",
    .precision = TESS_FLOAT,
    .dimension = 2,
    APPLICATION_OF(kernels, maps, step),
    .bind = tess_plane_bind,
    .start = start,
};
