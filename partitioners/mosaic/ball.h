/* A ball: the elements around one, as the map has them and as they lie. */
#ifndef TESS_MOSAIC_BALL_H
#define TESS_MOSAIC_BALL_H

#include "partitioners/mosaic/walk.h"

/* All before any other kind of walk. */

/* True where a few balls have the same levels: the mesh is regular, fronts are flat. Dimension of
 * the coordinates, 0: not known. */
bool mosaic_balls_are_alike(mosaic_walk *walk, int dimension);

/* True where a few small balls are round in space, so that no layers are stretched: the places of
 * an irregular mesh are as good as the map then. Coordinates [n_elements][dimension]. */
bool mosaic_balls_are_round(mosaic_walk *walk, const double *coordinates, int dimension);

/* The median width and points of a few balls of `size` elements. */
mosaic_ball mosaic_balls_median(mosaic_walk *walk, int64_t size);

#endif
