/* A target: how wide blocks may be for a number of thread colours, or must be for a reuse factor.
 */
#ifndef TESS_MOSAIC_TARGET_H
#define TESS_MOSAIC_TARGET_H

#include "partitioners/mosaic_measure.h"
#include "partitioners/mosaic_order.h"

typedef struct mosaic_target {
    double colours; /* mean thread colours at most; 0: any */
    double reuse;   /* reuse factor at least; 0: any */
} mosaic_target;

/* Searches widths of slabs between 1 and cut->width for the widest that keeps to the colours, or
 * the narrowest that reaches the reuse factor, and sets cut->width and order [n_elements] to it.
 * *met: false where even the widest has fewer colours or less reuse; then nothing was set. */
TESS_MUST_CHECK tess_status mosaic_target_search(const mosaic_mesh *mesh,
                                                 const mosaic_target *target, mosaic_cut *cut,
                                                 int32_t *order, bool *met);

#endif
