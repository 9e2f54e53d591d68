/* The colours of a plan's blocks: numbers such that no two blocks of one increment a common point.
 */
#pragma once

#include "core/plan/plan.h"

/* Fills block_colour and n_block_colours of a plan whose blocks and points are there: all of one
 * colour where blocks own points. DSATUR colours blocks by first fit. */
TESS_MUST_CHECK tess_status tess_block_colours_find(const tess_bound_loop *bound,
                                                    tess_colouring colouring, tess_plan *plan);
