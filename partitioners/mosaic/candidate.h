/* A candidate: the blocks of one way to cut, with all that they need, polished so far. */
#pragma once

#include "partitioners/mosaic/polish.h"

/* It does not move: the blocks point to its pins. */
typedef struct mosaic_candidate {
    int32_t *element;          /* [n_elements] the problem's, in the order of the pins */
    mosaic_centroid *centroid; /* [n_elements] where coordinates made the cut, else NULL */
    bool guessed;              /* of the first way, which efforts up to 2 take, too */
    bool parked, located;      /* without pins, and centroids that it has else */
    mosaic_pins pins;
    mosaic_blocks blocks; /* of the pins; none where they are for good: every S elements then */
    int32_t chopped;      /* S in that case, else 0 */
    mosaic_limits limits; /* of what polishes them */
    mosaic_polished polished;
    int64_t shared; /* mosaic_blocks_shared, when it was compared */
} mosaic_candidate;

/* An empty one. */
TESS_MUST_CHECK tess_status mosaic_candidate_new(mosaic_candidate **out);
void mosaic_candidate_free(mosaic_candidate *candidate);

/* Fills an empty one with blocks that others made: block_of [n_elements], dense from 0. Points of
 * more than `largest` elements are left out. */
TESS_MUST_CHECK tess_status mosaic_candidate_take(const tess_partition_problem *problem,
                                                  int64_t largest, const int32_t *block_of,
                                                  mosaic_candidate *made);

/* Measures its blocks, and frees what can be made again, most of its memory: pins, centroids, the
 * block of each element. NULL: none; one that is parked stays so. */
TESS_MUST_CHECK tess_status mosaic_candidate_park(mosaic_candidate *candidate);
/* Makes them again, the same, of one that is parked; points of more than `largest` elements are
 * left out. */
TESS_MUST_CHECK tess_status mosaic_candidate_resume(const tess_partition_problem *problem,
                                                    int64_t largest, mosaic_candidate *candidate);

/* *best is the one whose blocks have fewer points, at equal points the one that coordinates cut, or
 * what it was; *other the other one. Both have blocks, of one problem; either may be parked. */
TESS_MUST_CHECK tess_status mosaic_candidate_compare(mosaic_candidate **best,
                                                     mosaic_candidate **other);

/* Whether its blocks have fewer points, their weight together. It has its pins. */
TESS_MUST_CHECK tess_status mosaic_candidate_beats(mosaic_candidate *candidate, double points,
                                                   bool *beats);

/* True where both have about as many points, so that polishing may turn which one is better. Both
 * were compared since they were polished. */
bool mosaic_candidate_is_close(const mosaic_candidate *best, const mosaic_candidate *other);

/* True of two that are close where no single round tells which one is better in the end: the best
 * one makes no more, coordinates cut the other's blocks in 2D, which gain by each, or one is of a
 * net of channels, whose few blocks are annealed for long. */
bool mosaic_candidate_gains_late(const mosaic_candidate *best, const mosaic_candidate *other);

/* Fills block_of [n_elements], by the problem's elements. */
void mosaic_candidate_give(const mosaic_candidate *candidate, int64_t n_elements,
                           int32_t *block_of);
