/* Settling: blocks whose places are known become round, then save points. */
#ifndef TESS_MOSAIC_SETTLE_H
#define TESS_MOSAIC_SETTLE_H

#include "partitioners/mosaic/heat.h"

/* Simulated annealing like mosaic_group_cool, of a group that is `placed`: cooling->passes times
 * all elements at borders are visited in turn, and go to the block around that has the most of
 * their points where that costs little; what finds nothing rests until something changes beside it.
 * Blocks keep at least one element. Gives the weight of the points that blocks got less that of
 * those they lost. */
int64_t mosaic_group_settle(mosaic_group *group, const mosaic_cooling *cooling, uint64_t seed);

#endif
