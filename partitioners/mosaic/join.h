/* Joins: a block in several pieces keeps the largest, the others go to the blocks around. */
#pragma once

#include "partitioners/mosaic/group.h"

/* Of blocks as they are loaded, whose sizes change; but for pieces that the group connects to
 * nothing else of their block, as the rest of a basin. Gives the weight of the points that blocks
 * got less that of those they lost. */
int64_t mosaic_group_join(mosaic_group *group);

/* The pieces of all blocks of the group. */
int32_t mosaic_group_pieces(mosaic_group *group);
