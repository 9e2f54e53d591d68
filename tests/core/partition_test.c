/* Partitions: the contract, the repairs, the numbering along the mesh, the figures before. */
#include "tests/core/small_problem.h"

#include <math.h>
#include <omp.h>

static void any_ids_become_a_partition(void **state) {
    uint64_t seed = 11;
    for (int trial = 0; trial < 400; trial++) {
        small_problem f = random_problem(&seed, 1 + random_below(&seed, 12));
        const int64_t n = f.problem->n_elements;
        const int n_ids = 1 + random_below(&seed, 20);
        const int32_t stride = trial % 3 == 0 ? 100000000 : 1;
        int32_t *ids = NULL;
        OK(TESS_ALLOC(n, &ids));
        for (int64_t e = 0; e < n; e++)
            ids[e] = stride * random_below(&seed, n_ids);
        tess_partition *partition = NULL;
        OK(tess_partition_build(f.problem, ids, trial % 2 ? TESS_REPAIR_SPLIT : TESS_REPAIR_MOVE,
                                &partition));
        assert_contract(f.problem, partition);

        int64_t n_blocks_given = 0;
        for (int64_t e = 0; e < n; e++) {
            bool first = true;
            for (int64_t d = 0; d < e; d++)
                first &= ids[d] != ids[e];
            n_blocks_given += first;
        }
        assert_int_equal(partition->n_blocks_before, n_blocks_given);
        if (partition->largest_before <= f.problem->block_size)
            assert_int_equal(partition->n_moved, 0);
        tess_partition_free(partition);
        free(ids);
        small_problem_free(&f);
    }
}

/* The greater of two numbers stays the greater, and new blocks of the repair come last. */
static void given_numbers_keep_their_order(void **state) {
    uint64_t seed = 19;
    int n_other = 0; /* partitions that are numbered otherwise along the mesh */
    for (int trial = 0; trial < 100; trial++) {
        small_problem f = random_problem(&seed, 1 + random_below(&seed, 12));
        const int64_t n = f.problem->n_elements;
        int32_t *ids = NULL;
        OK(TESS_ALLOC(n, &ids));
        for (int64_t e = 0; e < n; e++)
            ids[e] = 7 * random_below(&seed, 20);
        tess_partition *given = NULL, *along = NULL;
        OK(tess_partition_build(f.problem, ids, TESS_REPAIR_SPLIT, &along));
        f.problem->block_numbers = TESS_BLOCKS_GIVEN;
        OK(tess_partition_build(f.problem, ids, TESS_REPAIR_SPLIT, &given));
        assert_contract(f.problem, given);
        for (int64_t a = 0; a < n; a++)
            for (int64_t b = 0; b < n; b++) {
                const int32_t of_a = given->block_of[a], of_b = given->block_of[b];
                if (of_a < given->n_blocks_before && of_b < given->n_blocks_before)
                    assert_true((ids[a] < ids[b]) == (of_a < of_b));
            }
        n_other += memcmp(given->block_of, along->block_of, (size_t)n * sizeof *ids) != 0;
        tess_partition_free(given);
        tess_partition_free(along);
        free(ids);
        small_problem_free(&f);
    }
    assert_true(n_other > 50);
}

static void a_negative_id_is_refused_by_element(void **state) {
    small_problem f = quads_problem(3, 3, 4);
    int32_t ids[12] = {0};
    ids[7] = -5;
    tess_partition *partition = NULL;
    assert_int_equal(tess_partition_build(f.problem, ids, TESS_REPAIR_SPLIT, &partition),
                     TESS_ERROR_INPUT);
    assert_non_null(strstr(tess_message(), "element 7 is in block -5"));
    small_problem_free(&f);
}

