/* Parts of a plan: its arrays on the device, as the parameters and constants that strategies'
 * texts name. */
#ifndef TESS_PARTS_H
#define TESS_PARTS_H

#include "kernels/strategy.h"

/* ELEMENT_AT(p, k): where the element at position k is stored; `executed` where that is not k. */
TESS_MUST_CHECK tess_status tess_part_order(tess_execution *x);

/* SET_index[slot][stride]: the points of each element as stored, for find_points. */
TESS_MUST_CHECK tess_status tess_part_index(tess_execution *x);

/* block_offset[n_blocks + 1] into positions; block_list: the blocks by colour. */
TESS_MUST_CHECK tess_status tess_part_blocks(tess_execution *x);

/* One launch of `kernel` for each block colour, or one for all. */
TESS_MUST_CHECK tess_status tess_part_launch_colours(tess_execution *x, const char *kernel,
                                                     int64_t shared_bytes);
TESS_MUST_CHECK tess_status tess_part_launch_blocks(tess_execution *x, const char *kernel,
                                                    int64_t shared_bytes);

/* One launch of `kernel` with a thread for each of n things. */
TESS_MUST_CHECK tess_status tess_part_launch_flat(tess_execution *x, const char *kernel,
                                                  int64_t first, int64_t n);

/* thread_colour by position, thread_colours by block. */
TESS_MUST_CHECK tess_status tess_part_thread_colours(tess_execution *x);

/* SET_point_offset[n_blocks + 1], SET_points as stored, SET_local[slot][stride], for
 * find_local_points. */
TESS_MUST_CHECK tess_status tess_part_points(tess_execution *x);

/* Bytes of shared memory for copies of what is read (or incremented) of every point of a block, as
 * the glue lays them out. */
int64_t tess_part_read_bytes(const tess_execution *x);
int64_t tess_part_sum_bytes(const tess_execution *x);

#endif
