/* miniaero: compressible Navier-Stokes on any 3D mesh, a smooth swirl in a closed box. */
#include "kernels/applications/space.h"
#include "kernels/devices/embed.h"
#include "kernels/loops/kernel_table.h"

#include <math.h>

typedef double real;
#include "kernels/loops/arithmetic_words.h"

#include "kernels/applications/miniaero/miniaero_kernels.h"

TESS_EMBED(tess_miniaero_text, "kernels/applications/miniaero/miniaero_kernels.h");

REFERENCE(compute_face_flux, 14)
REFERENCE(advance, 6)

#define BOTH(dat, dim, access) ARG_BOTH("faces:cells", "cells", dat, dim, "real", access)

static const tess_kernel_arg compute_face_flux_args[] = {
    BOTH("gradient", 15, TESS_READ),
    BOTH("limiter", 5, TESS_READ),
    BOTH("w", 5, TESS_READ),
    BOTH("centre", 3, TESS_READ),
    ARG_ON("faces", "middle", 3, "real", TESS_READ),
    ARG_ON("faces", "area", 3, "real", TESS_READ),
    ARG_ON("faces", "tangent", 3, "real", TESS_READ),
    ARG_ON("faces", "binormal", 3, "real", TESS_READ),
    BOTH("residual", 5, TESS_INC),
};

/* The flux in parts: one variable after another, its two values at the face and what its slopes add
 * to the stress; the flux of these. A block that runs phase after phase stages eight values of a
 * cell at most, not 33, and passes on 14 of a face. */
enum { ENDS_X, MEAN_X, FORCE_X, ENDS_Y, MEAN_Y, FORCE_Y, ENDS_Z, FORCE, WORK };
enum { DENSITY = WORK + 1, TEMPERATURE, ENERGY };
static const tess_between face_between[] = {{"ends_x", 2},  {"mean_x", 1},      {"force_x", 3},
                                            {"ends_y", 2},  {"mean_y", 1},      {"force_y", 3},
                                            {"ends_z", 2},  {"force", 3},       {"work", 1},
                                            {"density", 2}, {"temperature", 2}, {"energy", 1}};

#define STATES 0, 1, 2, 3, 4, 5, 6, 7, 8 /* of both cells, and the face's middle */
enum { AREA = 9 };
static const tess_kernel_part compute_face_flux_parts[] = {
    {.name = "face_velocity_x",
     .n_takes = 10,
     .takes = {STATES, AREA},
     .n_gives = 3,
     .gives = {ENDS_X, MEAN_X, FORCE_X}},
    {.name = "face_velocity_y",
     .n_takes = 11,
     .takes = {STATES, AREA, ~FORCE_X},
     .n_gives = 3,
     .gives = {ENDS_Y, MEAN_Y, FORCE_Y}},
    {.name = "face_velocity_z",
     .n_takes = 13,
     .takes = {STATES, AREA, ~FORCE_Y, ~MEAN_X, ~MEAN_Y},
     .n_gives = 3,
     .gives = {ENDS_Z, FORCE, WORK}},
    {.name = "face_temperature",
     .n_takes = 11,
     .takes = {STATES, AREA, ~WORK},
     .n_gives = 2,
     .gives = {TEMPERATURE, ENERGY}},
    {.name = "face_density", .n_takes = 9, .takes = {STATES}, .n_gives = 1, .gives = {DENSITY}},
    {.name = "face_total",
     .n_takes = 10,
     .takes = {AREA, 10, 11, ~DENSITY, ~ENDS_X, ~ENDS_Y, ~ENDS_Z, ~TEMPERATURE, ~FORCE, ~ENERGY},
     .n_adds = 2,
     .adds = {12, 13}},
};
#undef STATES

static const tess_kernel_arg advance_args[] = {
    ARG_GLOBAL("dt", 1, "real", TESS_READ),        ARG_ON("cells", "volume", 1, "real", TESS_READ),
    ARG_ON("cells", "wall", 3, "real", TESS_READ), ARG_ON("cells", "w", 5, "real", TESS_RW),
    ARG_CLEARED("cells", "residual", 5, "real"),   ARG_GLOBAL("change", 1, "real", TESS_INC),
};

static const tess_kernel kernels[] = {
    {KERNEL_OVER("faces", compute_face_flux, tess_miniaero_text), .flops = 340,
     .antisymmetry = TESS_OPPOSITE, PARTS(face_between, compute_face_flux_parts)},
    {KERNEL_OVER("cells", advance, tess_miniaero_text)},
};

static const char *const maps[] = {"faces:cells", NULL};
static const char *const step[] = {"compute_face_flux", "advance", NULL};

/* w and its exact gradient: a swirl about the middle of the box, warmer inside. `x` in units of the
 * box, which is 1 / scale wide. */
