/* Neighbours: elements that a loop reaches from others of its own set, and how blocks divide them.
 */
#pragma once

#include "core/plan/plan.h"

/* Two elements are neighbours where one reaches the other. */
typedef struct tess_neighbour_counts {
    int64_t cut;    /* pairs of neighbours in two blocks */
    int64_t border; /* elements with a neighbour in another block */
} tess_neighbour_counts;

/* The target that is the loop's from-set, or NULL. */
const tess_loop_target *tess_neighbours_target(const tess_bound_loop *bound);

/* Counts the neighbours of a plan over the from-set of a loop that has such a target; of a part of
 * a loop, those within the part. */
TESS_MUST_CHECK tess_status tess_neighbours_count(const tess_bound_loop *bound,
                                                  const tess_plan *plan,
                                                  tess_neighbour_counts *out);
