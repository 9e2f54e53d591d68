/* A line order: elements by the lines of memory in which their points lie. */
#pragma once

#include "core/plan/order/renumber.h"

/* Gives each element of the loop its place, [n_elements], the caller's: elements whose first points
 * lie in one line of 16 together, which are the doubles of 128 bytes in columns; among these by
 * their second points, then by the first ones. So threads side by side read few lines through the
 * first slot, and points side by side through the second. Points lie as renumbered, or as in the
 * mesh (NULL). Of several to-sets the one that an element takes most bytes of decides. Parallel,
 * the same on any number of threads. */
TESS_MUST_CHECK tess_status tess_line_order_build(const tess_bound_loop *bound,
                                                  const tess_renumbering *renumbering,
                                                  int32_t **place);
