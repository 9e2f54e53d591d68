/* A cut in halves: elements bisected of which no more than half have a position at once. */
#include "partitioners/half_cut.h"

#include "core/base/array.h"
#include "core/base/splitmix.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Positions in any order, which threads add to; n may be more than there is room for. */
typedef struct pile {
    tess_position *positions; /* [room] */
    int64_t n, room;
} pile;

typedef struct half_cut {
    const tess_partition_problem *problem;
    const tess_bisection *how;
    int64_t half; /* elements of the first half */
    int axis;
    tess_position low, high; /* between which the halves meet, probably */
    pile taken, between;     /* of the half that is cut; of what lies between these two */
} half_cut;

void tess_positions_fill(const tess_partition_problem *problem, int64_t first, int64_t n,
                         tess_position *positions) {
    const int dimension = problem->dimension;
    for (int64_t done = 0; done < n; done += TESS_CENTROIDS_AT_ONCE) {
        double places[3 * TESS_CENTROIDS_AT_ONCE];
        const int64_t n_here = tess_centroids_batch(done, n);
        tess_partition_problem_places(problem, NULL, first + done, n_here, places);
        for (int64_t i = 0; i < n_here; i++)
            positions[done + i] =
                tess_position_at(places + i * dimension, dimension, first + done + i);
    }
}

static void pile_add(const tess_position *positions, int64_t n, pile *to) {
    const int64_t at = __atomic_fetch_add(&to->n, n, __ATOMIC_RELAXED);
    if (at + n <= to->room)
        memcpy(to->positions + at, positions, (size_t)n * sizeof *positions);
}

/* Elements of a sample. */
static int64_t count_samples(int64_t n) {
    const double side = cbrt((double)n);
    return (int64_t)(side * side);
}

/* Finds two positions between which the halves meet, by a sample: four deviations of its rank lie
 * between them and the middle. */
static tess_status find_bounds(half_cut *cut) {
    const int64_t n = cut->problem->n_elements, n_samples = count_samples(n), last = n_samples - 1;
    const double deviation = 0.5 * sqrt((double)n_samples);
    const double middle = (double)cut->half / (double)n * (double)n_samples;
    const int64_t low = (int64_t)fmax(middle - 4 * deviation, 0);
    const int64_t high = (int64_t)fmin(middle + 4 * deviation, (double)last);
    const int axis = cut->axis, dimension = cut->how->dimension;
    tess_position *samples = NULL;
    uint64_t random = 1;
    TRY(TESS_ALLOC(n_samples, &samples));
    for (int64_t i = 0; i < n_samples; i++)
        tess_positions_fill(cut->problem, tess_random_below(&random, n), 1, &samples[i]);
    tess_positions_select(samples, n_samples, low, axis, dimension);
    cut->low = samples[low];
    tess_positions_select(samples, n_samples, high, axis, dimension);
    cut->high = samples[high];
    free(samples);
    return TESS_OK;
}

/* Piles up a half but for what lies between the bounds, which the first half piles up, too. */
static void pile_half(half_cut *cut, bool is_second) {
    const int64_t n = cut->problem->n_elements;
    const int axis = cut->axis, dimension = cut->how->dimension;
    cut->taken.n = 0;
#pragma omp parallel for schedule(static)
    for (int64_t e = 0; e < n; e += TESS_CENTROIDS_AT_ONCE) {
        tess_position here[TESS_CENTROIDS_AT_ONCE], between[TESS_CENTROIDS_AT_ONCE];
        const int64_t n_here = tess_centroids_batch(e, n);
        int64_t n_taken = 0, n_between = 0;
        tess_positions_fill(cut->problem, e, n_here, here);
        for (int64_t i = 0; i < n_here; i++) {
            const tess_position one = here[i];
            const bool is_before = tess_position_is_before(&one, &cut->low, axis, dimension);
            const bool is_behind = tess_position_is_before(&cut->high, &one, axis, dimension);
            here[n_taken] = one;
            between[n_between] = one;
            n_taken += is_second ? is_behind : is_before;
            n_between += !is_before && !is_behind;
        }
        pile_add(here, n_taken, &cut->taken);
        if (!is_second)
            pile_add(between, n_between, &cut->between);
    }
}

/* Adds what lies between the bounds to its half, and cuts that. */
static tess_status cut_half(half_cut *cut, int64_t n_between, const tess_position *between,
                            int64_t first_block, int32_t *block_of) {
    const tess_position *const positions = cut->taken.positions;
    tess_bisection how = *cut->how;
    how.level++;
    pile_add(between, n_between, &cut->taken);
    TRY(tess_bisect(&how, cut->taken.positions, cut->taken.n));
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < cut->taken.n; i++)
        block_of[positions[i].element] = (int32_t)(first_block + i / how.block_size);
    return TESS_OK;
}

static tess_status cut_both(half_cut *cut, int32_t *block_of, bool *is_cut) {
    pile *const between = &cut->between;
    pile_half(cut, false);
    const int64_t n_missing = cut->half - cut->taken.n; /* in the first half */
    if (n_missing < 0 || n_missing >= between->n || between->n > between->room)
        return TESS_OK;
    tess_positions_select(between->positions, between->n, n_missing, cut->axis,
                          cut->how->dimension);
    TRY(cut_half(cut, n_missing, between->positions, 0, block_of));
    pile_half(cut, true);
    TRY(cut_half(cut, between->n - n_missing, between->positions + n_missing,
                 cut->half / cut->how->block_size, block_of));
    *is_cut = true;
    return TESS_OK;
}

tess_status tess_cut_by_halves(const tess_partition_problem *problem, const tess_bisection *how,
                               int32_t *block_of, bool *is_cut) {
    tess_status status = TESS_OK;
    const int64_t n = problem->n_elements, half = tess_bisection_half(n, how->block_size);
    const int64_t few = 32 * TESS_CENTROIDS_AT_ONCE; /* which take little memory */
    const tess_centroids *all = &problem->centroids;
    half_cut cut = {.problem = problem, .how = how, .half = half};
    *is_cut = false;
    if (n < few || half == 0 || how->tell)
        return TESS_OK;
    cut.axis = how->in_turns ? how->level % how->dimension
                             : tess_longest_axis(all->low, all->high, how->dimension);
    cut.taken.room = half > n - half ? half : n - half;
    cut.between.room = 6 * count_samples(n); /* four, and what chance adds */
    CHECK(TESS_ALLOC(cut.taken.room, &cut.taken.positions));
    CHECK(TESS_ALLOC(cut.between.room, &cut.between.positions));
    CHECK(find_bounds(&cut));
    CHECK(cut_both(&cut, block_of, is_cut));
done:
    free(cut.taken.positions);
    free(cut.between.positions);
    return status;
}
