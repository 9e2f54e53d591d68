/* A cut in halves: elements bisected of which no more than half have a position at once. */
#pragma once

#include "core/plan/partition_problem.h"
#include "partitioners/bisect.h"

/* Fills positions [n] of a problem's elements from `first` on, of which no coordinate is -0. */
void tess_positions_fill(const tess_partition_problem *problem, int64_t first, int64_t n,
                         tess_position *positions);

/* Fills block_of [n_elements] as tess_bisect would cut a problem whose centroids are known one by
 * one; unless they are few, or lie so that a sample misleads: *is_cut tells. */
TESS_MUST_CHECK tess_status tess_cut_by_halves(const tess_partition_problem *problem,
                                               const tess_bisection *how, int32_t *block_of,
                                               bool *is_cut);
