/* Reuse: how often the blocks of a plan use the points that they load. */
#pragma once

#include "core/plan/plan.h"

/* What the metric reuse_factor is the ratio of: sums over blocks, so that those of several plans
 * may be added. */
typedef struct tess_reuse {
    int64_t accesses, points;
} tess_reuse;

/* Counts a plan's, through the slots that reuse_factor counts; the loop may be a part of one
 * (tess_bound_loop_part), the plan in the part's own numbers. */
TESS_MUST_CHECK tess_status tess_reuse_count(const tess_bound_loop *bound, const tess_plan *plan,
                                             tess_reuse *out);
