/* A device plan: blocks planned on a device, into the host's very arrays. */
#pragma once

#include "core/plan/plan.h"
#include "kernels/cut/cut_kernels.h"

/* Fills what tess_planner asks for (core/plan/plan.h) from block_of [n_elements], and
 * the seconds that it took there, without what travels. Fails (MISSING)
 * where a block has more than TESS_CUT_CHUNK references to a set, or all have 2^31; (MEMORY) where
 * the device has no room. */
TESS_MUST_CHECK tess_status tess_device_plan(tess_cut_kernels *kernels,
                                             const tess_bound_loop *bound, const int32_t *block_of,
                                             tess_plan *plan, double *seconds);
