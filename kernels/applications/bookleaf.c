/* bookleaf: Lagrangian hydrodynamics on quads, a blast from the middle. */
#include "kernels/applications/kernel_table.h"
#include "kernels/applications/plane.h"
#include "kernels/text/embed.h"

#include <math.h>

typedef double real;
#include "kernels/applications/bookleaf/bookleaf_kernels.h"

TESS_EMBED(tess_bookleaf_text, "applications/bookleaf/bookleaf_kernels.h");

static void getacc_scatter_reference(void *const *a, int arity) {
    (void)arity;
    getacc_scatter(a[0], a[1], a[2], a[3], a[4], a[5]);
}

static void get_force_reference(void *const *a, int arity) {
    (void)arity;
    get_force(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
}

static void getacc_apply_reference(void *const *a, int arity) {
    (void)arity;
    getacc_apply(a[0], a[1], a[2], a[3]);
}

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
    ARG_ON("nodes", "sums", 4, "real", TESS_RW),
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
    static const struct {
        const char *name;
        int dim;
    } on_quads[] = {{"weight", 4},  {"corner_mass", 4}, {"force_x", 4}, {"force_y", 4},
                    {"density", 1}, {"mass", 1},        {"energy", 1}};
    const tess_map *corners = tess_mesh_find_map(mesh, "quads:nodes");
    for (size_t i = 0; i < sizeof on_quads / sizeof on_quads[0]; i++)
        TRY(tess_state_add(state, on_quads[i].name, "quads", on_quads[i].dim, "real", NULL));
    TRY(tess_state_add(state, "x", "nodes", 2, "real", NULL));
    TRY(tess_state_add(state, "u", "nodes", 2, "real", NULL));
    TRY(tess_state_add(state, "sums", "nodes", 4, "real", NULL));
    TRY(tess_state_add(state, "dt", NULL, 1, "real", NULL));
    tess_dat *x = tess_state_find(state, "x", "nodes");
    tess_dat *mass = tess_state_find(state, "mass", "quads");
    tess_dat *energy = tess_state_find(state, "energy", "quads");
    for (int64_t i = 0; i < 2 * tess_state_size(state, x); i++)
        tess_dat_set(x, i, mesh->coordinates[i]);
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

const tess_application tess_application_bookleaf = {
    .name = "bookleaf",
    .summary = "Lagrangian hydrodynamics on quads: what corners push is summed at the nodes",
    .reference = "Barlow 2008; UK-MAC BookLeaf; Sulyok et al. 2019, section 3.1.3",
    .precision = TESS_DOUBLE,
    .dimension = 2,
    .n_kernels = sizeof kernels / sizeof kernels[0],
    .kernels = kernels,
    .maps = maps,
    .step = step,
    .start = start,
};
