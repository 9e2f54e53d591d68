/* Mosaic as users call it: what holds for its blocks on any mesh, at any level and with any option.
 */
#include "partitioners/refine.h"
#include "tests/partitioners/mosaic_meshes.h"
#include "tests/partitioners/partition_of.h"

#include <math.h>

static const int32_t block_sizes[] = {1, 2, 3, 5, 32, 64, 128};
enum { N_BLOCK_SIZES = sizeof block_sizes / sizeof block_sizes[0] };

static void blocks_are_full_but_the_last(void **state) {
    const char *const specs[] = {
        "mosaic:level=quick", "mosaic",           "mosaic:level=long", "mosaic:cut=slabs",
        "mosaic:cut=halves",  "mosaic:shape=0.4", "mosaic:colours=2",  "mosaic:reuse=2"};
    uint64_t seed = 11;
    for (int trial = 0; trial < 60; trial++) {
        small_problem f = random_problem(&seed, block_sizes[trial % N_BLOCK_SIZES]);
        for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
            const cost sum = cost_by(f.problem, specs[i]);
            assert_full(f.problem, &sum, specs[i]);
        }
        small_problem_free(&f);
    }
}

static void a_seed_decides_the_blocks(void **state) {
    small_problem f = mesh_at(0);
    const size_t bytes = (size_t)f.problem->n_elements * sizeof(int32_t);
    for (int level = 0; level < 2; level++) {
        char text[2][64];
        for (int i = 0; i < 2; i++)
            snprintf(text[i], sizeof text[i], "%s:seed=%d", levels[level], 3 + 298 * i);
        int32_t *a = blocks_by(f.problem, text[0]), *again = blocks_by(f.problem, text[0]);
        int32_t *b = blocks_by(f.problem, text[1]);
        assert_memory_equal(a, again, bytes);
        assert_memory_not_equal(a, b, bytes);
        free(a);
        free(b);
        free(again);
    }
    small_problem_free(&f);
}

/* As many elements as make loops run on several threads; more levels and cuts of more meshes are
 * in mosaic_quality_test.c. */
static void threads_change_nothing(void **state) {
    small_problem f = mesh_problem("quads:nx=165:ny=155", "edges:cells", 64);
    assert_true(f.problem->n_elements > 50000);
    assert_same_on_threads(f.problem, "mosaic:level=quick");
    small_problem_free(&f);
}

static void all_kinds_of_meshes_are_cut(void **state) {
    for (int i = 0; i < N_MESHES; i++) {
        small_problem f = mesh_at(i);
        const cost sum = cost_by(f.problem, "mosaic:level=quick");
        assert_full(f.problem, &sum, meshes[i].mesh);
        small_problem_free(&f);
    }
}

/* Many components, some of one element; more of them than fit any slab. */
static void islands_and_a_point_of_all_are_cut(void **state) {
    enum { N = 5000 };
    int32_t *index = NULL;
    OK(TESS_ALLOC(3 * N, &index));
    for (int32_t e = 0; e < N; e++) { /* chains of 1 to 7 elements and one point that all share */
        index[3 * e] = e % 7 + 8 * (e / 7);
        index[3 * e + 1] = e % 5 ? e % 7 + 1 + 8 * (e / 7) : -1;
        index[3 * e + 2] = 2 * N;
    }
    tess_incidence map = {.index = index, .arity = 3, .n_points = 2 * N + 1, .weight = 8};
    for (int b = 3; b < N_BLOCK_SIZES; b++) {
        const tess_partition_problem problem = {
            .n_elements = N, .n_maps = 1, .maps = &map, .block_size = block_sizes[b]};
        for (int level = 0; level < 2; level++) {
            const cost sum = cost_by(&problem, levels[level]);
            assert_full(&problem, &sum, levels[level]);
            assert_true(reuse(&sum) > 1.5);
        }
    }
    free(index);
}

/* Padded slots alone, a point twice in an element, one element; blocks that all would fit into. */
static void degenerate_problems_are_cut(void **state) {
    const int32_t points[] = {0, 1, -1, -1, 1, 1, 1, 0, -1, 1};
    tess_incidence map = {.index = points, .arity = 2, .n_points = 2, .weight = 8};
    for (int level = 0; level < N_LEVELS; level++)
        for (int n = 0; n <= 5; n++)
            for (int32_t size = 1; size <= 128; size = size < 5 ? size + 1 : size * 16) {
                const tess_partition_problem problem = {
                    .n_elements = n, .n_maps = 1, .maps = &map, .block_size = size};
                tess_partition_problem vast =
                    problem; /* must not allocate for all that would fit */
                const cost sum = cost_by(&problem, levels[level]);
                assert_full(&problem, &sum, levels[level]);
                vast.block_size = INT32_MAX;
                int32_t *block_of = blocks_by(&vast, levels[level]);
                OK(tess_refine(&vast, block_of, 1));
                for (int e = 0; e < n; e++)
                    assert_int_equal(block_of[e], 0);
                free(block_of);
            }
    const tess_partition_problem none = {.n_elements = 50, .block_size = 8}; /* no points at all */
    const cost sum = cost_by(&none, "mosaic");
    assert_full(&none, &sum, "no maps");
}

