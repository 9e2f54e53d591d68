/* Rounds: the pairs of neighbouring blocks, in rounds in which no block is twice. */
#ifndef TESS_MOSAIC_ROUNDS_H
#define TESS_MOSAIC_ROUNDS_H

#include "partitioners/mosaic/exchange.h"

typedef struct mosaic_rounds {
    int32_t n_rounds;
    int64_t n_pairs;
    int64_t *first;       /* [n_rounds + 1] into pair */
    mosaic_contact *pair; /* [n_pairs] */
    uint64_t *shared;     /* what contacts point to */
} mosaic_rounds;

/* The pairs of blocks, none before `first_block`, that share at least `least` points, of which
 * `stale` (by block, or NULL: all) holds for one at least. Deterministic on any number of threads.
 */
TESS_MUST_CHECK tess_status mosaic_rounds_build(const mosaic_blocks *blocks,
                                                const mosaic_rows *rows, int32_t first_block,
                                                int32_t least, const uint8_t *stale,
                                                mosaic_rounds *rounds);
void mosaic_rounds_clear(mosaic_rounds *rounds);

/* How long sweeps go on. */
typedef struct mosaic_effort {
    int sweeps;             /* at most */
    int32_t first_patience; /* moves without a gain before an exchange ends: in the first sweep */
    int32_t patience;       /* ... and in those that follow */
    double least_gain;      /* ends after a sweep that saves no more than this part of the pins */
} mosaic_effort;

/* Sweeps over all pairs in rounds, then again over the pairs of changed blocks. *saved: weight of
 * points saved in all. limits->patience is ignored. */
TESS_MUST_CHECK tess_status mosaic_sweep(mosaic_blocks *blocks, const mosaic_limits *limits,
                                         const mosaic_effort *effort, int64_t *saved);

#endif
