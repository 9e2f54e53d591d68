/* A cap: no block has more than so many distinct points. */
#ifndef TESS_MOSAIC_CAP_H
#define TESS_MOSAIC_CAP_H

#include "partitioners/mosaic_blocks.h"

/* Divides blocks of more than `max_points` distinct points, in the order of their members, into
 * blocks that have no more. Fails (INPUT) where one element alone has more. */
TESS_MUST_CHECK tess_status mosaic_cap_points(mosaic_blocks *blocks, int32_t max_points);

#endif