/* Sixteen blocks of 21, block size 20: the tails of one element share one new block. */
static void tails_share_new_blocks(void **state) {
    small_problem f = quads_problem(19, 10, 20); /* 18 * 10 + 19 * 9 = 351 edges */
    int32_t ids[351];
    for (int e = 0; e < 351; e++)
        ids[e] = e / 21; /* 16 of 21, one of 15 */
    tess_partition *partition = NULL;
    OK(tess_partition_build(f.problem, ids, TESS_REPAIR_SPLIT, &partition));
    assert_contract(f.problem, partition);
    assert_int_equal(partition->n_blocks_before, 17);
    assert_int_equal(partition->largest_before, 21);
    assert_int_equal(partition->n_moved, 16);
    assert_int_equal(partition->n_blocks, 18);
    tess_partition_free(partition);

    OK(tess_partition_build(f.problem, ids, TESS_REPAIR_MOVE, &partition));
    assert_contract(f.problem, partition);
    assert_true(partition->n_moved >= 16);
    tess_partition_free(partition);
    small_problem_free(&f);
}

/* 70 tails of one element fill blocks of four to the last place: 18. */
static void tails_fill_new_blocks(void **state) {
    small_problem f = quads_problem(19, 10, 4);
    int32_t ids[351];
    for (int e = 0; e < 351; e++)
        ids[e] = e / 5; /* 70 of 5, one of 1 */
    tess_partition *partition = NULL;
    OK(tess_partition_build(f.problem, ids, TESS_REPAIR_SPLIT, &partition));
    assert_contract(f.problem, partition);
    assert_int_equal(partition->n_moved, 70);
    assert_int_equal(partition->n_blocks, 71 + 18);
    tess_partition_free(partition);
    small_problem_free(&f);
}

/* A block of two full ones falls into these, whatever tails there are. */
static void full_runs_do_not_mix_with_tails(void **state) {
    small_problem f = quads_problem(19, 10, 50);
    int32_t ids[351];
    for (int e = 0; e < 351; e++) /* 51, 100, 51, 100 and 49 elements */
        ids[e] = e < 51 ? 0 : e < 151 ? 1 : e < 202 ? 2 : e < 302 ? 3 : 4;
    tess_partition *partition = NULL;
    OK(tess_partition_build(f.problem, ids, TESS_REPAIR_SPLIT, &partition));
    assert_contract(f.problem, partition);
    assert_int_equal(partition->n_blocks, 8);
    for (int e = 0; e < 351; e++)
        for (int d = 0; d < 351; d++)
            if (ids[e] == 1 && ids[d] != 1)
                assert_int_not_equal(partition->block_of[e], partition->block_of[d]);
    tess_partition_free(partition);
    small_problem_free(&f);
}

/* One block of a 12 x 12 square too large by a few: what it gives away is what it misses least. */
static void moving_gives_away_what_is_missed_least(void **state) {
    small_problem f = quads_problem(12, 12, 140);
    int32_t ids[264];
    int n_left = 0;
    for (int e = 0; e < 264; e++) { /* two columns and a corner of the third are too many */
        const double *x = f.problem->coordinates + 2 * e;
        ids[e] = !(x[0] < 6.8 || (x[0] < 7.8 && x[1] < 3.2));
        n_left += ids[e] == 0;
    }
    assert_in_range(n_left, 141, 160);
    tess_partition *moved = NULL, *again = NULL;
    OK(tess_partition_build(f.problem, ids, TESS_REPAIR_MOVE, &moved));
    assert_int_equal(moved->n_blocks, 2);
    OK(tess_partition_build(f.problem, moved->block_of, TESS_REPAIR_MOVE, &again));
    assert_int_equal(again->n_moved, 0);
    assert_true(again->reuse_factor_before > moved->reuse_factor_before + 0.02);
    tess_partition_free(moved);
    tess_partition_free(again);
    small_problem_free(&f);
}

