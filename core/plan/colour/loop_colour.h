/* Colours of a loop's elements: numbers such that no two elements of one colour increment a common
 * point, so that all of one can be executed at a time (Sulyok et al. 2019, section 2.1). */
#pragma once

#include "core/plan/loop.h"

/* Fills colour [n_elements] and their number. By first fit, the papers' way, in the order
 * [n_elements] (NULL: by number), or from there on with the fewest colours that we find
 * (core/plan/colour/colour.h). */
TESS_MUST_CHECK tess_status tess_loop_colour(const tess_bound_loop *bound, const int32_t *order,
                                             bool fewest, int32_t *colour, int32_t *n_colours);