static void start_cell(const double *x, double scale, double *w, double *gradient) {
    const double d[3] = {x[0] - 0.5, x[1] - 0.5, x[2] - 0.5};
    const double bump = 0.2 * exp(-8 * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
    const double values[5] = {1 + 0.5 * bump, -d[1] * bump, d[0] * bump, 0.3 * d[2] * bump,
                              1 + bump};
    for (int i = 0; i < 5; i++) {
        w[i] = values[i];
        for (int k = 0; k < 3; k++) {
            const double factor = i == 0   ? 0.5
                                  : i == 1 ? -d[1]
                                  : i == 2 ? d[0]
                                  : i == 3 ? 0.3 * d[2]
                                           : 1;
            const double own = i == 1 && k == 1   ? -1
                               : i == 2 && k == 0 ? 1
                               : i == 3 && k == 2 ? 0.3
                                                  : 0;
            gradient[3 * i + k] = scale * bump * (own - 16 * d[k] * factor);
        }
    }
}

/* Two unit vectors along a face, at right angles to its area vector and to each other. */
static void start_tangents(const double *area, double *tangent, double *binormal) {
    const double size = sqrt(area[0] * area[0] + area[1] * area[1] + area[2] * area[2]);
    const double n[3] = {area[0] / size, area[1] / size, area[2] / size};
    int least = 0;
    for (int d = 1; d < 3; d++)
        least = fabs(n[d]) < fabs(n[least]) ? d : least;
    double length = 0;
    for (int d = 0; d < 3; d++) {
        tangent[d] = (d == least) - n[least] * n[d];
        length += tangent[d] * tangent[d];
    }
    for (int d = 0; d < 3; d++)
        tangent[d] /= sqrt(length);
    for (int d = 0; d < 3; d++)
        binormal[d] = n[(d + 1) % 3] * tangent[(d + 2) % 3] - n[(d + 2) % 3] * tangent[(d + 1) % 3];
}

static void start_faces(const tess_space *space, tess_state *state) {
    tess_dat *middle = tess_state_find(state, "middle", "faces");
    tess_dat *area = tess_state_find(state, "area", "faces");
    tess_dat *tangents = tess_state_find(state, "tangent", "faces");
    tess_dat *binormals = tess_state_find(state, "binormal", "faces");
    for (int64_t f = 0; f < space->n_faces; f++) {
        double tangent[3], binormal[3];
        start_tangents(&space->face[6 * f + 3], tangent, binormal);
        for (int d = 0; d < 3; d++) {
            tess_dat_set(middle, 3 * f + d, space->face[6 * f + d]);
            tess_dat_set(area, 3 * f + d, space->face[6 * f + 3 + d]);
            tess_dat_set(tangents, 3 * f + d, tangent[d]);
            tess_dat_set(binormals, 3 * f + d, binormal[d]);
        }
    }
}

static void start_cells(const tess_mesh *mesh, const tess_space *space, tess_state *state) {
    tess_dat *w = tess_state_find(state, "w", "cells");
    tess_dat *gradient = tess_state_find(state, "gradient", "cells");
    tess_dat *limiter = tess_state_find(state, "limiter", "cells");
    double low[3] = {INFINITY, INFINITY, INFINITY}, size = 0, smallest = INFINITY;
    const int64_t n_nodes = tess_mesh_set_size(mesh, "nodes");
    for (int64_t i = 0; i < 3 * n_nodes; i++)
        low[i % 3] = fmin(low[i % 3], mesh->coordinates[i]);
    for (int64_t i = 0; i < 3 * n_nodes; i++)
        size = fmax(size, mesh->coordinates[i] - low[i % 3]);
    for (int64_t c = 0; c < space->n_cells; c++) {
        double x[3], values[5], slopes[15];
        for (int d = 0; d < 3; d++) {
            x[d] = (space->centre[3 * c + d] - low[d]) / size;
            tess_dat_set(tess_state_find(state, "centre", "cells"), 3 * c + d,
                         space->centre[3 * c + d]);
            tess_dat_set(tess_state_find(state, "wall", "cells"), 3 * c + d,
                         space->wall[3 * c + d]);
        }
        start_cell(x, 1 / size, values, slopes);
        for (int i = 0; i < 5; i++) {
            tess_dat_set(w, 5 * c + i, values[i]);
            tess_dat_set(limiter, 5 * c + i, 1 - 0.1 * x[0]);
        }
        for (int i = 0; i < 15; i++)
            tess_dat_set(gradient, 15 * c + i, slopes[i]);
        tess_dat_set(tess_state_find(state, "volume", "cells"), c, space->volume[c]);
        smallest = fmin(smallest, space->volume[c]);
    }
    tess_dat_set(tess_state_find(state, "dt", NULL), 0, 0.05 * cbrt(fmax(smallest, 0)));
}

static tess_status start(const tess_mesh *mesh, tess_state *state) {
    tess_space space;
    TRY(tess_space_build(mesh, &space));
    start_faces(&space, state);
    start_cells(mesh, &space, state);
    tess_space_clear(&space);
    return TESS_OK;
}

const tess_application tess_application_miniaero = {
    .name = "miniaero",
    .summary = "compressible Navier-Stokes, cell-centred finite volumes of second order",
    .reference = "Mantevo miniAero; Harten, Lax and van Leer 1983; Sulyok et al. 2019, "
                 "section 3.1.5",
    .precision = TESS_DOUBLE,
    .dimension = 3,
    APPLICATION_OF(kernels, maps, step),
    .bind = tess_space_bind,
    .start = start,
};
