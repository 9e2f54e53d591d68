/* A marcher: all loops of an application on a device, ready to march it step by step. */
#pragma once

#include "kernels/run/chained_step.h"
#include "kernels/strategies/strategy.h"

enum { TESS_MOST_MARCHED = 32 };

/* One loop of a march, and how it is executed. */
typedef struct tess_marcher_loop {
    const tess_kernel *kernel;
    const tess_strategy *strategy;
    const tess_spec *spec; /* of the strategy, checked */
    int threads;           /* a block; 0: as many as the strategy likes */
    tess_arithmetic arithmetic;
    const tess_bound_loop *bound;
    const tess_plan *plan;
} tess_marcher_loop;

typedef struct tess_marcher_setting {
    const tess_application *application;
    int n_loops;
    const tess_marcher_loop *loops; /* [n_loops]: each loop of a step once, but for those over sets
                                       that the mesh lacks (tess_kernel_applies) */
    const char *keep_text;          /* a folder for their pages; NULL: they are not kept */
    const char *tables_page;        /* as tess_execution_options has it */
    const char *chains; /* runs of loops that are one kernel (chained_step.h); NULL: none */
} tess_marcher_setting;

typedef struct tess_marcher tess_marcher;

/* Compiles the loops of the application's time step. The store holds its state; it and all that the
 * setting points to, but for the setting itself, outlive the marcher. Fails (USAGE) by the loop's
 * name where it cannot be executed so. */
TESS_MUST_CHECK tess_status tess_marcher_open(const tess_marcher_setting *setting,
                                              tess_store *store, tess_marcher **out);
void tess_marcher_close(tess_marcher *marcher);

/* The step as its chains cut it; NULL: without chains. */
const tess_chained_step *tess_marcher_chained(const tess_marcher *marcher);

/* What one loop of a step, or one chain, took in all that was timed loop by loop. */
typedef struct tess_marched_loop {
    const tess_chain *chain; /* NULL: a loop, which has the next three */
    const tess_kernel *kernel;
    const tess_bound_loop *bound;
    const tess_plan *plan;
    int32_t block_size, n_blocks;
    int threads;
    int64_t count;
    double seconds;
} tess_marched_loop;

/* Marches n steps, waiting for each loop and chain and timing it; *seconds is the sum. Fails
 * (USAGE) where threads have copies of their own, which no loop alone can be timed on. */
TESS_MUST_CHECK tess_status tess_marcher_time(tess_marcher *marcher, int n, double *seconds);

/* Whether its loops can be timed one by one. */
bool tess_marcher_is_timeable(const tess_marcher *marcher);

/* Fills loops with those of a step that run alone and with its chains, each once, in their order;
 * returns how many. */
int tess_marcher_loops(const tess_marcher *marcher, tess_marched_loop loops[TESS_MOST_MARCHED]);

/* Marches n steps and gives the seconds of all. */
TESS_MUST_CHECK tess_status tess_marcher_run(tess_marcher *marcher, int n, double *seconds);