/* Without coordinates, and with some that tell nothing or are no numbers, blocks are as good as the
 * map alone makes them. */
static void coordinates_are_not_needed(void **state) {
    small_problem f = mesh_at(0);
    double *const given = (double *)f.problem->coordinates, *changed = NULL;
    assert_non_null(given);
    const int64_t n_values = f.problem->n_elements * f.problem->dimension;
    OK(TESS_ALLOC(n_values, &changed));
    f.problem->coordinates = NULL;
    const double of_map = reuse_by(f.problem, "mosaic");
    uint64_t seed = 5;
    for (int kind = 0; kind < 3; kind++) {
        for (int64_t i = 0; i < n_values; i++)
            changed[i] = kind == 0   ? (double)random_below(&seed, 1000)
                         : kind == 1 ? 0
                         : i % 3     ? 1e300 * given[i]
                                     : (i % 2 ? NAN : -INFINITY);
        f.problem->coordinates = changed;
        const cost sum = cost_by(f.problem, "mosaic");
        assert_full(f.problem, &sum, "mosaic");
        assert_true(reuse(&sum) > 0.995 * of_map);
    }
    f.problem->coordinates = given;
    assert_true(reuse_by(f.problem, "mosaic") > 0.995 * of_map);
    free(changed);
    small_problem_free(&f);
}

static void to_sets_are_cut_too(void **state) {
    small_problem f = mesh_problem("tets:nx=6", "cells:nodes", 32);
    tess_partition_problem *inverse = NULL;
    OK(tess_partition_problem_build_inverse(f.bound, tess_mesh_find_set(f.mesh, "nodes"), 32, 0,
                                            &inverse));
    const cost sum = cost_by(inverse, "mosaic"), in_order = cost_by(inverse, "file-order");
    assert_full(inverse, &sum, "mosaic");
    assert_true((double)sum.points < 0.9 * (double)in_order.points);
    tess_partition_problem_free(inverse);
    small_problem_free(&f);
}

static void no_block_has_more_than_max_points(void **state) {
    small_problem f = mesh_problem("tets:nx=8", "cells:nodes", 128);
    const int32_t any = cost_by(f.problem, "mosaic:level=quick").most_points;
    for (int part = 1; part <= 3; part++) {
        char text[64];
        const int32_t cap = any * part / 4;
        snprintf(text, sizeof text, "mosaic:level=quick:max_points=%d", cap);
        const cost sum = cost_by(f.problem, text);
        assert_true(sum.most_points <= cap && sum.most_points > cap / 2 && sum.largest <= 128);
    }
    assert_refused(f.problem, "mosaic:max_points=3", TESS_ERROR_INPUT, "points");
    small_problem_free(&f);
}

static void options_that_exclude_each_other_are_refused(void **state) {
    small_problem f = quads_problem(10, 10, 16);
    assert_refused(f.problem, "mosaic:shape=0.5:colours=3", TESS_ERROR_USAGE, "shape");
    assert_refused(f.problem, "mosaic:level=quick:effort=1", TESS_ERROR_USAGE, "level");
    assert_refused(f.problem, "mosaic:level=best", TESS_ERROR_USAGE, "quick");
    small_problem_free(&f);
}

/* Records of earlier versions name efforts. */
static void efforts_of_old_records_are_levels(void **state) {
    small_problem f = mesh_problem("irregular:nx=12:ny=12", "edges:cells", 32);
    const size_t bytes = (size_t)f.problem->n_elements * sizeof(int32_t);
    int32_t *of_level[N_LEVELS];
    for (int level = 0; level < N_LEVELS; level++)
        of_level[level] = blocks_by(f.problem, levels[level]);
    assert_memory_not_equal(of_level[0], of_level[1], bytes);
    assert_memory_not_equal(of_level[1], of_level[2], bytes);
    for (int effort = 0; effort <= 6; effort++) {
        char text[64];
        snprintf(text, sizeof text, "mosaic:effort=%d", effort);
        int32_t *old = blocks_by(f.problem, text);
        assert_memory_equal(old, of_level[effort < 2 ? 0 : effort < 4 ? 1 : 2], bytes);
        free(old);
    }
    for (int level = 0; level < N_LEVELS; level++)
        free(of_level[level]);
    small_problem_free(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_full_but_the_last),
        cmocka_unit_test(a_seed_decides_the_blocks),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(all_kinds_of_meshes_are_cut),
        cmocka_unit_test(islands_and_a_point_of_all_are_cut),
        cmocka_unit_test(degenerate_problems_are_cut),
        cmocka_unit_test(coordinates_are_not_needed),
        cmocka_unit_test(to_sets_are_cut_too),
        cmocka_unit_test(no_block_has_more_than_max_points),
        cmocka_unit_test(options_that_exclude_each_other_are_refused),
        cmocka_unit_test(efforts_of_old_records_are_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
