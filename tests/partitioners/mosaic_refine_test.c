/* Mosaic's refinement alone, on what others made. */
#include "partitioners/mosaic/pair_sweep.h"
#include "partitioners/refine.h"
#include "tests/partitioners/mosaic_case.h"
#include "tests/partitioners/partition_of.h"

#include <stdio.h>

/* What sweeps say they saved is what recounting shows, in the weights of the maps. */
static void savings_are_what_is_counted(void **state) {
    (void)state;
    uint64_t seed = 7;
    for (int trial = 0; trial < 60; trial++) {
        weighted_case w = weighted_at_random(&seed);
        w.problem.maps = w.maps;
        const double before = cost_of(&w.problem, w.block_of).weight;
        mosaic_pins pins = {0};
        mosaic_blocks blocks = {0};
        int64_t saved = 0;
        const int32_t size = w.problem.block_size;
        const mosaic_limits limits = {.keep_sizes = trial % 2 == 0, .at_borders = trial % 4 < 2};
        const mosaic_sweeps sweeps = {1 + trial % 3, 16, 32, 0};
        OK(mosaic_pins_build(&w.problem, INT64_MAX, &pins));
        OK(mosaic_blocks_build(&pins, size, (int32_t)((pins.n_elements + size - 1) / size),
                               w.block_of, &blocks));
        OK(mosaic_sweep(&blocks, &limits, &sweeps, &saved));
        const cost after = cost_of(&w.problem, blocks.block_of);
        assert_true(saved > 0);
        /* weights in the pins: 8 bytes are 4, 16 are 8 */
        assert_int_equal(saved, (int64_t)((before - after.weight) / 2));
        assert_true(after.largest <= size);
        if (limits.keep_sizes)
            assert_true(after.n_full >= after.n_blocks - 1);
        mosaic_blocks_clear(&blocks);
        mosaic_pins_clear(&pins);
        weighted_free(&w);
    }
}

/* Elements next to those at shared points stay where borders alone change sides: a sweep saves
 * less, but most. */
static void borders_alone_change_sides(void **state) {
    (void)state;
    small_problem f = mesh_problem("tets:nx=8", "faces:cells", 64);
    int64_t saved[2] = {0, 0};
    for (int at_borders = 0; at_borders < 2; at_borders++) {
        const mosaic_limits limits = {.keep_sizes = true, .at_borders = at_borders};
        const mosaic_sweeps sweeps = {1, 16, 16, 0};
        mosaic_pins pins = {0};
        mosaic_blocks blocks = {0};
        tess_partition *given = partition_of(f.problem, "hilbert");
        OK(mosaic_pins_build(f.problem, INT64_MAX, &pins));
        OK(mosaic_blocks_build(&pins, 64, given->n_blocks, given->block_of, &blocks));
        OK(mosaic_sweep(&blocks, &limits, &sweeps, saved + at_borders));
        mosaic_blocks_clear(&blocks);
        mosaic_pins_clear(&pins);
        tess_partition_free(given);
    }
    assert_true(saved[1] < saved[0]);
    assert_true((double)saved[1] > 0.8 * (double)saved[0]);
    small_problem_free(&f);
}

static void refinement_improves_what_others_made(void **state) {
    (void)state;
    const char *const others[] = {"natural", "hilbert", "random"};
    small_problem f = mesh_problem("tets:nx=10", "faces:cells", 64);
    for (int i = 0; i < 3; i++) {
        const tess_partitioner *partitioner = NULL;
        tess_partition *partition = NULL;
        tess_spec spec = {.name = (char *)others[i]};
        double seconds = 0;
        OK(tess_partitioner_find(others[i], &partitioner));
        OK(tess_partitioner_run(partitioner, f.problem, &spec, TESS_REPAIR_SPLIT, &seconds,
                                &partition));
        const cost before = cost_of(f.problem, partition->block_of);
        OK(tess_refine(f.problem, partition->block_of, 3));
        const cost after = cost_of(f.problem, partition->block_of);
        assert_true(after.points < 0.99 * (double)before.points);
        assert_int_equal(after.n_blocks, before.n_blocks);
        assert_true(after.largest <= 64);
        OK(tess_refine(f.problem, partition->block_of, 0)); /* no effort changes nothing */
        assert_int_equal(cost_of(f.problem, partition->block_of).points, after.points);
        tess_partition_free(partition);
    }
    small_problem_free(&f);
}

/* One element whose points are all in the other block, which has room. */
static void refinement_empties_no_block(void **state) {
    (void)state;
    const int32_t points[] = {0, 1, 0, 1, 1, 2};
    tess_incidence map = {.index = points, .arity = 2, .n_points = 3, .weight = 8};
    const tess_partition_problem problem = {
        .n_elements = 3, .n_maps = 1, .maps = &map, .block_size = 3};
    for (int effort = 1; effort <= 4; effort++) {
        int32_t block_of[] = {0, 1, 1};
        OK(tess_refine(&problem, block_of, effort));
        const cost after = cost_of(&problem, block_of);
        assert_true(after.n_blocks == 2 && after.largest == 2);
    }
}

static void refinement_refuses_what_is_no_partition(void **state) {
    (void)state;
    small_problem f = quads_problem(10, 10, 16);
    int32_t *block_of = NULL;
    OK(TESS_ZEROS(f.problem->n_elements, &block_of));
    assert_int_equal(tess_refine(f.problem, block_of, 1), TESS_ERROR_INPUT); /* overfull */
    for (int64_t e = 0; e < f.problem->n_elements; e++)
        block_of[e] = (int32_t)e / 16;
    block_of[7] = -1;
    assert_int_equal(tess_refine(f.problem, block_of, 1), TESS_ERROR_INPUT);
    block_of[7] = INT32_MAX;
    assert_int_equal(tess_refine(f.problem, block_of, 1), TESS_ERROR_INPUT);
    free(block_of);
    small_problem_free(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(savings_are_what_is_counted),
        cmocka_unit_test(borders_alone_change_sides),
        cmocka_unit_test(refinement_improves_what_others_made),
        cmocka_unit_test(refinement_empties_no_block),
        cmocka_unit_test(refinement_refuses_what_is_no_partition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
