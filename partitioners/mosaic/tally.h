/* A tally: the points of blocks that an order gives, and how alike they are. */
#ifndef TESS_MOSAIC_TALLY_H
#define TESS_MOSAIC_TALLY_H

#include "partitioners/mosaic/pins.h"

typedef struct mosaic_tally {
    double points;      /* weight of the distinct points of each block, summed */
    double elements;    /* of the blocks */
    int64_t blocks;     /* how many */
    int64_t few;        /* of them have no more points than the limit */
    int64_t alike;      /* have as many as the one before, to one */
    double limit, last; /* the limit is set before the first block; points of the last one */
} mosaic_tally;

/* Adds the blocks of S consecutive elements of order [n]. seen [n_points] has no value above
 * *clock, which grows by the number of blocks. */
void mosaic_tally_add(const mosaic_pins *pins, const int32_t *order, int64_t n, int64_t block_size,
                      int32_t *seen, int32_t *clock, mosaic_tally *sum);

#endif
