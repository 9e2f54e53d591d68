/* A target: how wide blocks may be for a number of thread colours, or must be for a reuse factor.
 */
#ifndef TESS_MOSAIC_TARGET_H
#define TESS_MOSAIC_TARGET_H

#include "partitioners/mosaic/measure.h"
#include "partitioners/mosaic/order.h"

typedef struct mosaic_target {
    double colours; /* mean thread colours at most; 0: any */
    double reuse;   /* reuse factor at least; 0: any */
} mosaic_target;

/* Searches the knob of mosaic_order_turn for its highest place that keeps to the colours, or the
 * lowest that reaches the reuse factor, and fills order [n_elements] with that. *met: false where
 * even the highest has no more colours, or less reuse; then the order is not filled. */
TESS_MUST_CHECK tess_status mosaic_target_search(const mosaic_mesh *mesh,
                                                 const mosaic_target *target, const mosaic_cut *cut,
                                                 int32_t *order, bool *met);

#endif
