/* Swap: elements of neighbouring blocks change places, so that blocks reach fewer points.
 *
 * Blocks keep their sizes. In each round blocks are put into groups of neighbours, by bisection of
 * their centres in another frame than the round before. In each step every element of a group finds
 * the block that lacks the fewest of its points, what it would cost to go there, and draws how much
 * it may cost, -T log u; T falls from step to step. Of the elements with one direction from block
 * to block the one that gains most is paired with the one that comes back; pairs that gain
 * together, and have no point in common with one that comes first, change places. A group that
 * reaches more points in the end is left as it was. All numbers are whole, and nothing depends on
 * an order of execution: a device finds the same blocks (kernels/cut/swap.cu). */
#pragma once

#include "core/plan/partition_problem.h"
#include "partitioners/swap_rule.h"

/* How blocks are cut that swap elements then: by the rule that is asked for, in slabs or in thicker
 * ones. Of a sample, the first SWAP_SAMPLE blocks by the first rule, each cuts the
 * blocks of its own, which swap elements for SWAP_TRIAL rounds; that whose blocks reach the fewest
 * points then, the first of equals, cuts all. */
enum { SWAP_STARTS = 3 };

static inline tess_cut_rule tess_swap_start(const tess_cut *what, int start) {
    return start == 0 ? what->rule : start == 1 ? TESS_CUT_SLABS : TESS_CUT_THICK_SLABS;
}

/* How far apart along each axis the elements of a point are, as the least along any to that: by so
 * much are places scaled, so that blocks are as many elements wide along each axis. Of the first
 * SWAP_SCALED blocks of a sample in the order of its blocks; 1 where it is about 1. */
TESS_MUST_CHECK tess_status tess_swap_scale(const tess_cut *sample, double scale[3]);

static inline bool tess_swap_is_scaled(const double scale[3]) {
    return scale[0] < 1 || scale[1] < 1 || scale[2] < 1;
}

/* Cuts and improves block_of [what->n] by what->n_rounds, on the host. */
TESS_MUST_CHECK tess_status tess_swap_cut(const tess_cut *what, int32_t *block_of);

/* The blocks of a group; below 2 where nothing can be swapped, as blocks or rows are too long. */
int32_t tess_swap_group(int32_t block_size, int n_slots);

/* The points of a problem's elements in one table, which the caller frees: those of all maps, one
 * after the other, without second mentions; NULL is left where rows are too long, or points too
 * many. Maps count alike. */
TESS_MUST_CHECK tess_status tess_swap_map(const tess_partition_problem *problem, int *n_slots,
                                          int32_t **map);

/* The points that the blocks of block_of [n] reach, in all; of a group that is left as it is, those
 * of its elements, one by one. */
TESS_MUST_CHECK tess_status tess_swap_count(const tess_cut *what, const int32_t *block_of,
                                            int64_t *n_reached);

/* Improves block_of [n]: blocks 0 to the last, all but that one full. The same on any number of
 * threads. */
TESS_MUST_CHECK tess_status tess_swap_run(const tess_cut *what, int32_t *block_of);
