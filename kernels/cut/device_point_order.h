/* A device's order of points: by the blocks that have them, as TESS_RENUMBER_BLOCKS has it, or by
 * those that own them, as TESS_RENUMBER_OWNER (core/plan/order/renumber.h). */
#pragma once

#include "kernels/cut/device_arrays.h"

/* What is asked for. */
typedef struct tess_device_point_order {
    bool by_owner;
    tess_address owner; /* [n_points], where blocks own these points; 0: the first that has each */
    tess_address new_to_old; /* [n_points] */
} tess_device_point_order;

/* Fills an order of the points of a plan's set, which are listed, where all lies in the device's
 * memory, and adds the seconds that it took; but where a point has more than 2 * TESS_WARP blocks,
 * which the host orders. */
TESS_MUST_CHECK tess_status tess_device_order_points(tess_cut_kernels *kernels, int64_t n_blocks,
                                                     const tess_device_points *set,
                                                     const tess_device_point_order *asked,
                                                     bool *is_ordered, double *seconds);
