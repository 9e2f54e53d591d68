/* A proof of a plan: everything is recomputed from the mesh, the loop and the partition, with no
 * code of the builder's. */
#pragma once

#include "core/plan/plan.h"

/* TESS_OK when the plan is right. Else TESS_ERROR_CHECK and the first defect by name: block,
 * position, element, slot. Checked: executed is a permutation (over a to-set: every element in each
 * block that owns one of its incremented points, and nothing else), offsets add up, blocks agree
 * with the partition block_of (of the partitioned set) and hold at most block_size, points are
 * exactly the distinct points of the block, ascending, local indices address them, no two elements
 * of a block and thread colour increment a common point, no two blocks of a block colour either
 * (over a to-set blocks write what they own, so there any will do), colours are as many as stated.
 * Linear in the plan, blocks in parallel. */
TESS_MUST_CHECK tess_status tess_plan_check(const tess_bound_loop *bound, const int32_t *block_of,
                                            const tess_plan *plan);
