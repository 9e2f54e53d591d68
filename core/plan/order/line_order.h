/* A line order: elements by the lines of memory in which their points lie. */
#pragma once

#include "core/plan/loop.h"

/* Gives each element of the loop its place, [n_elements], the caller's: elements whose first points
 * lie in one line of 16 together, which are the doubles of 128 bytes in columns; among these by
 * their second points, then by the first ones. So threads side by side read few lines through the
 * first slot, and points side by side through the second. points[r] says where those of target r
 * lie, [size of its set], or NULL: as in the mesh, as all do where `points` is NULL. Of several
 * to-sets the one that an element takes most bytes of decides. Parallel, the same on any number of
 * threads. */
TESS_MUST_CHECK tess_status tess_line_order_build(const tess_bound_loop *bound,
                                                  const int32_t *const *points, int32_t **position);
