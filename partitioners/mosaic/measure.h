/* Measures of blocks: how many points they have, how many thread colours they need. */
#ifndef TESS_MOSAIC_MEASURE_H
#define TESS_MOSAIC_MEASURE_H

#include "partitioners/mosaic/exchange.h"

typedef struct mosaic_measure {
    double reuse;    /* pins over the points of all blocks */
    double colours;  /* mean over blocks of the largest number of elements at one point */
    int32_t *points; /* [n_blocks] distinct points of each block; owned */
} mosaic_measure;

/* Measures all blocks, all cores at once. */
TESS_MUST_CHECK tess_status mosaic_measure_blocks(mosaic_blocks *blocks, mosaic_measure *measure);
void mosaic_measure_clear(mosaic_measure *measure);

#endif
