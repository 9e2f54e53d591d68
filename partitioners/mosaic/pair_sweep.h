/* A sweep: exchanges between all pairs of neighbouring blocks, in rounds in which no block is
 * twice; and a probe, which tells on a few blocks what it would save. */
#pragma once

#include "partitioners/mosaic/exchange.h"

typedef struct mosaic_rounds {
    int32_t n_rounds;
    int64_t n_pairs;
    int64_t *first;       /* [n_rounds + 1] into pair */
    mosaic_contact *pair; /* [n_pairs] */
    uint64_t *shared;     /* what contacts point to */
} mosaic_rounds;

/* The pairs of blocks, none before `first_block`, that share CONTACT_POINTS points at least, and
 * of which `stale` (by block, or NULL: all) holds for one at least. Deterministic on any number of
 * threads. */
TESS_MUST_CHECK tess_status mosaic_rounds_build(const mosaic_blocks *blocks, const tess_rows *rows,
                                                int32_t first_block, const uint8_t *stale,
                                                mosaic_rounds *rounds);
void mosaic_rounds_clear(mosaic_rounds *rounds);

/* Sweeps over all pairs in rounds, then again over the pairs of changed blocks. *saved: weight of
 * points saved in all. */
TESS_MUST_CHECK tess_status mosaic_sweep(mosaic_blocks *blocks, const mosaic_limits *limits,
                                         const mosaic_sweeps *sweeps, int64_t *saved);

typedef struct mosaic_probe {
    double ragged; /* part of the points that blocks have in common that one sweep saves */
    double gain;   /* ... and of all points of blocks that would be */
} mosaic_probe;

/* Exchanges between the blocks of at most so many runs of consecutive ones from `first_block` on,
 * of which there is one at least, copied out: nothing is changed. Blocks that follow each other are
 * neighbours more often than not. */
TESS_MUST_CHECK tess_status mosaic_probe_take(const mosaic_blocks *blocks, int32_t first_block,
                                              int32_t most_runs, mosaic_probe *probe);