/* Two halves, one over and one with room: moving takes exactly the overflow, from the rim. */
static void moving_goes_to_the_neighbour_with_room(void **state) {
    small_problem f = quads_problem(17, 2, 30); /* 16 * 2 + 17 = 49 edges, cell by cell */
    int32_t ids[49];
    for (int e = 0; e < 49; e++)
        ids[e] = f.problem->coordinates[2 * e] > 11.4; /* 34 or so left, the rest right */
    int n_left = 0;
    for (int e = 0; e < 49; e++)
        n_left += ids[e] == 0;
    assert_in_range(n_left, 31, 40);
    tess_partition *partition = NULL;
    OK(tess_partition_build(f.problem, ids, TESS_REPAIR_MOVE, &partition));
    assert_contract(f.problem, partition);
    assert_int_equal(partition->n_blocks, 2);
    assert_int_equal(partition->n_moved, n_left - 30);
    double rightmost_moved = 0, leftmost_moved = 17;
    for (int e = 0; e < 49; e++) {
        const bool moved = (partition->block_of[e] == partition->block_of[0]) != (ids[e] == 0);
        if (moved) {
            rightmost_moved = fmax(rightmost_moved, f.problem->coordinates[2 * e]);
            leftmost_moved = fmin(leftmost_moved, f.problem->coordinates[2 * e]);
        }
    }
    assert_true(leftmost_moved > 8);
    assert_true(rightmost_moved <= 11.4);
    tess_partition_free(partition);
    small_problem_free(&f);
}

/* Strips along x with shuffled ids: numbered along the mesh, from one end to the other. */
static void blocks_are_numbered_along_the_mesh(void **state) {
    enum { STRIPS = 32 };
    small_problem f = quads_problem(STRIPS * 2, 4, 64);
    int32_t id_of_strip[STRIPS];
    uint64_t seed = 5;
    for (int s = 0; s < STRIPS; s++) {
        const int other = random_below(&seed, s + 1);
        id_of_strip[s] = id_of_strip[other];
        id_of_strip[other] = s;
    }
    int32_t *ids = NULL;
    OK(TESS_ALLOC(f.problem->n_elements, &ids));
    for (int64_t e = 0; e < f.problem->n_elements; e++)
        ids[e] = id_of_strip[(int)fmin(STRIPS - 1, f.problem->coordinates[2 * e] / 2)];
    tess_partition *partition = NULL;
    OK(tess_partition_build(f.problem, ids, TESS_REPAIR_SPLIT, &partition));
    assert_int_equal(partition->n_blocks, STRIPS);
    const bool forward = partition->block_of[0] == 0;
    for (int64_t e = 0; e < f.problem->n_elements; e++) {
        const int strip = (int)fmin(STRIPS - 1, f.problem->coordinates[2 * e] / 2);
        assert_int_equal(partition->block_of[e], forward ? strip : STRIPS - 1 - strip);
    }
    tess_partition_free(partition);
    free(ids);
    small_problem_free(&f);
}

/* 64 x 1 quads: 63 edges in blocks of 8, the one of 7 at either end or in the middle. */
static void the_block_of_another_size_is_last(void **state) {
    for (int odd = 0; odd < 8; odd++) {
        small_problem f = quads_problem(64, 1, 8);
        int32_t ids[63];
        assert_int_equal(f.problem->n_elements, 63);
        for (int e = 0; e < 63; e++) {
            const int position = (int)f.problem->coordinates[2 * e] - 1;
            ids[e] = (position + (position > 8 * odd + 6)) / 8;
        }
        tess_partition *partition = NULL;
        OK(tess_partition_build(f.problem, ids, TESS_REPAIR_SPLIT, &partition));
        assert_int_equal(partition->n_blocks, 8);
        for (int e = 0; e < 63; e++) {
            assert_int_equal(partition->block_of[e] == 7, ids[e] == odd);
            for (int other = 0; other < 63;
                 other++) /* the others keep their order, or the opposite */
                if (ids[e] != odd && ids[other] != odd && abs(ids[e] - ids[other]) == 1)
                    assert_int_equal(abs(partition->block_of[e] - partition->block_of[other]), 1);
        }
        tess_partition_free(partition);
        small_problem_free(&f);
    }
}

