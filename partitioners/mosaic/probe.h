/* A probe: what an exchange between pairs would save, found out on a few runs of blocks. */
#ifndef TESS_MOSAIC_PROBE_H
#define TESS_MOSAIC_PROBE_H

#include "partitioners/mosaic/blocks.h"

typedef struct mosaic_probe {
    double ragged; /* part of the points that blocks have in common that one sweep saves */
    double gain;   /* ... and of all points of blocks that would be */
} mosaic_probe;

/* Exchanges between the blocks of at most so many runs of consecutive ones from `first_block` on,
 * of which there is one at least, copied out: nothing is changed. Blocks that follow each other are
 * neighbours more often than not. */
TESS_MUST_CHECK tess_status mosaic_probe_take(const mosaic_blocks *blocks, int32_t first_block,
                                              int32_t most_runs, mosaic_probe *probe);

#endif
