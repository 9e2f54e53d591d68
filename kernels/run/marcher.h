/* A marcher: all loops of an application on a device, ready to march it step by step. */
#pragma once

#include "kernels/strategies/strategy.h"

/* A loop by name, and the block size that it is to have. */
typedef struct tess_loop_blocks {
    char loop[TESS_NAME_SIZE];
    int32_t block_size;
} tess_loop_blocks;

enum { TESS_MOST_MARCHED = 32 };

typedef struct tess_marcher_setting {
    const tess_application *application;
    const tess_kernel *kernel;     /* the loop that the strategy and the plan are for */
    const tess_strategy *strategy; /* the others run by atomics, on the host as this one */
    const tess_spec *spec;
    int threads;        /* a block; 0: the block size rounded up to a warp */
    int32_t block_size; /* of the other loops: consecutive elements */
    const tess_loop_blocks
        *blocks; /* [n_blocks]: other loops that have a block size of their own */
    int n_blocks;
} tess_marcher_setting;

typedef struct tess_marcher tess_marcher;

/* Compiles the loops of the application's time step, but for those over sets that the mesh lacks
 * (tess_kernel_applies). The store holds its state; store, plan and
 * bound loop (of the setting's kernel) outlive the marcher. */
TESS_MUST_CHECK tess_status tess_marcher_open(const tess_marcher_setting *setting,
                                              tess_store *store, const tess_bound_loop *bound,
                                              const tess_plan *plan, tess_marcher **out);
void tess_marcher_close(tess_marcher *marcher);

/* What one loop of a step took, in all that was timed loop by loop. */
typedef struct tess_marched_loop {
    const tess_kernel *kernel;
    const tess_bound_loop *bound;
    const tess_plan *plan;
    int64_t count;
    double seconds;
} tess_marched_loop;

/* Marches n steps, waiting for each loop and timing it; *seconds is the sum. Fails (USAGE) where
 * threads have copies of their own, which no loop alone can be timed on. */
TESS_MUST_CHECK tess_status tess_marcher_time(tess_marcher *marcher, int n, double *seconds);

/* Fills loops with the loops of a step, each once, in their order; returns how many. */
int tess_marcher_loops(const tess_marcher *marcher, tess_marched_loop loops[TESS_MOST_MARCHED]);

/* Marches n steps and gives the seconds of all. */
TESS_MUST_CHECK tess_status tess_marcher_run(tess_marcher *marcher, int n, double *seconds);
