/* Colours of a loop's elements: numbers such that no two elements of one colour increment a common
 * point, so that all of one can be executed at a time (Sulyok et al. 2019, section 2.1). */
#pragma once

#include "core/plan/colour/colour.h"
#include "core/plan/loop.h"

/* Fills colour [n_elements] and their number, in the order [n_elements] (NULL: by number): with the
 * fewest that we find, by first fit, or by the least used colour that is free (SULYOK); DSATUR is
 * first fit here (core/plan/colour/colour.h). */
TESS_MUST_CHECK tess_status tess_loop_colour(const tess_bound_loop *bound, const int32_t *order,
                                             tess_colouring colouring, int32_t *colour,
                                             int32_t *n_colours);
