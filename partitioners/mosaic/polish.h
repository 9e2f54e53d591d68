/* A polish: what makes blocks better once they are cut. */
#pragma once

#include "partitioners/mosaic/exchange.h"

/* How far blocks are polished; zeroed: not at all. */
typedef struct mosaic_polished {
    int rounds; /* of annealing, made or left out */
    bool still; /* more of them gain next to nothing */
    bool ended; /* nothing else gains more */
} mosaic_polished;

/* An effort's first rounds of annealing: those of a lower one that were made so far, and one more;
 * no exchange follows. */
mosaic_effort mosaic_round_more(const mosaic_effort *so_far, const mosaic_effort *given);

/* Exchange in pairs, or annealing in groups and exchange, or neither where it gains next to
 * nothing. Where blocks know their centroids, annealing makes them round first. Blocks that a lower
 * effort polished so far are polished on, and never have more points than before. Deterministic on
 * any number of threads. */
TESS_MUST_CHECK tess_status mosaic_polish(mosaic_blocks *blocks, const mosaic_limits *limits,
                                          const mosaic_effort *effort, uint64_t seed,
                                          mosaic_polished *so_far);
