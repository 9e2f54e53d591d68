/* Slabs: a mesh in the order of one walk across it, cut along the fronts of that walk; each slab
 * along those of a walk of its own, until a strip is left, which is chopped into blocks. */
#pragma once

#include "partitioners/mosaic/walk.h"

/* A walked mesh. */
typedef struct mosaic_mesh {
    int32_t *order; /* [n_elements] the problem's element at each position of the walk */
    int32_t *level; /* [n_levels + 1] positions where levels start */
    int32_t n_levels;
    double width;     /* levels from side to side of a ball of S elements */
    mosaic_pins pins; /* elements are positions */
} mosaic_mesh;

/* Walks across the pins of a problem that has elements. Other shifts in [0, 1) give other walks. */
TESS_MUST_CHECK tess_status mosaic_mesh_build(const mosaic_pins *pins, int32_t block_size,
                                              double shift, mosaic_mesh *mesh);
void mosaic_mesh_clear(mosaic_mesh *mesh);

typedef struct mosaic_cut {
    int64_t block_size; /* S */
    int64_t multiple;   /* slabs end at multiples of it: S, or 1 for whole levels */
    double width;       /* levels of a slab */
    bool halves;        /* thick slabs are halved (halves.h), else cut into slabs and strips */
    double from;        /* in [0, 1): shifts where walks set out; other seeds, other blocks */
} mosaic_cut;

/* Fills order [n_elements], positions of which every S are a block: slabs of the walk's levels,
 * each cut on its own, all cores at once. The same on any number of threads. Between pencils (shape
 * 0) and bricks, which is what the cut makes (shape 1), such that reuse and colours grow with the
 * shape: that part of the blocks are bricks; those before *first_brick are pencils of single
 * levels, and go on from one level in the next. */
TESS_MUST_CHECK tess_status mosaic_slabs_cut(const mosaic_mesh *mesh, const mosaic_cut *cut,
                                             double shape, int32_t *order, int32_t *first_brick);
