/* airfoil: the 2D Euler equations around a body, cell-centred, marched to a steady state. */
#include "kernels/applications/plane.h"
#include "kernels/devices/embed.h"
#include "kernels/loops/kernel_table.h"

#include <math.h>

typedef double real;
#include "kernels/loops/arithmetic_words.h"

#define cells_nodes_ARITY 0 /* the reference of adt_calc is told */
#include "kernels/applications/airfoil/airfoil_kernels.h"

TESS_EMBED(tess_airfoil_text, "kernels/applications/airfoil/airfoil_kernels.h");

REFERENCE(res_calc, 8)
REFERENCE(save_soln, 2)

static void adt_calc_reference(void *const *a, int arity) {
    (void)adt_calc;
    adt_of(arity, a[0], a[1], a[2]);
}

REFERENCE(bres_calc, 6)
REFERENCE(update, 5)

static const tess_kernel_arg res_calc_args[] = {
    ARG_BOTH("edges:nodes", "nodes", "x", 2, "real", TESS_READ),
    ARG_BOTH("edges:cells", "cells", "q", 4, "real", TESS_READ),
    ARG_BOTH("edges:cells", "cells", "adt", 1, "real", TESS_READ),
    ARG_BOTH("edges:cells", "cells", "res", 4, "real", TESS_INC),
};

static const tess_kernel_arg save_soln_args[] = {
    ARG_ON("cells", "q", 4, "real", TESS_READ),
    ARG_ON("cells", "old", 4, "real", TESS_WRITE),
};

static const tess_kernel_arg adt_calc_args[] = {
    ARG_THROUGH("cells:nodes", -1, "nodes", "x", 2, "real", TESS_READ),
    ARG_ON("cells", "q", 4, "real", TESS_READ),
    ARG_ON("cells", "adt", 1, "real", TESS_WRITE),
};

static const tess_kernel_arg bres_calc_args[] = {
    ARG_BOTH("bedges:nodes", "nodes", "x", 2, "real", TESS_READ),
    ARG_THROUGH("bedges:cells", 0, "cells", "q", 4, "real", TESS_READ),
    ARG_THROUGH("bedges:cells", 0, "cells", "adt", 1, "real", TESS_READ),
    ARG_ON("bedges", "bound", 1, "int", TESS_READ),
    ARG_THROUGH("bedges:cells", 0, "cells", "res", 4, "real", TESS_INC),
};

static const tess_kernel_arg update_args[] = {
    ARG_ON("cells", "old", 4, "real", TESS_READ), ARG_ON("cells", "q", 4, "real", TESS_WRITE),
    ARG_CLEARED("cells", "res", 4, "real"),       ARG_ON("cells", "adt", 1, "real", TESS_READ),
    ARG_GLOBAL("rms", 1, "real", TESS_INC),
};

static const tess_kernel kernels[] = {
    {KERNEL_OVER("edges", res_calc, tess_airfoil_text), .flops = 73, .antisymmetry = TESS_EXCHANGE},
    {KERNEL_OVER("cells", save_soln, tess_airfoil_text)},
    {KERNEL_OVER("cells", adt_calc, tess_airfoil_text)},
    {KERNEL_OVER("bedges", bres_calc, tess_airfoil_text)},
    {KERNEL_OVER("cells", update, tess_airfoil_text)},
};

static const char *const maps[] = {"edges:nodes", "edges:cells", "bedges:nodes", "bedges:cells",
                                   NULL};

static const char *const step[] = {"save_soln", "adt_calc", "res_calc",  "bres_calc", "update",
                                   "adt_calc",  "res_calc", "bres_calc", "update",    NULL};

static double density(const double *q) {
    return q[0];
}

static double pressure(const double *q) {
    return 0.4 * (q[3] - 0.5 * (q[1] * q[1] + q[2] * q[2]) / q[0]);
}

static const tess_shown_field shown[] = {{"density", "q", "cells", density},
                                         {"pressure", "q", "cells", pressure},
                                         {NULL, NULL, NULL, NULL}};

/* (p - p of the free stream) / (its density u^2 / 2) */
static double pressure_coefficient(const double *q) {
    return (pressure(q) - 1) / (0.5 * (FREE_U * FREE_U + FREE_V * FREE_V));
}

static const tess_shown_field on_walls[] = {
    {"pressure", "q", "cells", pressure},
    {"pressure_coefficient", "q", "cells", pressure_coefficient},
    {NULL, NULL, NULL, NULL}};

/* The free stream with a smooth pulse of density and pressure in the middle of the domain, so that
 * every flux is at work from the first step. */
static void start_cell(const tess_plane_box *box, const double *centre, double *q) {
    const double size = fmax(box->high[0] - box->low[0], box->high[1] - box->low[1]);
    const double dx = (centre[0] - (box->low[0] + box->high[0]) / 2) / (0.1 * size);
    const double dy = (centre[1] - (box->low[1] + box->high[1]) / 2) / (0.1 * size);
    const double pulse = 1 + 0.05 * exp(-dx * dx - dy * dy);
    q[0] = pulse;
    q[1] = pulse * FREE_U;
    q[2] = pulse * FREE_V;
    q[3] = pulse * FREE_ENERGY;
}

static tess_status start(const tess_mesh *mesh, tess_state *state) {
    const tess_map *corners = tess_mesh_find_map(mesh, "cells:nodes");
    TRY(tess_plane_walls(mesh, tess_state_find(state, "bound", "bedges")->values));
    tess_dat *q = tess_state_find(state, "q", "cells");
    tess_state_put_coordinates(state, "x");
    const tess_plane_box box = tess_plane_box_of(mesh);
    const int64_t n = tess_state_size(state, q);
#pragma omp parallel for
    for (int64_t c = 0; c < n; c++) {
        double centre[2], values[4];
        tess_plane_centre(mesh, corners, c, centre);
        start_cell(&box, centre, values);
        for (int d = 0; d < 4; d++)
            tess_dat_set(q, 4 * c + d, values[d]);
    }
    return TESS_OK;
}

const tess_application tess_application_airfoil = {
    .name = "airfoil",
    .summary = "2D Euler equations, cell-centred finite volumes: the five loops of OP2's airfoil",
    .reference = "Giles et al., OP2; Sulyok et al. 2019, section 3.1.1",
    .precision = TESS_DOUBLE,
    .dimension = 2,
    APPLICATION_OF(kernels, maps, step),
    .shown = shown,
    .on_walls = on_walls,
    .bind = tess_plane_bind,
    .start = start,
};
