/* Heat: elements wander between the blocks of a group, ever less often to their cost. */
#ifndef TESS_MOSAIC_HEAT_H
#define TESS_MOSAIC_HEAT_H

#include "partitioners/mosaic_group.h"

enum { MOSAIC_WAITS = 1024 };

/* How freely elements wander, and how long. Costs are in points of mean weight. */
typedef struct mosaic_cooling {
    double trials;    /* moves tried, over the mean of elements and pins of cut points */
    double hot, cold; /* temperature at the start and at the end */
    double crowding;  /* what a block costs that is one element larger than another, at the start */
    double crowding_last; /* ... and at the end: the more, the fewer chains have to be made */
    double round;         /* what a block costs that is not round, where places are known */
    double round_last;
    double fade; /* each round counts sizes and roundness as this part of the one before; 0: all */
    /* -log(u) for u spread evenly over (0, 1), in whole numbers: the same on every machine */
    int32_t wait[MOSAIC_WAITS];
} mosaic_cooling;

/* Sets `wait`; the others are the caller's. */
void mosaic_cooling_set(mosaic_cooling *cooling);

/* Simulated annealing (Kirkpatrick, Gelatt and Vecchi 1983) on the group: its blocks' sizes change,
 * none gets more than most_points[b] distinct points (NULL: any number). Gives the weight of the
 * points that blocks got less that of those they lost. */
int64_t mosaic_group_cool(mosaic_group *group, const mosaic_cooling *cooling,
                          const int32_t *most_points, uint64_t seed);

#endif
