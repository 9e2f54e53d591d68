/* Roaming: elements go from block to block of a group where that costs least, those that only
 * temperature moves when it does: simulated annealing (Kirkpatrick, Gelatt and Vecchi 1983) with
 * waiting times in place of tries that fail (Bortz, Kalos and Lebowitz 1975). */
#pragma once

#include "partitioners/mosaic/group.h"
#include "partitioners/mosaic/level_table.h"

/* Values of -log(u), u spread evenly over (0, 1). */
enum { MOSAIC_WAITS = 1024 };

/* How elements of all groups of a round roam. */
typedef struct mosaic_cooling {
    mosaic_schedule schedule;
    int passes;
    int32_t wait[MOSAIC_WAITS]; /* -log(u), in MOSAIC_UNIT */
} mosaic_cooling;

void mosaic_cooling_set(const mosaic_schedule *schedule, int passes, mosaic_cooling *cooling);

/* Each pass visits the elements whose cheapest move costs no point, and of those that cost one or
 * two as many as the temperature may move. Moves that cost three points are not made. Sizes of
 * blocks change; none gets more than most_points[b] distinct points (NULL: any number). Gives the
 * weight of the points that blocks got less that of those they lost. */
int64_t mosaic_group_roam(mosaic_group *group, const mosaic_cooling *cooling,
                          const int32_t *most_points, uint64_t seed);
