/* A bisection: elements halved by where they lie. */
#pragma once

#include "partitioners/mosaic/walked_mesh.h"

/* Where an element lies in the box of all, whose longest side is 1; unused coordinates are 0. */
typedef struct mosaic_centroid {
    float xyz[3];
    int32_t element;
} mosaic_centroid;

/* Gives where the elements of a mesh with coordinates lie, in its order. Of the mesh only order,
 * number of elements and coordinates count. */
TESS_MUST_CHECK tess_status mosaic_centroids_build(const mosaic_mesh *mesh, mosaic_centroid **out);

/* Puts centroids into an order of which every `block_size` are a block. Recursive coordinate
 * bisection (Berger and Bokhari 1987) across the longest axis at multiples of the block size; ties
 * by the next axes, then by number. Deterministic on any number of threads. */
TESS_MUST_CHECK tess_status mosaic_centroids_halve(mosaic_centroid *centroids, int64_t n,
                                                   int64_t block_size);

/* Some of the blocks that the next function would make, or, in less time, not `exactly`, some of a
 * part of the mesh with other borders: sample[i < *n_sampled] are their elements, every
 * `block_size` a block; at most n_elements. */
TESS_MUST_CHECK tess_status mosaic_bisect_sample(const mosaic_mesh *mesh, int64_t block_size,
                                                 bool exactly, int32_t *sample, int64_t *n_sampled);

/* The same for a mesh with coordinates, whole: order[i] is the i-th element. *kept: the centroids
 * in that order, the caller's; NULL: not wanted. */
TESS_MUST_CHECK tess_status mosaic_bisect(const mosaic_mesh *mesh, int64_t block_size,
                                          int32_t *order, mosaic_centroid **kept);
