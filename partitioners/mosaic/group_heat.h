/* Heat: elements wander between the blocks of a group, ever less often to their cost: simulated
 * annealing (Kirkpatrick, Gelatt and Vecchi 1983). Sizes of blocks change. */
#pragma once

#include "partitioners/mosaic/group.h"

#include <math.h>

/* How elements of all groups of a round wander. */
typedef struct mosaic_heat {
    mosaic_schedule schedule;
    /* -log(u) for u spread evenly over (0, 1), in MOSAIC_UNIT: the same on every machine */
    int32_t wait[MOSAIC_WAITS];
} mosaic_heat;

/* From the first value to the second by equal factors, in MOSAIC_UNIT. */
static inline int64_t mosaic_between(const double *values, double part) {
    return lround(MOSAIC_UNIT * values[0] * pow(values[1] / values[0], part));
}

/* One of the bits, any of them where `turn`, in [0, 64), is. */
static inline int32_t mosaic_bit_of(uint64_t bits, int turn) {
    const uint64_t turned = bits >> turn | bits << (-turn & 63);
    return (__builtin_ctzll(turned) + turn) & 63;
}

void mosaic_heat_set(const mosaic_schedule *schedule, mosaic_heat *heat);

/* Tries random moves of elements at points of two blocks or more. No block gets more than
 * most_points[b] distinct points (NULL: any number). Gives the weight of the points that blocks got
 * less that of those they lost. */
int64_t mosaic_group_wander(mosaic_group *group, const mosaic_heat *heat,
                            const int32_t *most_points, uint64_t seed);

/* The same in schedule.trials passes, where no roundness counts: each visits the elements whose
 * cheapest move costs no point, and of those that cost one or two as many as heat may move. Moves
 * that cost three points are not made. (Waiting times in place of tries that fail: Bortz, Kalos and
 * Lebowitz 1975.) */
int64_t mosaic_group_roam(mosaic_group *group, const mosaic_heat *heat, const int32_t *most_points,
                          uint64_t seed);

/* The same of a group that is `located`, in schedule.passes over all elements at borders: each goes
 * to the block around that has the most of its points where that costs little; what finds nothing
 * rests until something changes beside it. */
int64_t mosaic_group_settle(mosaic_group *group, const mosaic_heat *heat, uint64_t seed);
