/* Annealing: blocks in groups of neighbours, in each of which elements wander. */
#pragma once

#include "partitioners/mosaic/exchange.h"

/* What an annealing did: rounds made, weight of points saved; whether the last of them saved
 * little, and less than is enough for another. */
typedef struct mosaic_annealed {
    int rounds;
    int64_t saved;
    bool little, still;
} mosaic_annealed;

/* Puts the blocks from limits->first_block on into groups of neighbours, lets the elements of each
 * group wander, all cores at once, and evens out its sizes: all blocks keep theirs. A group whose
 * points are not fewer then, or whose blocks have more than limits->max_points, is left as it was.
 * Each round makes other groups. Deterministic on any number of threads. */
TESS_MUST_CHECK tess_status mosaic_anneal(mosaic_blocks *blocks, const mosaic_limits *limits,
                                          const mosaic_schedule *schedule, uint64_t seed,
                                          mosaic_annealed *done);

/* Fills list [blocks from first_block on] such that every MOSAIC_GROUP_BLOCKS are neighbours: the
 * groups of the first round. */
TESS_MUST_CHECK tess_status mosaic_groups_list(const mosaic_blocks *blocks, int32_t first_block,
                                               int32_t *list);

/* Anneals the group in the middle for one round, by the map, and keeps what is better; then others,
 * ASKED_GROUPS in all, until one saves enough of its blocks' points for all to be annealed: *pays.
 */
TESS_MUST_CHECK tess_status mosaic_anneal_group(mosaic_blocks *blocks, const mosaic_limits *limits,
                                                const mosaic_schedule *schedule, uint64_t seed,
                                                bool *pays);
