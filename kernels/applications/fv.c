/* fv: a cell-centred finite-volume step on tetrahedra, a loop that only gathers. */
#include "core/base/splitmix.h"
#include "kernels/devices/embed.h"
#include "kernels/loops/kernel_table.h"

#include <string.h>

enum { MOST_NEIGHBOURS = 4 };

typedef double real;
#define cells_cells_ARITY MOST_NEIGHBOURS
#include "kernels/applications/fv/fv_kernels.h"
#undef cells_cells_ARITY

TESS_EMBED(tess_fv_text, "kernels/applications/fv/fv_kernels.h");

/* Where no cell of the mesh has so many neighbours, the weights of the others are zero. */
static void differences_reference(void *const *a, int arity) {
    double neighbours[MOST_NEIGHBOURS] = {0};
    memcpy(neighbours, a[1], (size_t)arity * sizeof *neighbours);
    differences(a[0], neighbours, a[2], a[3]);
}

static void differences_back_reference(void *const *a, int arity) {
    differences_reference(a, arity);
}

static const tess_kernel_arg differences_args[] = {
    ARG_ON("cells", "a", MOST_NEIGHBOURS, "real", TESS_READ),
    ARG_THROUGH("cells:cells", -1, "cells", "x", 1, "real", TESS_READ),
    ARG_ON("cells", "x", 1, "real", TESS_READ),
    ARG_ON("cells", "y", 1, "real", TESS_WRITE),
};

static const tess_kernel_arg differences_back_args[] = {
    ARG_ON("cells", "a", MOST_NEIGHBOURS, "real", TESS_READ),
    ARG_THROUGH("cells:cells", -1, "cells", "y", 1, "real", TESS_READ),
    ARG_ON("cells", "y", 1, "real", TESS_READ),
    ARG_ON("cells", "x", 1, "real", TESS_WRITE),
};

static const tess_kernel kernels[] = {
    {KERNEL_OVER("cells", differences, tess_fv_text), .flops = 11},
    {KERNEL_OVER("cells", differences_back, tess_fv_text), .flops = 11},
};

static const char *const maps[] = {"cells:cells", NULL};
static const char *const step[] = {"differences", "differences_back", NULL};

static tess_status bind(tess_mesh *mesh) {
    const tess_map *neighbours = tess_mesh_find_map(mesh, "cells:cells");
    if (neighbours->arity > MOST_NEIGHBOURS)
        FAIL(TESS_ERROR_USAGE,
             "fv runs on cells of at most %d neighbours, as tetrahedra are; some of %s have %d",
             MOST_NEIGHBOURS, mesh->source, neighbours->arity);
    return TESS_OK;
}

/* A number in [0, 1) that follows from two others. */
static double random_of(uint64_t one, uint64_t other) {
    uint64_t seed = one << 32 | other;
    return (double)(tess_random_next(&seed) >> 11) * 0x1p-53;
}

/* Values at random; so are weights, that of a pair of cells the same from both sides. They are
 * small enough for values to stay bounded in any number of steps. */
static tess_status start(const tess_mesh *mesh, tess_state *state) {
    const tess_map *neighbours = tess_mesh_find_map(mesh, "cells:cells");
    tess_dat *x = tess_state_find(state, "x", "cells"), *a = tess_state_find(state, "a", "cells");
    for (int64_t i = 0; i < mesh->sets[neighbours->from].size; i++) {
        tess_dat_set(x, i, random_of(0, (uint64_t)i));
        for (int slot = 0; slot < neighbours->arity; slot++) {
            const int64_t j = neighbours->index[i * neighbours->arity + slot];
            if (j >= 0)
                tess_dat_set(
                    a, i * MOST_NEIGHBOURS + slot,
                    0.125 * random_of(1 + (uint64_t)(i < j ? i : j), (uint64_t)(i < j ? j : i)));
        }
    }
    return TESS_OK;
}

const tess_application tess_application_fv = {
    .name = "fv",
    .summary = "cell-centred finite volumes: cells gather, nothing is incremented",
    .reference = "Langguth, Wu, Chai and Cai 2015, J. Parallel Distrib. Comput. 76, equation 1",
    .precision = TESS_DOUBLE,
    APPLICATION_OF(kernels, maps, step),
    .bind = bind,
    .start = start,
};
