/* A trade-off: wide blocks reuse more, narrow ones need fewer thread colours, small ones have fewer
 * points. Options shape, colours, reuse and max_points say what is wanted. */
#pragma once

#include "partitioners/mosaic/blocks.h"
#include "partitioners/mosaic/slabs.h"

/* What is asked for; all of it plain: as much reuse as can be. */
typedef struct mosaic_trade_off {
    double shape;       /* 0: pencils, 1: bricks */
    double colours;     /* mean thread colours at most; 0: any */
    double reuse;       /* reuse factor at least; 0: any */
    int32_t max_points; /* distinct points of a block at most; 0: any */
} mosaic_trade_off;

/* Fails (USAGE) where options that exclude each other are given. */
TESS_MUST_CHECK tess_status mosaic_trade_off_check(const mosaic_trade_off *asked);

/* Whether nothing but reuse counts. */
bool mosaic_trade_off_is_plain(const mosaic_trade_off *asked);

/* How slabs were cut to meet what is asked for. */
typedef struct mosaic_traded {
    bool met;            /* colours or reuse are met: what makes blocks better would undo it */
    int32_t first_brick; /* blocks before it are pencils, and stay */
} mosaic_traded;

/* Fills order [n_elements] with the widest blocks that keep to the colours, the narrowest that
 * reach the reuse, the shape, or blocks so small that the mean of their points keeps to max_points:
 * cut->block_size is theirs then. */
TESS_MUST_CHECK tess_status mosaic_trade_off_cut(const mosaic_mesh *mesh,
                                                 const mosaic_trade_off *asked, mosaic_cut *cut,
                                                 int32_t *order, mosaic_traded *traded);

/* Divides blocks of more than `max_points` distinct points, in the order of their members, into
 * blocks that have no more. Fails (INPUT) where one element alone has more. */
TESS_MUST_CHECK tess_status mosaic_blocks_cap(mosaic_blocks *blocks, int32_t max_points);

/* Tells the problem's observer what is missed of the colours or the reuse. */
TESS_MUST_CHECK tess_status mosaic_trade_off_tell(const tess_partition_problem *problem,
                                                  const mosaic_trade_off *asked,
                                                  const mosaic_blocks *blocks);
