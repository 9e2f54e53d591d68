/* Mosaic's refinement alone, on what others made. */
#include "partitioners/refine.h"
#include "tests/partitioners/mosaic_case.h"
#include "tests/partitioners/partition_of.h"

#include <stdio.h>

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
        cmocka_unit_test(refinement_improves_what_others_made),
        cmocka_unit_test(refinement_empties_no_block),
        cmocka_unit_test(refinement_refuses_what_is_no_partition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
