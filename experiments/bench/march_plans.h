/* A march's plans: each loop of a step bound to the mesh, in the blocks that its settings ask for.
 */
#pragma once

#include "experiments/bench/bench.h"
#include "experiments/bench/step.h"
#include "kernels/run/marcher.h"

/* One loop. */
typedef struct tess_march_plan {
    const tess_experiment *experiment; /* the step's */
    const tess_kernel *kernel;
    const tess_bound_loop *bound;
    const tess_plan *plan;
    /* What is its own; of the loop that the bench is open for the bench has the first two. */
    tess_loop *own_loop;
    tess_bound_loop *own_bound;
    tess_planned *planned; /* its partition and plan; NULL: blocks of what is consecutive */
    tess_plan *in_order;   /* these; NULL */
} tess_march_plan;

typedef struct tess_march_plans {
    int n;
    int first; /* whose blocks number the mesh: `planned` of it has the renumbering */
    tess_march_plan items[TESS_MOST_MARCHED];
} tess_march_plans;

/* Binds the loops of a step that apply to the mesh of a bench, which is open for the step's first
 * one, cuts those that have a partitioner, and numbers what the first does not reach by the others.
 * All outlives the plans, which are the caller's to close, whatever failed. */
TESS_MUST_CHECK tess_status tess_march_plans_open(tess_bench *bench, const tess_step *step,
                                                  tess_march_plans *out);

/* Plans the loops without a partitioner: blocks of elements that are consecutive in a store. */
TESS_MUST_CHECK tess_status tess_march_plans_complete(tess_march_plans *plans,
                                                      const tess_store *store);
void tess_march_plans_close(tess_march_plans *plans);

/* The plan of the loop that numbers the mesh. */
static inline tess_planned *tess_march_plans_first(const tess_march_plans *plans) {
    return plans->items[plans->first].planned;
}