/* However threads share the points of two blocks, and in whatever order elements have these. */
static void blocks_have_the_same_numbers_on_any_number_of_threads(void **state) {
    enum { N_BLOCKS = 12 };
    const int before = omp_get_max_threads();
    uint64_t seed = 23;
    for (int trial = 0; trial < 200; trial++) {
        small_problem f = random_problem(&seed, 8);
        const int64_t n = f.problem->n_elements;
        int32_t *block_of = NULL, *number[3];
        int64_t largest = 0;
        double reuse_factor = 0;
        OK(TESS_ALLOC(n, &block_of));
        for (int64_t e = 0; e < n; e++)
            block_of[e] = random_below(&seed, 1 + trial % N_BLOCKS);
        for (int i = 0; i < 3; i++) {
            omp_set_num_threads((const int[]){1, 3, 16}[i]);
            OK(tess_block_order_build(f.problem, block_of, N_BLOCKS, &number[i], &largest,
                                      &reuse_factor));
            assert_memory_equal(number[i], number[0], N_BLOCKS * sizeof *number[0]);
        }
        for (int i = 0; i < 3; i++)
            free(number[i]);
        free(block_of);
        small_problem_free(&f);
    }
    omp_set_num_threads(before);
}

/* 4 x 4 quads, one block of all 24 edges: 48 references to 16 cells. */
static void the_reuse_factor_is_that_before_the_repair(void **state) {
    small_problem f = quads_problem(4, 4, 8);
    int32_t ids[24] = {0};
    tess_partition *partition = NULL;
    OK(tess_partition_build(f.problem, ids, TESS_REPAIR_SPLIT, &partition));
    assert_true(fabs(partition->reuse_factor_before - 3) < 1e-12);
    assert_int_equal(partition->n_blocks_before, 1);
    assert_int_equal(partition->largest_before, 24);
    assert_int_equal(partition->n_moved, 16);
    assert_int_equal(partition->n_blocks, 3);
    tess_partition_free(partition);
    small_problem_free(&f);
}

static void the_reuse_of_any_blocks_is_that_of_their_points(void **state) {
    uint64_t seed = 11;
    for (int trial = 0; trial < 100; trial++) {
        small_problem f = random_problem(&seed, 8);
        assert_reuse_of_random_blocks(f.problem, &seed);
        small_problem_free(&f);
    }
}

static void no_elements_are_no_blocks(void **state) {
    tess_partition_problem empty = {.n_elements = 0, .block_size = 4};
    tess_partition *partition = NULL;
    OK(tess_partition_build(&empty, NULL, TESS_REPAIR_SPLIT, &partition));
    assert_int_equal(partition->n_blocks, 0);
    tess_partition_free(partition);
    empty.block_size = 0;
    assert_int_equal(tess_partition_build(&empty, NULL, TESS_REPAIR_SPLIT, &partition),
                     TESS_ERROR_USAGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_ids_become_a_partition),
        cmocka_unit_test(given_numbers_keep_their_order),
        cmocka_unit_test(a_negative_id_is_refused_by_element),
        cmocka_unit_test(tails_share_new_blocks),
        cmocka_unit_test(tails_fill_new_blocks),
        cmocka_unit_test(full_runs_do_not_mix_with_tails),
        cmocka_unit_test(moving_gives_away_what_is_missed_least),
        cmocka_unit_test(moving_goes_to_the_neighbour_with_room),
        cmocka_unit_test(blocks_are_numbered_along_the_mesh),
        cmocka_unit_test(blocks_have_the_same_numbers_on_any_number_of_threads),
        cmocka_unit_test(the_block_of_another_size_is_last),
        cmocka_unit_test(the_reuse_factor_is_that_before_the_repair),
        cmocka_unit_test(the_reuse_of_any_blocks_is_that_of_their_points),
        cmocka_unit_test(no_elements_are_no_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
