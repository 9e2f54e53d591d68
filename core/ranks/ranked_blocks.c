/* Ranked blocks: how the ranks of a mesh have cut a set into blocks, as a whole. */
#include "core/ranks/ranked_blocks.h"

#include "core/base/array.h"
#include <stdio.h>
#include <stdlib.h>

tess_status tess_ranked_blocks_new(const char *set, int64_t n, int32_t n_ranks,
                                   tess_ranked_blocks **out) {
    tess_status status = TESS_OK;
    tess_ranked_blocks *blocks = NULL;
    CHECK(TESS_ZEROS(1, &blocks));
    snprintf(blocks->set, sizeof blocks->set, "%s", set);
    blocks->n = n;
    blocks->n_ranks = n_ranks;
    CHECK(TESS_ZEROS(n, &blocks->rank_of));
    CHECK(TESS_ZEROS(n, &blocks->block_of));
    CHECK(TESS_ZEROS(n, &blocks->thread_of));
    CHECK(TESS_ZEROS(n, &blocks->thread_colour));
    *out = TESS_TAKE(blocks);
done:
    tess_ranked_blocks_free(blocks);
    return status;
}

void tess_ranked_blocks_free(tess_ranked_blocks *blocks) {
    if (!blocks)
        return;
    free(blocks->rank_of);
    free(blocks->block_of);
    free(blocks->thread_of);
    free(blocks->thread_colour);
    free(blocks);
}
