/* bookleaf: Lagrangian hydrodynamics on quads, a blast from the middle. */
#include "kernels/applications/plane.h"
#include "kernels/devices/embed.h"
#include "kernels/loops/kernel_table.h"

#include <math.h>

typedef double real;
#include "kernels/loops/arithmetic_words.h"

#include "kernels/applications/bookleaf/bookleaf_kernels.h"

TESS_EMBED(tess_bookleaf_text, "kernels/applications/bookleaf/bookleaf_kernels.h");

REFERENCE(getacc_scatter, 6)
REFERENCE(get_force, 8)
REFERENCE(getacc_apply, 4)

static const tess_kernel_arg getacc_scatter_args[] = {
    ARG_ON("quads", "weight", 4, "real", TESS_READ),
    ARG_ON("quads", "corner_mass", 4, "real", TESS_READ),
    ARG_ON("quads", "force_x", 4, "real", TESS_READ),
    ARG_ON("quads", "force_y", 4, "real", TESS_READ),
    ARG_ON("quads", "density", 1, "real", TESS_READ),
    ARG_THROUGH("quads:nodes", -1, "nodes", "sums", 4, "real", TESS_INC),
};

static const tess_kernel_arg get_force_args[] = {
    ARG_THROUGH("quads:nodes", -1, "nodes", "x", 2, "real", TESS_READ),
    ARG_ON("quads", "mass", 1, "real", TESS_READ),
    ARG_ON("quads", "energy", 1, "real", TESS_READ),
    ARG_ON("quads", "weight", 4, "real", TESS_WRITE),
    ARG_ON("quads", "corner_mass", 4, "real", TESS_WRITE),
    ARG_ON("quads", "force_x", 4, "real", TESS_WRITE),
    ARG_ON("quads", "force_y", 4, "real", TESS_WRITE),
    ARG_ON("quads", "density", 1, "real", TESS_WRITE),
};

static const tess_kernel_arg getacc_apply_args[] = {
    ARG_GLOBAL("dt", 1, "real", TESS_READ),
    ARG_CLEARED("nodes", "sums", 4, "real"),
    ARG_ON("nodes", "u", 2, "real", TESS_RW),
    ARG_ON("nodes", "x", 2, "real", TESS_RW),
};

static const tess_kernel kernels[] = {
    {KERNEL_OVER("quads", getacc_scatter, tess_bookleaf_text), .flops = 20},
    {KERNEL_OVER("quads", get_force, tess_bookleaf_text)},
    {KERNEL_OVER("nodes", getacc_apply, tess_bookleaf_text)},
};

static const char *const maps[] = {"quads:nodes", NULL};
static const char *const step[] = {"get_force", "getacc_scatter", "getacc_apply", NULL};

static tess_status start(const tess_mesh *mesh, tess_state *state) {
    const tess_map *corners = tess_mesh_find_map(mesh, "quads:nodes");
    tess_dat *mass = tess_state_find(state, "mass", "quads");
    tess_dat *energy = tess_state_find(state, "energy", "quads");
    tess_state_put_coordinates(state, "x");
    const tess_plane_box box = tess_plane_box_of(mesh);
    const double size = fmax(box.high[0] - box.low[0], box.high[1] - box.low[1]);
    double smallest = INFINITY;
    for (int64_t c = 0; c < tess_state_size(state, mass); c++) {
        double centre[2], distance = 0;
        tess_plane_centre(mesh, corners, c, centre);
        for (int d = 0; d < 2; d++)
            distance = hypot(distance, (centre[d] - (box.low[d] + box.high[d]) / 2) / size);
        const double area = tess_plane_area(mesh, corners, c);
        smallest = fmin(smallest, area);
        tess_dat_set(mass, c, area * (1 + 0.2 * centre[0] / size));
        tess_dat_set(energy, c, 1 + 9 * exp(-100 * distance * distance));
    }
    tess_dat_set(tess_state_find(state, "dt", NULL), 0, 0.02 * sqrt(smallest));
    return TESS_OK;
}

static const char *const cells[] = {"quads", NULL};

const tess_application tess_application_bookleaf = {
    .name = "bookleaf",
    .summary = "Lagrangian hydrodynamics on quads: what corners push is summed at the nodes",
    .reference = "Barlow 2008; UK-MAC BookLeaf; Sulyok et al. 2019, section 3.1.3",
    .precision = TESS_DOUBLE,
    .dimension = 2,
    APPLICATION_OF(kernels, maps, step),
    .cells = cells,
    .start = start,
};
