/* A plan update: blocks of an earlier plan taken over where they are as they were. */
#pragma once

#include "core/plan/plan.h"

/* Builds the plan of a partition as tess_plan_build, but takes over from the plan `before`, of the
 * same loop on the mesh before it changed, each block that has the same elements by
 * was [n_elements], the number of each before, -1 of a new one; and whose points still ascend as
 * they did. Such a block keeps its order of elements, its local indices and its colours; others are
 * planned anew with `options`, and take the least colour that no block with a common point has; all
 * blocks do where points have become others so that colours kept are none. Where elements and
 * points keep their order, all but the colours of blocks is tess_plan_build's. plan->n_kept blocks
 * were taken over. Fails as tess_plan_build and tess_numbers_now, and (USAGE) where `before` is a
 * plan of another loop, or its blocks own points. */
TESS_MUST_CHECK tess_status tess_plan_update(const tess_bound_loop *bound,
                                             const tess_partition *partition,
                                             const tess_plan *before, const int32_t *was,
                                             const tess_plan_options *options, tess_plan **out);
