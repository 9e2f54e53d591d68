/* Blocks over the elements of some pins: who is in which. */
#ifndef TESS_MOSAIC_BLOCKS_H
#define TESS_MOSAIC_BLOCKS_H

#include "partitioners/mosaic/bisect.h"

typedef struct mosaic_blocks {
    const mosaic_pins *pins;
    int32_t n_blocks;
    int32_t block_size;        /* S */
    int32_t *member;           /* [n_blocks][S] elements of each block, its first size[b] */
    int32_t *size;             /* [n_blocks] */
    int32_t *block_of;         /* [n_elements] */
    const mosaic_place *place; /* [n_elements] where they lie, not owned; NULL: not known */
    bool regular;              /* of a regular mesh, cut along flat fronts */
    int dimension;             /* of the places */
} mosaic_blocks;

/* Blocks from the block of each element, all in [0, n_blocks). Fails (INPUT) where a block is
 * larger than `block_size`. The pins outlive the blocks. */
TESS_MUST_CHECK tess_status mosaic_blocks_build(const mosaic_pins *pins, int32_t block_size,
                                                int32_t n_blocks, const int32_t *block_of,
                                                mosaic_blocks *blocks);
/* Blocks of S consecutive elements of an order [n_elements]. */
TESS_MUST_CHECK tess_status mosaic_blocks_chop(const mosaic_pins *pins, const int32_t *order,
                                               int32_t block_size, mosaic_blocks *blocks);
/* *shared: the weight of the points of all blocks less that of the points, each once: what no
 * partition could save more than. */
TESS_MUST_CHECK tess_status mosaic_blocks_shared(const mosaic_blocks *blocks, int64_t *shared);
void mosaic_blocks_clear(mosaic_blocks *blocks);

#endif
