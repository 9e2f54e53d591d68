/* Hues: few colours for many blocks, such that blocks that touch differ. */
#include "viz/view_hues.h"

#include "core/base/array.h"
#include "core/plan/incidence.h"
#include <stdlib.h>
#include <string.h>

/* The first hue that no neighbour has, else the one that fewest have. */
static int32_t best_hue(int n_hues, const int32_t *taken) {
    int32_t best = 0;
    for (int32_t h = 1; h < n_hues; h++)
        best = taken[h] < taken[best] ? h : best;
    return best;
}

tess_status tess_view_hues_build(int32_t n_blocks, const int64_t *offset, const int32_t *sites,
                                 int64_t n_sites, int n_hues, int32_t **hue) {
    tess_status status = TESS_OK;
    tess_rows *blocks_of = NULL;
    int32_t *hues = NULL, *taken = NULL, *seen_by = NULL;
    const tess_incidence incidence = {.index = sites, .offset = offset, .n_points = n_sites};
    CHECK(tess_incidence_invert(&incidence, n_blocks, &blocks_of));
    CHECK(TESS_ALLOC(n_blocks, &hues));
    CHECK(TESS_ALLOC(n_blocks, &seen_by));
    CHECK(TESS_ALLOC(n_hues, &taken));
    memset(seen_by, 0xff, (size_t)n_blocks * sizeof *seen_by);
    for (int32_t b = 0; b < n_blocks; b++) {
        memset(taken, 0, (size_t)n_hues * sizeof *taken);
        for (int64_t i = offset[b]; i < offset[b + 1]; i++) {
            for (int64_t j = blocks_of->offset[sites[i]];
                 j < blocks_of->offset[sites[i] + 1] && blocks_of->item[j] < b; j++) {
                const int32_t neighbour = blocks_of->item[j];
                taken[hues[neighbour]] += seen_by[neighbour] != b;
                seen_by[neighbour] = b;
            }
        }
        hues[b] = best_hue(n_hues, taken);
    }
    *hue = hues;
    hues = NULL;
done:
    tess_rows_free(blocks_of);
    free(hues);
    free(taken);
    free(seen_by);
    return status;
}
