/* The parts of building a plan that plans over a from-set and over a to-set have in common; for
 * core/plan/plan*.c only. */
#ifndef TESS_PLAN_PARTS_H
#define TESS_PLAN_PARTS_H

#include "core/plan/plan.h"

/* A plan of a bound loop without blocks yet. */
TESS_MUST_CHECK tess_status tess_plan_new(const tess_bound_loop *bound, int over,
                                          const tess_partition *partition, tess_plan **out);

/* Completes a plan whose executed and block_offset are there: points, local indices, colours. */
TESS_MUST_CHECK tess_status tess_plan_complete(const tess_bound_loop *bound,
                                               const tess_plan_options *options, tess_plan *plan);

/* Elements of the largest block. */
int64_t tess_plan_largest_block(const tess_plan *plan);

/* Fills rows [n][n_increments] with the incremented points of the n elements from position `start`
 * on, a block of which set k has n_points[k]: numbers within the block, those of one set after
 * those of the other, -1 where padded. The incidence borrows rows. */
void tess_plan_block_increments(const tess_plan *plan, int64_t start, int64_t n,
                                const int64_t *n_points, int32_t *rows, tess_incidence *out);

/* The incremented slots of all sets. */
int tess_plan_n_increments(const tess_plan *plan);

#endif
