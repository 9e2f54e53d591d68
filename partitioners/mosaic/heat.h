/* Heat: elements wander between the blocks of a group, ever less often to their cost. */
#ifndef TESS_MOSAIC_HEAT_H
#define TESS_MOSAIC_HEAT_H

#include "partitioners/mosaic/group.h"

/* A point of mean weight costs UNIT. */
enum { MOSAIC_WAITS = 1024, MOSAIC_UNIT = 1024 };

/* How freely elements wander, and how long. Costs are in points of mean weight. */
typedef struct mosaic_cooling {
    double trials;    /* moves tried, over the mean of elements and pins of cut points */
    int passes;       /* instead, where places are known: visits of all elements at borders */
    double hot, cold; /* temperature at the start and at the end */
    double crowding;  /* what a block costs that is one element larger than another, at the start */
    double crowding_last; /* ... and at the end: the more, the fewer chains have to be made */
    double round;         /* what a block costs that is not round, where places are known */
    double round_last;
    double fade;   /* each round counts roundness as this part of the one before; 0: all of it */
    double relax;  /* ... and sizes */
    double enough; /* a round that saves less of what blocks have in common is the last */
    /* -log(u) for u spread evenly over (0, 1), in whole numbers: the same on every machine */
    int32_t wait[MOSAIC_WAITS];
} mosaic_cooling;

/* Sets `wait`; the others are the caller's. */
void mosaic_cooling_set(mosaic_cooling *cooling);

/* One of the bits, any of them where `turn`, in [0, 64), is. */
static inline int32_t mosaic_bit_of(uint64_t bits, int turn) {
    const uint64_t turned = bits >> turn | bits << (-turn & 63);
    return (__builtin_ctzll(turned) + turn) & 63;
}

/* From first to last by equal factors, in units. */
int64_t mosaic_between(double first, double last, double part);

/* What a point of weight 1 costs: those of two blocks or more are UNIT in the mean. */
int64_t mosaic_group_unit(const mosaic_group *group);

/* Simulated annealing (Kirkpatrick, Gelatt and Vecchi 1983) on the group: its blocks' sizes change,
 * none gets more than most_points[b] distinct points (NULL: any number). Gives the weight of the
 * points that blocks got less that of those they lost. */
int64_t mosaic_group_cool(mosaic_group *group, const mosaic_cooling *cooling,
                          const int32_t *most_points, uint64_t seed);

#endif
