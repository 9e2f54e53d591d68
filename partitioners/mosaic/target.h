/* A target: how wide blocks may be for a number of thread colours, or must be for a reuse factor,
 * and how many points they may have. */
#pragma once

#include "partitioners/mosaic/blocks.h"
#include "partitioners/mosaic/order.h"

typedef struct mosaic_target {
    double colours; /* mean thread colours at most; 0: any */
    double reuse;   /* reuse factor at least; 0: any */
} mosaic_target;

/* Searches the knob of mosaic_order_turn for its highest position that keeps to the colours, or the
 * lowest that reaches the reuse factor, and fills order [n_elements] with that. *met: false where
 * even the highest has no more colours, or less reuse; then the order is not filled. */
TESS_MUST_CHECK tess_status mosaic_target_search(const mosaic_mesh *mesh,
                                                 const mosaic_target *target, const mosaic_cut *cut,
                                                 int32_t *order, bool *met);

/* Tells the problem's observer what is missed of a target. */
TESS_MUST_CHECK tess_status mosaic_target_tell(const tess_partition_problem *problem,
                                               const mosaic_target *target,
                                               const mosaic_blocks *blocks);

/* Divides blocks of more than `max_points` distinct points, in the order of their members, into
 * blocks that have no more. Fails (INPUT) where one element alone has more. */
TESS_MUST_CHECK tess_status mosaic_cap_points(mosaic_blocks *blocks, int32_t max_points);

/* Cuts smaller blocks, of cut->block_size elements, until the mean of their points is no more than
 * `max_points`; `order` [n_elements] is that of the cut, before and after. */
TESS_MUST_CHECK tess_status mosaic_cap_shrink(const mosaic_mesh *mesh, int32_t max_points,
                                              mosaic_cut *cut, int32_t *order);
