/* A walked mesh: the pins of a problem in the order of one walk across it. */
#ifndef TESS_MOSAIC_MESH_H
#define TESS_MOSAIC_MESH_H

#include "partitioners/mosaic/walk.h"

#include <stdbool.h>

typedef struct mosaic_mesh {
    int32_t *order; /* [n_elements] the problem's element at each place of the walk */
    int32_t *level; /* [n_levels + 1] places where levels start */
    int32_t n_levels;
    bool scattered;            /* nobody walked: elements are in the problem's order, no levels */
    mosaic_ball ball;          /* of S elements: the median width and points of some */
    bool regular;              /* many balls have the same levels: fronts are flat */
    mosaic_pins pins;          /* elements are places; points in the order of their first mention */
    int dimension;             /* of the coordinates; 0: there are none */
    const double *coordinates; /* [of the problem's elements][dimension]; the problem's */
} mosaic_mesh;

/* Walks across the pins of `problem`, which has elements; points of more than `largest` elements
 * are left out. Where `places` are enough and the coordinates are as good as the map, nobody walks.
 * Other shifts in [0, 1) give other walks. The problem's coordinates outlive it. */
TESS_MUST_CHECK tess_status mosaic_mesh_build(const tess_problem *problem, int64_t largest,
                                              double shift, bool places, mosaic_mesh *mesh);
void mosaic_mesh_clear(mosaic_mesh *mesh);

#endif
