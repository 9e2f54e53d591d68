/* Candidates: compared by the points that their blocks have in common. */
#include "partitioners/mosaic/candidate.h"
#include "core/base/array.h"

#include <stdlib.h>

tess_status mosaic_candidate_new(mosaic_candidate **out) {
    return TESS_ZEROS(1, out);
}

void mosaic_candidate_free(mosaic_candidate *candidate) {
    if (!candidate)
        return;
    free(candidate->element);
    free(candidate->centroid);
    mosaic_blocks_clear(&candidate->blocks);
    mosaic_pins_clear(&candidate->pins);
    free(candidate);
}

tess_status mosaic_candidate_take(const tess_partition_problem *problem, int64_t largest,
                                  const int32_t *block_of, mosaic_candidate *made) {
    tess_status status = TESS_OK;
    mosaic_pins pins = {0};
    tess_rows *rows = NULL;
    int32_t n_blocks = 0, *sorted = NULL;
    const int64_t n = problem->n_elements;
    TRY(mosaic_blocks_count(n, block_of, &n_blocks));
    CHECK(tess_rows_build(block_of, n, n_blocks, &rows));
    CHECK(TESS_COPY(n, rows->item, &made->element));
    CHECK(TESS_ALLOC(n, &sorted));
    for (int64_t i = 0; i < n; ++i)
        sorted[i] = block_of[made->element[i]];
    CHECK(mosaic_pins_build(problem, largest, &pins));
    CHECK(mosaic_pins_permute(&pins, made->element, &made->pins));
    CHECK(mosaic_blocks_build(&made->pins, problem->block_size, n_blocks, sorted, &made->blocks));
done:
    free(sorted);
    tess_rows_free(rows);
    mosaic_pins_clear(&pins);
    return status;
}

/* What its blocks have in common: of one that is parked, as it was measured before. */
static tess_status measure(mosaic_candidate *candidate) {
    return candidate->parked ? TESS_OK
                             : mosaic_blocks_shared(&candidate->blocks, &candidate->shared);
}

tess_status mosaic_candidate_park(mosaic_candidate *candidate) {
    if (!candidate || candidate->parked)
        return TESS_OK;
    TRY(measure(candidate));
    candidate->parked = true;
    candidate->located = candidate->centroid != NULL;
    free(candidate->centroid);
    candidate->centroid = NULL;
    candidate->blocks.centroid = NULL;
    free(candidate->blocks.block_of);
    candidate->blocks.block_of = NULL;
    mosaic_pins_clear(&candidate->pins);
    return TESS_OK;
}

/* Fills the block of each element, by the members of all. */
static tess_status name_blocks(int64_t n_elements, mosaic_blocks *blocks) {
    TRY(TESS_ALLOC(n_elements, &blocks->block_of));
    for (int32_t b = 0; b < blocks->n_blocks; ++b)
        for (int32_t i = 0; i < blocks->size[b]; ++i)
            blocks->block_of[mosaic_block(blocks, b)[i]] = b;
    return TESS_OK;
}

tess_status mosaic_candidate_resume(const tess_partition_problem *problem, int64_t largest,
                                    mosaic_candidate *candidate) {
    tess_status status = TESS_OK;
    mosaic_pins pins = {0};
    if (!candidate || !candidate->parked)
        return TESS_OK;
    candidate->parked = false;
    CHECK(name_blocks(problem->n_elements, &candidate->blocks));
    CHECK(mosaic_pins_build(problem, largest, &pins));
    CHECK(mosaic_pins_permute(&pins, candidate->element, &candidate->pins));
    if (candidate->located) {
        const mosaic_mesh as_numbered = {.order = candidate->element,
                                         .pins.n_elements = problem->n_elements,
                                         .dimension = problem->dimension,
                                         .coordinates = problem->coordinates};
        CHECK(mosaic_centroids_build(&as_numbered, &candidate->centroid));
    }
    candidate->blocks.centroid = candidate->centroid;
done:
    mosaic_pins_clear(&pins);
    return status;
}

/* True where coordinates made the cut. */
static bool is_located(const mosaic_candidate *candidate) {
    return candidate->parked ? candidate->located : candidate->centroid != NULL;
}

/* True where blocks have less in common than the best; or as much, but coordinates made their cut
 * and not the best one's: they are in fewer pieces. */
static bool is_better(const mosaic_candidate *other, const mosaic_candidate *best) {
    return other->shared < best->shared ||
           (other->shared == best->shared && is_located(other) && !is_located(best));
}

tess_status mosaic_candidate_compare(mosaic_candidate **best, mosaic_candidate **other) {
    TRY(measure(*best));
    TRY(measure(*other));
    if (is_better(*other, *best)) {
        mosaic_candidate *const worse = *best;
        *best = *other;
        *other = worse;
    }
    return TESS_OK;
}

tess_status mosaic_candidate_beats(mosaic_candidate *candidate, double points, bool *beats) {
    TRY(measure(candidate));
    *beats = (double)(candidate->shared + mosaic_weight_of_all(&candidate->pins)) < points;
    return TESS_OK;
}

static bool is_done(const mosaic_candidate *candidate) {
    return candidate->polished.ended || candidate->polished.still;
}

/* True where coordinates cut blocks in 2D that settle in rounds to come, and not the best. */
static bool settles_on(const mosaic_candidate *best, const mosaic_candidate *other) {
    return is_located(other) && !is_located(best) && other->blocks.dimension == 2 &&
           !is_done(other);
}

bool mosaic_candidate_is_close(const mosaic_candidate *best, const mosaic_candidate *other) {
    const bool gains_more = is_done(best) && !is_done(other);
    const double close = settles_on(best, other) ? RACE_CLOSE_SETTLING
                         : gains_more            ? RACE_CLOSE_ENDED
                                                 : RACE_CLOSE;
    return (double)(other->shared - best->shared) < close * (double)best->shared;
}

bool mosaic_candidate_gains_late(const mosaic_candidate *best, const mosaic_candidate *other) {
    return is_done(best) || settles_on(best, other) || best->blocks.channels ||
           other->blocks.channels;
}

void mosaic_candidate_give(const mosaic_candidate *candidate, int64_t n_elements,
                           int32_t *block_of) {
    const int32_t *const block = candidate->blocks.block_of;
#pragma omp parallel for schedule(static) if (n_elements > MOSAIC_SERIAL)
    for (int64_t i = 0; i < n_elements; ++i)
        block_of[candidate->element[i]] =
            candidate->chopped ? (int32_t)(i / candidate->chopped) : block[i];
}
