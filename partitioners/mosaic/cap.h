/* A cap: no block has more than so many distinct points. */
#ifndef TESS_MOSAIC_CAP_H
#define TESS_MOSAIC_CAP_H

#include "partitioners/mosaic/blocks.h"
#include "partitioners/mosaic/cut.h"
#include "partitioners/mosaic/mesh.h"

/* Divides blocks of more than `max_points` distinct points, in the order of their members, into
 * blocks that have no more. Fails (INPUT) where one element alone has more. */
TESS_MUST_CHECK tess_status mosaic_cap_points(mosaic_blocks *blocks, int32_t max_points);

/* Cuts smaller blocks, of cut->block_size elements, until the mean of their points is no more than
 * `max_points`; `order` [n_elements] is that of the cut, before and after. */
TESS_MUST_CHECK tess_status mosaic_cap_shrink(const mosaic_mesh *mesh, int32_t max_points,
                                              mosaic_cut *cut, int32_t *order);

#endif
