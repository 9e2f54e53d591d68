/* Blocks over the elements of some pins: who is in which. */
#pragma once

#include "partitioners/mosaic/bisect.h"

typedef struct mosaic_blocks {
    const mosaic_pins *pins;
    int32_t n_blocks;
    int32_t block_size;              /* S */
    int32_t *member;                 /* [n_blocks][S] elements of each block, its first size[b] */
    int32_t *size;                   /* [n_blocks] */
    int32_t *block_of;               /* [n_elements] */
    const mosaic_centroid *centroid; /* [n_elements] where they lie, not owned; NULL: not known */
    bool regular;                    /* of a regular mesh, cut along flat fronts */
    double in_pieces;                /* part of those of the cut; 0: not known */
    bool channels;                   /* of a net of channels: only long annealing finds good cuts */
    bool sampled;                    /* of a part of a mesh: annealed no longer than all of it */
    int dimension;                   /* of the centroids */
} mosaic_blocks;

/* Blocks from the block of each element, all in [0, n_blocks). Fails (INPUT) where a block is
 * larger than `block_size`. The pins outlive the blocks. */
TESS_MUST_CHECK tess_status mosaic_blocks_build(const mosaic_pins *pins, int32_t block_size,
                                                int32_t n_blocks, const int32_t *block_of,
                                                mosaic_blocks *blocks);
/* Blocks of `size` consecutive elements of an order [n_elements], or as they are (NULL), with room
 * for `block_size` in each. */
TESS_MUST_CHECK tess_status mosaic_blocks_chop(const mosaic_pins *pins, const int32_t *order,
                                               int32_t block_size, int64_t size,
                                               mosaic_blocks *blocks);
void mosaic_blocks_clear(mosaic_blocks *blocks);

/* How many points blocks have, and how many thread colours they need. */
typedef struct mosaic_measure {
    double reuse;    /* pins over the points of all blocks */
    double colours;  /* mean over blocks of the largest number of elements at one point */
    int64_t shared;  /* weight of the points of all blocks less that of all points, each once */
    int32_t *points; /* [n_blocks] distinct points of each block; owned */
} mosaic_measure;

/* Measures all blocks, all cores at once, of pins in which every point has an element. *measure is
 * empty before. */
TESS_MUST_CHECK tess_status mosaic_blocks_measure(const mosaic_blocks *blocks,
                                                  mosaic_measure *measure);
void mosaic_measure_clear(mosaic_measure *measure);
/* measure->shared alone: no partition could save more. */
TESS_MUST_CHECK tess_status mosaic_blocks_shared(const mosaic_blocks *blocks, int64_t *shared);

/* The elements of a block, its first size[block]. */
static inline int32_t *mosaic_block(const mosaic_blocks *blocks, int32_t block) {
    return blocks->member + (int64_t)block * blocks->block_size;
}

/* True where so many blocks of the cut are in pieces that annealing pays for sure: it joins them
 * first. */
static inline bool mosaic_blocks_are_torn(const mosaic_blocks *blocks) {
    return blocks->in_pieces > TORN_JOINED;
}

/* Checks the ids of n elements, which are dense from 0, and gives the number of blocks. */
TESS_MUST_CHECK tess_status mosaic_blocks_count(int64_t n, const int32_t *block_of,
                                                int32_t *n_blocks);

/* The problem with a block size that no more than all elements can fill: what is allocated follows
 * the mesh, not the number that was asked for. Fails (USAGE) where it is below 1. */
TESS_MUST_CHECK tess_status mosaic_blocks_fit(const tess_partition_problem *given,
                                              tess_partition_problem *problem);
