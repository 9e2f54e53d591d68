/* A ball: the elements around one, as the map has them and as they lie. */
#ifndef TESS_MOSAIC_BALL_H
#define TESS_MOSAIC_BALL_H

#include "partitioners/mosaic_walk.h"

/* True where places are as good as the map: a few small balls of the walk differ from each other,
 * so that no levels are flat, and are round in space, so that no layers are stretched. Coordinates
 * [n_elements][dimension]. Before any other kind of walk. */
bool mosaic_balls_are_places(mosaic_walk *walk, const double *coordinates, int dimension);

#endif
