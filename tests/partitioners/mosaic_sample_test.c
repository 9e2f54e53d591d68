/* Mosaic's samples: the blocks of a group as a problem of their own. */
#include "partitioners/mosaic/polish.h"
#include "partitioners/mosaic/sample.h"
#include "tests/partitioners/mosaic_case.h"

#include <stdlib.h>

enum { SIZE = 16, WIDE = 33, N = WIDE * 31, N_BLOCKS = (N + SIZE - 1) / SIZE };

/* A candidate of blocks of consecutive quads, the last of which lacks one element. */
static mosaic_candidate *consecutive(const tess_partition_problem *problem, int32_t *block_of) {
    mosaic_candidate *made = NULL;
    OK(mosaic_candidate_new(&made));
    OK(TESS_ALLOC(N, &made->element));
    for (int32_t e = 0; e < N; e++) {
        made->element[e] = e;
        block_of[e] = e / SIZE;
    }
    OK(mosaic_pins_build(problem, INT64_MAX, &made->pins));
    OK(mosaic_blocks_build(&made->pins, SIZE, N_BLOCKS, block_of, &made->blocks));
    return made;
}

/* Full blocks alone are sampled: with their points, counted in the mesh, and where they lie. */
static void a_sample_is_its_full_blocks(void **state) {
    (void)state;
    static const int32_t list[] = {40, N_BLOCKS - 1, 7, 8};
    enum { N_LIST = sizeof list / sizeof *list, N_FULL = (N_LIST - 1) * SIZE };
    small_problem quads = mesh_problem("quads:nx=33:ny=31", "cells:nodes", SIZE);
    int32_t block_of[N], seen[34 * 32] = {0}, of_sample[N_FULL], most = 0, points = 0, taken = 0;
    mosaic_candidate *made = consecutive(quads.problem, block_of);
    mosaic_sample sample = {0};
    OK(mosaic_sample_take(quads.problem, made, list, N_LIST, &sample));
    assert_int_equal(sample.problem.n_elements, N_FULL);
    for (int b = 0; b < N_LIST; b++) {
        if (list[b] == N_BLOCKS - 1)
            continue;
        const int32_t *const element = made->element + list[b] * SIZE;
        points += count_block(quads.problem->maps, element, SIZE, seen, &most);
        forget_block(quads.problem->maps, element, SIZE, seen);
        for (int i = 0; i < SIZE; i++, taken++) {
            of_sample[taken] = taken / SIZE;
            for (int d = 0; d < 2; d++)
                assert_true(sample.problem.coordinates[2 * taken + d] ==
                            quads.problem->coordinates[2 * element[i] + d]);
        }
    }
    assert_int_equal(cost_of(&sample.problem, of_sample).points, points);
    assert_int_equal((int64_t)sample.shared, points - sample.map.n_points);
    mosaic_sample_clear(&sample);
    mosaic_candidate_free(made);
    small_problem_free(&quads);
}

/* Few blocks are cut whole, and points of several weights have no sample. */
static void samples_are_a_small_part(void **state) {
    (void)state;
    int32_t weight = 2;
    mosaic_candidate made = {.blocks.n_blocks = MOSAIC_GROUP_BLOCKS * SAMPLED_GROUPS - 1};
    assert_int_equal(mosaic_samples_of(&made), 0);
    made.blocks.n_blocks++;
    assert_int_equal(mosaic_samples_of(&made), 1);
    made.blocks.n_blocks = MOSAIC_GROUP_BLOCKS * SAMPLED_GROUPS_SOLID;
    assert_int_equal(mosaic_samples_of(&made), 0);
    made.blocks.dimension = 3;
    assert_int_equal(mosaic_samples_of(&made), 1);
    made.blocks.n_blocks--;
    assert_int_equal(mosaic_samples_of(&made), 0);
    made.blocks.n_blocks = MOSAIC_GROUP_BLOCKS * SAMPLES_PART * SAMPLES_MOST;
    assert_int_equal(mosaic_samples_of(&made), SAMPLES_MOST);
    made.blocks.n_blocks *= 1000;
    assert_int_equal(mosaic_samples_of(&made), SAMPLES_MOST);
    made.pins.weight = &weight;
    assert_int_equal(mosaic_samples_of(&made), 0);
}

