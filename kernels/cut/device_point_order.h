/* A device's order of points: by the blocks that have them, as TESS_RENUMBER_BLOCKS has it
 * (core/plan/order/renumber.h). */
#pragma once

#include "kernels/cut/device_arrays.h"

/* Fills order [n_points] with the points of a plan's set, which are listed, where all lies in the
 * device's memory, and adds the seconds that it took; but where a point has more than 2 * TESS_WARP
 * blocks, which the host orders. */
TESS_MUST_CHECK tess_status tess_device_order_points(tess_cut_kernels *kernels, int64_t n_blocks,
                                                     const tess_device_points *set,
                                                     tess_address order, bool *is_ordered,
                                                     double *seconds);
