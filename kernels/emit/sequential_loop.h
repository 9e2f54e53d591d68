/* A sequential loop: a loop of an emission over one element after another, which what is emitted is
 * compared with. */
#pragma once

#include "kernels/run/trial.h"

typedef struct tess_sequential_loop {
    const tess_kernel *kernel;
    const tess_page *page; /* of the execution */
    const tess_device *device;
    tess_target *target;
    tess_loop *loop;
    tess_bound_loop *bound;
    tess_plan *plan;
    tess_store *store;
    tess_execution *execution;
} tess_sequential_loop;

/* Writes the page of a kernel's loop over a state in double, whose values lie as those of a store
 * do. What is pointed to outlives it; the caller clears it, whatever failed. */
TESS_MUST_CHECK tess_status tess_sequential_loop_draft(const tess_state *doubles,
                                                       const tess_store *like,
                                                       const tess_layouts *layouts,
                                                       const tess_kernel *kernel,
                                                       tess_sequential_loop *out);
void tess_sequential_loop_clear(tess_sequential_loop *loop);