/* Four groups of 8 x 8 blocks of 64 quads: half of the blocks of the first and all of the second
 * are bricks of 2 x 32, all others squares of 8 x 8. The first has about as much in common as the
 * mean, then the others of squares have. */
static void samples_are_groups_like_the_mean_one(void **state) {
    (void)state;
    enum { SIDE = 64, N_GROUPS = 4, N_QUADS = N_GROUPS * SIDE * SIDE, N_SQUARES = N_GROUPS * 64 };
    small_problem quads = mesh_problem("quads:nx=64:ny=256", "cells:nodes", 64);
    mosaic_pins pins = {0};
    mosaic_blocks blocks = {0};
    int32_t *block_of = NULL, list[N_SQUARES], group[3];
    OK(TESS_ALLOC(N_QUADS, &block_of));
    for (int e = 0; e < N_QUADS; e++) {
        const int x = e % SIDE, y = e / SIDE, first = y / 8 * 8 + x / 32 * 4;
        const bool in_brick = y < SIDE / 2 || (y >= SIDE && y < 2 * SIDE);
        block_of[e] = first + (in_brick ? y % 8 / 2 : x % 32 / 8);
    }
    for (int b = 0; b < N_SQUARES; b++)
        list[b] = b;
    OK(mosaic_pins_build(quads.problem, INT64_MAX, &pins));
    OK(mosaic_blocks_build(&pins, 64, N_SQUARES, block_of, &blocks));
    OK(mosaic_samples_pick(&blocks, list, 3, group));
    assert_int_equal(group[0], 0);
    assert_int_equal(group[1], 2);
    assert_int_equal(group[2], 3);
    mosaic_blocks_clear(&blocks);
    mosaic_pins_clear(&pins);
    free(block_of);
    small_problem_free(&quads);
}

/* Of two ways as good the one by coordinates is taken, which has its blocks in fewer pieces; those
 * that are parked are compared by what they had in common. */
static void coordinates_win_a_tie(void **state) {
    (void)state;
    small_problem quads = mesh_problem("quads:nx=33:ny=31", "cells:nodes", SIZE);
    int32_t block_of[N];
    for (int n_parked = 0; n_parked <= 2; n_parked++) {
        mosaic_candidate *by_map = consecutive(quads.problem, block_of);
        mosaic_candidate *located = consecutive(quads.problem, block_of), *best = by_map;
        mosaic_candidate *other = located;
        int64_t shared = 0;
        OK(TESS_ZEROS(N, &located->centroid));
        OK(mosaic_blocks_shared(&located->blocks, &shared));
        OK(mosaic_candidate_park(n_parked > 0 ? located : NULL));
        OK(mosaic_candidate_park(n_parked > 1 ? by_map : NULL));
        OK(mosaic_candidate_compare(&best, &other));
        assert_ptr_equal(best, located);
        assert_ptr_equal(other, by_map);
        assert_int_equal(best->shared, shared);
        assert_int_equal(other->shared, shared);
        OK(mosaic_candidate_compare(&best, &other));
        assert_ptr_equal(best, located);
        mosaic_candidate_free(best);
        mosaic_candidate_free(other);
    }
    small_problem_free(&quads);
}

/* Fewer points, not as many. */
static void blocks_beat_what_has_more_points(void **state) {
    (void)state;
    small_problem quads = mesh_problem("quads:nx=33:ny=31", "cells:nodes", SIZE);
    int32_t block_of[N];
    mosaic_candidate *made = consecutive(quads.problem, block_of);
    const double points = (double)cost_of(quads.problem, block_of).points;
    bool beats = true;
    OK(mosaic_candidate_beats(made, points, &beats));
    assert_false(beats);
    OK(mosaic_candidate_beats(made, points + 1, &beats));
    assert_true(beats);
    mosaic_candidate_free(made);
    small_problem_free(&quads);
}

