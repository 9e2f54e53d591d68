/* A walked mesh: the pins of a problem, judged by balls, in the order of one walk across it. */
#pragma once

#include "partitioners/mosaic/walk.h"

#include <stdbool.h>

typedef struct mosaic_mesh {
    int32_t *order; /* [n_elements] the problem's element at each position of the walk */
    int32_t *level; /* [n_levels + 1] positions where levels start */
    int32_t n_levels;
    bool by_coordinates; /* nobody walked: elements are in the problem's order, no levels */
    mosaic_ball ball;    /* of S elements: the median width and points of some; or nobody asks */
    bool regular;        /* many balls have the same levels: fronts are flat */
    bool round;          /* small balls are round in space, and coordinates are trusted */
    double natural;      /* points of S elements in the problem's order, the mean of a sample */
    mosaic_pins pins;    /* elements are positions; points in the order of their first mention */
    int dimension;       /* of the coordinates; 0: there are none */
    double stretch;      /* by coordinates: how much longer along x than along y its balls are */
    const double *coordinates; /* [of the problem's elements][dimension]; the problem's */
    double local[LOCAL_BALLS]; /* points of balls of S elements around mosaic_mesh_centre; or */
                               /* nobody asks */
} mosaic_mesh;

/* The element in the middle of the i-th of the local balls of a mesh by coordinates. */
static inline int32_t mosaic_mesh_centre(const mosaic_mesh *mesh, int i) {
    return (int32_t)((2 * i + 1) * mesh->pins.n_elements / (2 * LOCAL_BALLS));
}

/* How a mesh is walked: points of more than `largest` elements are left out; other shifts in [0, 1)
 * give other walks; where coordinates are trusted and as good as the map, nobody walks, and balls
 * of S elements are measured only if they are `doubted`, local ones in 2D if they are `checked`;
 * `irregular` meshes are not asked whether they are regular. */
typedef struct mosaic_walking {
    int64_t largest;
    double shift;
    bool trusted, doubted, checked, irregular;
} mosaic_walking;

/* Walks across the pins of `problem`, which has elements. The problem's coordinates outlive it. */
TESS_MUST_CHECK tess_status mosaic_mesh_build(const tess_partition_problem *problem,
                                              const mosaic_walking *how, mosaic_mesh *mesh);
/* Positions [n_elements] in the walked mesh become the problem's elements. */
void mosaic_mesh_name(const mosaic_mesh *mesh, int32_t *position);

void mosaic_mesh_clear(mosaic_mesh *mesh);

/* Of a walk before it sets out. True where a few balls have the same levels: the mesh is regular,
 * fronts are flat. Dimension of the coordinates, 0: not known. */
bool mosaic_balls_are_alike(mosaic_walk *walk, int dimension);

/* The same: true where a few small balls are round in space, so that no layers are stretched and
 * coordinates [n_elements][dimension] of an irregular mesh are as good as the map. Fills how much
 * longer along x than along y they are in the median; 1 in 3D, and where that is little. */
bool mosaic_balls_are_round(mosaic_walk *walk, const double *coordinates, int dimension,
                            double *stretch);
