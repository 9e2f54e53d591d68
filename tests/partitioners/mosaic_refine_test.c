/* Refinement: what others cut is never worse by it, and keeps the sizes of its blocks. */
#include "partitioners/refine.h"
#include "tests/partitioners/mosaic_case.h"

static void it_improves_what_others_made(void **state) {
    const char *const others[] = {"file-order", "hilbert", "random", "rcb"};
    small_problem f = mesh_problem("tets:nx=6", "faces:cells", 64);
    const size_t bytes = (size_t)f.problem->n_elements * sizeof(int32_t);
    for (int i = 0; i < 4; i++) {
        int32_t *block_of = blocks_by(f.problem, others[i]), *copy = NULL;
        const cost before = cost_of(f.problem, block_of);
        OK(TESS_COPY(f.problem->n_elements, block_of, &copy));
        OK(tess_refine(f.problem, block_of, 0)); /* no effort changes nothing */
        assert_memory_equal(block_of, copy, bytes);
        OK(tess_refine(f.problem, block_of, 3));
        const cost after = cost_of(f.problem, block_of);
        assert_true((double)after.points < 0.98 * (double)before.points);
        assert_int_equal(after.n_blocks, before.n_blocks);
        assert_int_equal(after.n_full, before.n_full);
        free(block_of);
        free(copy);
    }
    small_problem_free(&f);
}

/* Of maps with weights the weight of points counts. */
static void it_is_never_worse(void **state) {
    uint64_t seed = 7;
    double all_before = 0, all_after = 0;
    for (int trial = 0; trial < 12; trial++) {
        weighted_case w = weighted_at_random(&seed);
        w.problem.maps = w.maps;
        const cost before = cost_of(&w.problem, w.block_of);
        OK(tess_refine(&w.problem, w.block_of, 1 + trial % 6));
        const cost after = cost_of(&w.problem, w.block_of);
        assert_true(after.weight <= before.weight);
        assert_int_equal(after.n_full, before.n_full);
        assert_int_equal(after.largest, before.largest);
        all_before += before.weight;
        all_after += after.weight;
        weighted_free(&w);
    }
    assert_true(all_after < 0.8 * all_before);
}

/* One element whose points are all in the other block, which has room. */
static void it_empties_no_block(void **state) {
    const int32_t points[] = {0, 1, 0, 1, 1, 2};
    tess_incidence map = {.index = points, .arity = 2, .n_points = 3, .weight = 8};
    const tess_partition_problem problem = {
        .n_elements = 3, .n_maps = 1, .maps = &map, .block_size = 3};
    for (int effort = 1; effort <= 6; effort++) {
        int32_t block_of[] = {0, 1, 1};
        OK(tess_refine(&problem, block_of, effort));
        const cost after = cost_of(&problem, block_of);
        assert_true(after.n_blocks == 2 && after.largest == 2);
    }
}

static void it_refuses_what_is_no_partition(void **state) {
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
        cmocka_unit_test(it_improves_what_others_made),
        cmocka_unit_test(it_is_never_worse),
        cmocka_unit_test(it_empties_no_block),
        cmocka_unit_test(it_refuses_what_is_no_partition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
