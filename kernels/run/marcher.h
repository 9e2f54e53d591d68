/* A marcher: all loops of an application on a device, ready to march it step by step. */
#pragma once

#include "kernels/strategies/strategy.h"

typedef struct tess_marcher_setting {
    const tess_application *application;
    const tess_kernel *kernel;     /* the loop that the strategy and the plan are for */
    const tess_strategy *strategy; /* the others run by atomics, on the host as this one */
    const tess_spec *spec;
    int threads;        /* a block; 0: the block size rounded up to a warp */
    int32_t block_size; /* of the other loops: consecutive elements */
} tess_marcher_setting;

typedef struct tess_marcher tess_marcher;

/* Compiles the loops of the application's time step, but for those over sets that the mesh lacks
 * (tess_kernel_applies). The store holds its state; store, plan and
 * bound loop (of the setting's kernel) outlive the marcher. */
TESS_MUST_CHECK tess_status tess_marcher_open(const tess_marcher_setting *setting,
                                              tess_store *store, const tess_bound_loop *bound,
                                              const tess_plan *plan, tess_marcher **out);
void tess_marcher_close(tess_marcher *marcher);

/* Marches n steps and gives the seconds of all. */
TESS_MUST_CHECK tess_status tess_marcher_run(tess_marcher *marcher, int n, double *seconds);
