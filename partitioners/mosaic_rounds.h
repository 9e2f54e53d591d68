/* Rounds: the pairs of neighbouring blocks, in rounds in which no block is twice. */
#ifndef TESS_MOSAIC_ROUNDS_H
#define TESS_MOSAIC_ROUNDS_H

#include "partitioners/mosaic_pair.h"

typedef struct mosaic_rounds {
    int32_t n_rounds;
    int64_t n_pairs;
    int64_t *first;     /* [n_rounds + 1] into pair */
    int32_t (*pair)[2]; /* [n_pairs] */
} mosaic_rounds;

/* The pairs of blocks that share at least `least` points, of which `stale` (by block, or NULL: all)
 * holds for one at least. Deterministic on any number of threads. */
TESS_MUST_CHECK tess_status mosaic_rounds_build(const mosaic_blocks *blocks,
                                                const mosaic_rows *rows, int32_t least,
                                                const uint8_t *stale, mosaic_rounds *rounds);
void mosaic_rounds_clear(mosaic_rounds *rounds);

/* Sweeps over all pairs in rounds, again over pairs with a changed block, until `sweeps` are done
 * or a round saves less than `least_gain` of the pins. *saved: weight of points saved in all. */
TESS_MUST_CHECK tess_status mosaic_sweep(mosaic_blocks *blocks, const mosaic_limits *limits,
                                         int sweeps, double least_gain, int64_t *saved);

#endif
