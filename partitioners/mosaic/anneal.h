/* Annealing: blocks in groups of neighbours, in each of which elements wander. */
#ifndef TESS_MOSAIC_ANNEAL_H
#define TESS_MOSAIC_ANNEAL_H

#include "partitioners/mosaic/exchange.h"
#include "partitioners/mosaic/heat.h"

/* What an annealing did: rounds made, weight of points saved. */
typedef struct mosaic_annealed {
    int rounds;
    int64_t saved;
} mosaic_annealed;

/* Puts the blocks from limits->first_block on into groups of neighbours, lets each group cool, all
 * cores at once, and evens out its sizes: all blocks keep theirs. A group whose points are not
 * fewer then, or whose blocks have more than limits->max_points, is left as it was. Each of
 * `rounds` makes other groups; one that saves too little, cooling->enough, is the last.
 * Deterministic on any number of threads. */
TESS_MUST_CHECK tess_status mosaic_anneal(mosaic_blocks *blocks, const mosaic_limits *limits,
                                          const mosaic_cooling *cooling, int rounds, uint64_t seed,
                                          mosaic_annealed *done);

#endif