/* What blocks of consecutive quads have in common once they are polished. */
static int64_t shared_when_polished(const tess_partition_problem *problem, bool sampled) {
    int32_t block_of[N];
    int64_t shared = 0;
    mosaic_candidate *made = consecutive(problem, block_of);
    made->blocks.sampled = sampled;
    OK(mosaic_polish(&made->blocks, &made->limits, mosaic_efforts + MOSAIC_EFFORT, 1,
                     &made->polished));
    OK(mosaic_blocks_shared(&made->blocks, &shared));
    mosaic_candidate_free(made);
    return shared;
}

/* Meshes of few elements are annealed for long; a sample is of many, and tells what becomes of
 * them. */
static void a_sample_is_annealed_like_its_mesh(void **state) {
    (void)state;
    small_problem quads = mesh_problem("quads:nx=33:ny=31", "cells:nodes", SIZE);
    assert_true(shared_when_polished(quads.problem, true) >
                shared_when_polished(quads.problem, false));
    small_problem_free(&quads);
}

/* Pins and centroids of a candidate that was parked are made again as they were. */
static void what_is_parked_comes_back(void **state) {
    (void)state;
    small_problem quads = mesh_problem("quads:nx=33:ny=31", "cells:nodes", SIZE);
    int32_t number[N], block_of[N], *point = NULL;
    mosaic_centroid *centroid = NULL;
    mosaic_candidate *made = consecutive(quads.problem, block_of);
    for (int32_t e = 0; e < N; e++)
        number[e] = e;
    const mosaic_mesh as_numbered = {.order = number,
                                     .pins.n_elements = N,
                                     .dimension = 2,
                                     .coordinates = quads.problem->coordinates};
    mosaic_pins pins = made->pins; /* borrowed from the problem */
    OK(mosaic_bisect(&as_numbered, SIZE, made->element, &made->centroid));
    OK(mosaic_pins_permute(&pins, made->element, &made->pins));
    made->blocks.centroid = made->centroid;
    OK(TESS_COPY(made->pins.n_pins, made->pins.point, &point));
    OK(TESS_COPY(N, made->centroid, &centroid));
    OK(mosaic_candidate_park(made));
    assert_null(made->pins.point);
    assert_null(made->centroid);
    assert_null(made->blocks.block_of);
    OK(mosaic_candidate_resume(quads.problem, INT64_MAX, made));
    assert_int_equal(made->pins.n_pins, pins.n_pins);
    assert_int_equal(made->pins.n_points, pins.n_points);
    assert_memory_equal(made->pins.point, point, (size_t)pins.n_pins * sizeof *point);
    for (int32_t e = 0; e < N; e++)
        assert_memory_equal(made->centroid[e].xyz, centroid[e].xyz, sizeof centroid[e].xyz);
    assert_ptr_equal(made->blocks.centroid, made->centroid);
    assert_memory_equal(made->blocks.block_of, block_of, sizeof block_of);
    free(point);
    free(centroid);
    mosaic_candidate_free(made);
    small_problem_free(&quads);
}

/* No sample is asked how wide slabs of solids by edges are: the default goes on from those that
 * effort 2 anneals, of which it makes more than of any that samples speak for. */
static void no_sample_widens_slabs_of_solids(void **state) {
    (void)state;
    small_problem f =
        mesh_problem("tets:nx=19:ny=15:nz=22:stretch=5:shuffle=1", "edges:nodes", 128);
    assert_true((double)cost_by(f.problem, "mosaic").points <
                0.995 * (double)cost_by(f.problem, "mosaic:effort=2").points);
    small_problem_free(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sample_is_its_full_blocks),
        cmocka_unit_test(samples_are_a_small_part),
        cmocka_unit_test(samples_are_groups_like_the_mean_one),
        cmocka_unit_test(coordinates_win_a_tie),
        cmocka_unit_test(blocks_beat_what_has_more_points),
        cmocka_unit_test(a_sample_is_annealed_like_its_mesh),
        cmocka_unit_test(what_is_parked_comes_back),
        cmocka_unit_test(no_sample_widens_slabs_of_solids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
