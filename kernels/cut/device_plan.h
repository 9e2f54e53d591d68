/* A device plan: blocks planned on a device, anew, or where a part of their elements has changed.
 */
#pragma once

#include "core/plan/plan.h"
#include "kernels/cut/device_arrays.h"

/* Fills a plan as tess_plan_build would, elements of a block ascending, or by a change (not NULL)
 * as tess_plan_update, and the seconds that the device worked, where all arrays are in its memory.
 * Fails (INPUT) on a block that is not one, on a number that there was not or that two have;
 * (MISSING) where a block has more than TESS_CUT_CHUNK references to a set, or all have 2^31;
 * (MEMORY) where the device has no room. */
TESS_MUST_CHECK tess_status tess_device_plan_there(tess_cut_kernels *kernels,
                                                   const tess_device_change *change,
                                                   tess_device_plan *plan, double *seconds);

/* As before, where all arrays are the host's. */
TESS_MUST_CHECK tess_status tess_device_plan_here(tess_cut_kernels *kernels,
                                                  const tess_device_change *change,
                                                  tess_device_plan *plan, double *seconds);

/* The orders that are asked beside a plan of the host, and that of its elements in their blocks.
 * For each of points and elements there is room, or it is NULL; where it is left to the host the
 * room is freed and NULL then. */
typedef struct tess_device_orders {
    const int32_t *position; /* [n]: by this; NULL: ascending */
    bool by_owner;           /* points; else by blocks */
    int owned_set;           /* whose points blocks own, by block_of; -1: none */
    int32_t **points;        /* [n_sets] */
    int32_t **elements;      /* [1]: by the first block that executes each */
} tess_device_orders;

/* As that, anew, and these orders. */
TESS_MUST_CHECK tess_status tess_device_plan_ordered(tess_cut_kernels *kernels,
                                                     tess_device_plan *plan,
                                                     const tess_device_orders *orders,
                                                     double *seconds);

/* Gives a host's plan as a device has it: offsets and maps are its own, the other arrays the
 * plan's; the caller closes it, whatever failed. */
TESS_MUST_CHECK tess_status tess_device_plan_open(const tess_bound_loop *bound,
                                                  const int32_t *block_of, const tess_plan *plan,
                                                  tess_device_plan *out);
void tess_device_plan_close(tess_device_plan *plan);

/* Fills what tess_planner asks for (core/plan/plan.h) from block_of. */
TESS_MUST_CHECK tess_status tess_device_plan_fill(tess_cut_kernels *kernels,
                                                  const tess_bound_loop *bound,
                                                  const int32_t *block_of, const int32_t *position,
                                                  tess_plan *plan, double *seconds);
