/* Annealing: blocks in groups of neighbours, in each of which elements roam. */
#pragma once

#include "partitioners/mosaic/blocks.h"
#include "partitioners/mosaic/level_table.h"

/* What no step that makes blocks better may do; every block keeps its size. */
typedef struct mosaic_limits {
    int32_t first_block; /* those before it are left as they are */
    int32_t max_points;  /* distinct points of a block; 0: any number */
} mosaic_limits;

/* Blocks on their way. Zeroed but for blocks, limits, schedule and seed: not annealed yet. */
typedef struct mosaic_annealing {
    mosaic_blocks *blocks;
    mosaic_limits limits;
    mosaic_schedule schedule;
    uint64_t seed;
    int rounds; /* made */
    bool ended; /* the last of them saved too little for another to follow */
} mosaic_annealing;

/* Goes on until `rounds` of a level were made, or one saves too little. A round puts the blocks
 * into groups of MOSAIC_GROUP_BLOCKS neighbours, other ones each time; all cores at once let the
 * elements of each group roam, and even out its sizes. A group whose points are not fewer then, or
 * whose blocks have more than limits.max_points, is left as it was: blocks are never worse than
 * before. The same blocks on any number of threads. */
TESS_MUST_CHECK tess_status mosaic_anneal(mosaic_annealing *it, const mosaic_level *level,
                                          int rounds);
