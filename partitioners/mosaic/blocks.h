/* Blocks over the elements of some pins: who is in which. */
#pragma once

#include "partitioners/mosaic/pins.h"

typedef struct mosaic_blocks {
    const mosaic_pins *pins;
    int32_t n_blocks;
    int32_t block_size; /* S */
    int32_t *member;    /* [n_blocks][S] elements of each block, its first size[b] */
    int32_t *size;      /* [n_blocks] */
    int32_t *block_of;  /* [n_elements] */
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

/* The elements of a block, its first size[block]. */
static inline int32_t *mosaic_block(const mosaic_blocks *blocks, int32_t block) {
    return blocks->member + (int64_t)block * blocks->block_size;
}

/* What blocks cost. */
typedef struct mosaic_measure {
    double reuse;   /* pins over the points of all blocks */
    double colours; /* mean over blocks of the most elements at one point */
    double points;  /* mean over blocks of their distinct points */
    int64_t shared; /* weight of the points of all blocks less that of all points, each once: no */
                    /* partition could save more */
} mosaic_measure;

/* Measures all blocks, all cores at once, of pins in which every point has an element. */
TESS_MUST_CHECK tess_status mosaic_blocks_measure(const mosaic_blocks *blocks,
                                                  mosaic_measure *measure);
