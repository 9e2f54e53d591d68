/* The start of swaps: the cut whose blocks reach the fewest points of a sample, after a trial. */
#include "core/base/array.h"
#include "partitioners/rcb.h"
#include "partitioners/slab_cut.h"
#include "partitioners/swap.h"

#include <stdlib.h>
#include <string.h>

static tess_status cut_by(const tess_cut *what, int32_t *block_of) {
    const bool bisects = what->rule == TESS_CUT_LONGEST || what->rule == TESS_CUT_IN_TURNS;
    return (bisects ? tess_rcb_cut : tess_slabs_cut)(what, block_of);
}

/* The places and points of the elements of the first blocks, the elements of a block ascending. */
static tess_status take_sample(const tess_cut *what, const int32_t *block_of, double *places,
                               int32_t *map) {
    int32_t *n_there = NULL;
    TRY(TESS_ZEROS(SWAP_SAMPLE, &n_there));
    for (int64_t e = 0; e < what->n; e++) {
        if (block_of[e] >= SWAP_SAMPLE)
            continue;
        const int64_t at = (int64_t)block_of[e] * what->block_size + n_there[block_of[e]]++;
        memcpy(places + at * what->dimension, what->places + e * what->dimension,
               (size_t)what->dimension * sizeof *places);
        memcpy(map + at * what->n_slots, what->map + e * what->n_slots,
               (size_t)what->n_slots * sizeof *map);
    }
    free(n_there);
    return TESS_OK;
}

/* Scales n places along each axis. */
static void scale_places(const double *places, int64_t n, int dimension, const double scale[3],
                         double *scaled) {
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++)
        for (int d = 0; d < dimension; d++)
            scaled[i * dimension + d] = places[i * dimension + d] * scale[d];
}

static tess_status choose_start(const tess_cut *what, const int32_t *block_of, double scale[3],
                                tess_cut_rule *rule) {
    tess_status status = TESS_OK;
    const int64_t most = (int64_t)SWAP_SAMPLE * what->block_size;
    tess_cut sample = *what;
    double *places = NULL;
    int32_t *map = NULL, *blocks = NULL;
    int64_t n_least = INT64_MAX, n_reached = 0;
    sample.n = what->n < most ? what->n : most;
    CHECK(TESS_ALLOC(sample.n * what->dimension, &places));
    CHECK(TESS_ALLOC(sample.n * what->n_slots, &map));
    CHECK(TESS_ALLOC(sample.n, &blocks));
    CHECK(take_sample(what, block_of, places, map));
    sample.places = places;
    sample.map = map;
    sample.n_rounds = SWAP_TRIAL;
    CHECK(tess_swap_scale(&sample, scale));
    scale_places(places, sample.n, what->dimension, scale, places);
    for (int start = 0; start < SWAP_STARTS; start++) {
        sample.rule = tess_swap_start(what, start);
        CHECK(cut_by(&sample, blocks));
        CHECK(tess_swap_run(&sample, blocks));
        CHECK(tess_swap_count(&sample, blocks, &n_reached));
        if (n_reached < n_least) {
            n_least = n_reached;
            *rule = sample.rule;
        }
    }
done:
    free(places);
    free(map);
    free(blocks);
    return status;
}

tess_status tess_swap_cut(const tess_cut *what, int32_t *block_of) {
    tess_status status = TESS_OK;
    tess_cut start = *what;
    double scale[3], *scaled = NULL;
    TRY(cut_by(what, block_of));
    if (what->n_rounds == 0 || what->n <= what->block_size ||
        tess_swap_group(what->block_size, what->n_slots) < 2)
        return TESS_OK;
    CHECK(choose_start(what, block_of, scale, &start.rule));
    if (tess_swap_is_scaled(scale)) {
        CHECK(TESS_ALLOC(what->n * what->dimension, &scaled));
        scale_places(what->places, what->n, what->dimension, scale, scaled);
        start.places = scaled;
    }
    if (start.rule != what->rule || scaled)
        CHECK(cut_by(&start, block_of));
    CHECK(tess_swap_run(&start, block_of));
done:
    free(scaled);
    return status;
}
