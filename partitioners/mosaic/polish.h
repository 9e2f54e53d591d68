/* A polish: what makes blocks better once they are cut. */
#pragma once

#include "partitioners/mosaic/exchange.h"

/* Exchange in pairs, or annealing in groups and exchange, or neither where it gains next to
 * nothing. Where blocks know their centroids, annealing makes them round first. Deterministic on
 * any number of threads. */
TESS_MUST_CHECK tess_status mosaic_polish(mosaic_blocks *blocks, const mosaic_limits *limits,
                                          const mosaic_effort *effort, uint64_t seed);
