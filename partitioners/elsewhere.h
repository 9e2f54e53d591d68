/* Elsewhere: elements cut by the problem's cutter instead of the host. */
#pragma once

#include "core/plan/partition_problem.h"

/* Has block_of [what->n] filled by the problem's cutter, and tells the observer where that was:
 * *is_cut is false where the host is to do it, as there is no cutter, the elements are few, or the
 * cutter lacks memory or a device, which the observer is told as a remark. */
TESS_MUST_CHECK tess_status tess_cut_elsewhere(const tess_partition_problem *problem,
                                               const tess_cut *what, int32_t *block_of,
                                               bool *is_cut);
