/* Ranked blocks: how the ranks of a mesh have cut a set into blocks, as a whole. */
#pragma once

#include "core/mesh/mesh.h"

typedef struct tess_ranked_blocks {
    char set[TESS_NAME_SIZE];
    int64_t n; /* elements of the set */
    int32_t n_ranks, n_blocks;
    int32_t *rank_of;  /* [n]: the owner of each element; owned, as all that follows */
    int32_t *block_of; /* [n]: of its owner, numbered rank after rank */
    /* [n]: the element's place in its block, and its colour there; all 0 where blocks own points,
     * colours also where nothing is incremented. */
    int32_t *thread_of, *thread_colour;
} tess_ranked_blocks;

/* Gives blocks of a set [n] with all values 0. */
TESS_MUST_CHECK tess_status tess_ranked_blocks_new(const char *set, int64_t n, int32_t n_ranks,
                                                   tess_ranked_blocks **out);
void tess_ranked_blocks_free(tess_ranked_blocks *blocks);
