/* A bisection: elements of a walked mesh halved by where they lie. */
#ifndef TESS_MOSAIC_BISECT_H
#define TESS_MOSAIC_BISECT_H

#include "partitioners/mosaic_mesh.h"

/* Puts elements first ... first + n - 1 of a mesh with coordinates into an order of which every
 * `block_size` are a block: order[i] is the i-th of them, counted from first. Recursive coordinate
 * bisection (Berger and Bokhari 1987) across the longest axis at multiples of the block size; ties
 * by number. Deterministic on any number of threads. */
TESS_MUST_CHECK tess_status mosaic_bisect(const mosaic_mesh *mesh, int64_t first, int64_t n,
                                          int64_t block_size, int32_t *order);

#endif
