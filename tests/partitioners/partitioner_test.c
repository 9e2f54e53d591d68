/* Partitioners: the contract on any problem, seeds, threads, names, what they refuse. */
#include "tests/partitioners/partition_of.h"

#include <math.h>
#include <omp.h>

static const int32_t block_sizes[] = {1, 2, 3, 32, 64, 128, 480, 1024};
enum { N_BLOCK_SIZES = sizeof block_sizes / sizeof block_sizes[0] };

/* Gives a problem coordinates in 1 to 3 dimensions: at random, on a plane, a line or one point. */
static void coordinates_at_random(tess_partition_problem *problem, uint64_t *seed) {
    problem->dimension = 1 + random_below(seed, 3);
    const int flat = random_below(seed, 3);
    const double scale = pow(10, random_below(seed, 600) - 300);
    double *coordinates = NULL;
    OK(TESS_ALLOC(problem->n_elements * problem->dimension, &coordinates));
    for (int64_t i = 0; i < problem->n_elements * problem->dimension; i++)
        coordinates[i] =
            i % problem->dimension < flat ? 1.5 * scale : scale * (random_below(seed, 2000) - 1000);
    free((double *)problem->coordinates);
    problem->coordinates = coordinates;
}

static bool can_take(const tess_partitioner *partitioner, const tess_partition_problem *problem) {
    return !(partitioner->needs_shape && !problem->shape[0]) && !partitioner->on_request &&
           strcmp(partitioner->name, "file") != 0;
}

static void every_partitioner_keeps_the_contract_on_random_problems(void **state) {
    uint64_t seed = 3;
    for (int trial = 0; trial < 200; trial++) {
        small_problem f = random_problem(&seed, block_sizes[trial % N_BLOCK_SIZES]);
        coordinates_at_random(f.problem, &seed);
        for (int i = 0; tess_partitioner_at(i); i++)
            if (can_take(tess_partitioner_at(i), f.problem) &&
                !(tess_partitioner_at(i)->third_party && trial >= 3 * N_BLOCK_SIZES))
                tess_partition_free(partition_of(f.problem, tess_partitioner_at(i)->name));
        small_problem_free(&f);
    }
}

static void every_partitioner_keeps_the_contract_on_quads(void **state) {
    const int sizes[][2] = {{1, 2}, {2, 2}, {7, 5}, {23, 21}};
    for (int s = 0; s < 4; s++) {
        for (int b = 0; b < N_BLOCK_SIZES; b++) {
            small_problem f = quads_problem(sizes[s][0], sizes[s][1], block_sizes[b]);
            for (int i = 0; tess_partitioner_at(i); i++)
                if (can_take(tess_partitioner_at(i), f.problem))
                    tess_partition_free(partition_of(f.problem, tess_partitioner_at(i)->name));
            small_problem_free(&f);
        }
    }
}

static void no_elements_are_no_blocks(void **state) {
    double nowhere[2] = {0, 0};
    const tess_partition_problem empty = {.dimension = 2, .coordinates = nowhere, .block_size = 8};
    for (int i = 0; tess_partitioner_at(i); i++) {
        if (!can_take(tess_partitioner_at(i), &empty))
            continue;
        tess_partition *partition = partition_of(&empty, tess_partitioner_at(i)->name);
        assert_int_equal(partition->n_blocks, 0);
        tess_partition_free(partition);
    }
}

/* An order that is chopped and a cut at exact multiples leave at most one block that is not full.
 */
static void orders_and_cuts_fill_their_blocks(void **state) {
    const char *const full[] = {"file-order",    "random",        "hilbert",   "rcb",
                                "rcb:cut=turns", "rcb:rotate=45", "rcb:swap=2"};
    for (int b = 0; b < N_BLOCK_SIZES; b++) {
        small_problem f = quads_problem(31, 40, block_sizes[b]);
        const int64_t n = f.problem->n_elements, size = block_sizes[b];
        for (size_t i = 0; i < sizeof full / sizeof full[0]; i++) {
            tess_partition *partition = partition_of(f.problem, full[i]);
            assert_int_equal(partition->n_blocks, (n + size - 1) / size);
            assert_int_equal(partition->n_moved, 0);
            tess_partition_free(partition);
        }
        small_problem_free(&f);
    }
}

static bool same_partition(const tess_partition *a, const tess_partition *b) {
    return a->n_blocks == b->n_blocks &&
           memcmp(a->block_of, b->block_of, (size_t)a->n_elements * sizeof *a->block_of) == 0;
}

static tess_partition *partition_on_threads(int n_threads, const tess_partition_problem *problem,
                                            const char *text) {
    const int before = omp_get_max_threads();
    omp_set_num_threads(n_threads);
    tess_partition *partition = partition_of(problem, text);
    omp_set_num_threads(before);
    return partition;
}

static void results_do_not_depend_on_threads(void **state) {
    small_problem large = quads_problem(120, 110, 64), small = quads_problem(30, 30, 64);
    for (int i = 0; tess_partitioner_at(i); i++) {
        const tess_partitioner *partitioner = tess_partitioner_at(i);
        const tess_partition_problem *problem =
            (partitioner->third_party ? &small : &large)->problem;
        if (!can_take(partitioner, problem))
            continue;
        tess_partition *one = partition_on_threads(1, problem, partitioner->name);
        tess_partition *seven = partition_on_threads(7, problem, partitioner->name);
        assert_true(same_partition(one, seven));
        tess_partition_free(one);
        tess_partition_free(seven);
    }
    small_problem_free(&large);
    small_problem_free(&small);
}

static void a_seed_decides_what_is_random(void **state) {
    const char *const seeded[] = {"random", "metis", "metis:method=recursive", "scotch"};
    small_problem f = quads_problem(45, 45, 128);
    for (size_t i = 0; i < sizeof seeded / sizeof seeded[0]; i++) {
        if (!in_this_build(seeded[i]))
            continue;
        char text[64];
        snprintf(text, sizeof text, "%s:seed=3", seeded[i]);
        tess_partition *a = partition_of(f.problem, text);
        snprintf(text, sizeof text, "%s:seed=4", seeded[i]);
        tess_partition *b = partition_of(f.problem, text);
        f.problem->seed = 3;
        tess_partition *c = partition_of(f.problem, seeded[i]);
        f.problem->seed = 0;
        assert_false(same_partition(a, b));
        assert_true(same_partition(a, c));
        tess_partition_free(a);
        tess_partition_free(b);
        tess_partition_free(c);
    }
    small_problem_free(&f);
}

/* More parts than one call may ask for are cut in two levels, nearly as well. */
/* The imbalance of Sulyok et al. is of S', and allows less than that of the mean. */
static void metis_takes_the_imbalance_of_the_target(void **state) {
    if (!in_this_build("metis"))
        skip();
    small_problem f = quads_problem(40, 41, 63); /* 3159 edges in 51 blocks of 62 */
    tess_partition *of_mean = partition_of(f.problem, "metis"),
                   *of_target = partition_of(f.problem, "metis:imbalance=target:seed=4321");
    assert_false(same_partition(of_mean, of_target));
    assert_true(of_target->largest_before <= 63);
    tess_partition_free(of_mean);
    tess_partition_free(of_target);
    small_problem_free(&f);
}

/* Points in the order of SCOTCH's own Gibbs-Poole-Stockmeyer: all blocks are full but one, and it
 * is as good as ours where the mesh is regular. */
static void scotch_orders_by_gps(void **state) {
    if (!in_this_build("scotch"))
        skip();
    small_problem f = quads_problem(31, 40, 64);
    tess_partition *theirs = partition_of(f.problem, "scotch:order=gps"),
                   *ours = partition_of(f.problem, "gps");
    assert_int_equal(theirs->n_blocks, ours->n_blocks);
    assert_int_equal(theirs->n_moved, 0);
    assert_true(fabs(theirs->reuse_factor_before / ours->reuse_factor_before - 1) < 0.1);
    tess_partition_free(theirs);
    tess_partition_free(ours);
    small_problem_free(&f);
}

/* The edges of quads, which read nodes first and increment cells: an order follows the cells,
 * whether nodes count or not. */
static void orders_follow_what_is_incremented(void **state) {
    const char *const names[] = {"gps", "rcm", "scotch:order=gps"};
    tess_mesh *mesh = quad_mesh(31, 40);
    tess_loop *loop = NULL;
    tess_bound_loop *bound = NULL;
    tess_partition_problem *cells = NULL, *all = NULL;
    OK(tess_loop_new("flux", "edges", &loop));
    add_arg(loop, "x", "edges:nodes", -1, 2, TESS_READ);
    add_arg(loop, "q", "edges:cells", -1, 4, TESS_INC);
    OK(tess_loop_bind(loop, mesh, &bound));
    OK(tess_partition_problem_build(bound, TESS_POINTS_INCREMENTS, 64, 1, &cells));
    OK(tess_partition_problem_build(bound, TESS_POINTS_ALL, 64, 1, &all));
    for (int i = 0; i < 3; i++) {
        if (!in_this_build(names[i]))
            continue;
        tess_partition *by_cells = partition_of(cells, names[i]),
                       *by_all = partition_of(all, names[i]);
        assert_true(same_partition(by_cells, by_all));
        tess_partition_free(by_cells);
        tess_partition_free(by_all);
    }
    tess_partition_problem_free(cells);
    tess_partition_problem_free(all);
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
    tess_mesh_free(mesh);
}

static void metis_cuts_in_two_levels(void **state) {
    if (!in_this_build("metis"))
        skip();
    small_problem f = quads_problem(100, 100, 32);
    tess_partition *once = partition_of(f.problem, "metis");
    tess_partition *twice = partition_of(f.problem, "metis:parts=100");
    assert_false(same_partition(once, twice));
    assert_true(twice->largest_before <= 32);
    assert_in_range(twice->n_blocks, once->n_blocks, once->n_blocks + 10);
    assert_true(twice->reuse_factor_before > 0.96 * once->reuse_factor_before);
    assert_true(twice->cpu_seconds > 0 && twice->start_cpu_seconds > 0);
    assert_true(twice->grown_bytes > 20000 * 8 && twice->peak_bytes > twice->grown_bytes);
    tess_partition_free(once);
    tess_partition_free(twice);
    small_problem_free(&f);
}

static void a_mistyped_name_gets_a_suggestion(void **state) {
    const tess_partitioner *partitioner = NULL;
    assert_int_equal(tess_partitioner_find("hlibert", &partitioner), TESS_ERROR_USAGE);
    assert_non_null(strstr(tess_message(), "did you mean 'hilbert'?"));
    assert_non_null(strstr(tess_message(), "known: file-order, random"));
}

static void missing_coordinates_and_bad_options_are_refused(void **state) {
    const tess_partition_problem problem = {.n_elements = 5, .block_size = 2};
    assert_refused(&problem, "rcb", TESS_ERROR_USAGE, "needs coordinates");
    assert_refused(&problem, "hilbert", TESS_ERROR_USAGE, "needs coordinates");
    assert_refused(&problem, "rcb:rotat=45", TESS_ERROR_USAGE, "rotate");
    assert_refused(&problem, "random:seed=x", TESS_ERROR_USAGE, "seed");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_partitioner_keeps_the_contract_on_random_problems),
        cmocka_unit_test(every_partitioner_keeps_the_contract_on_quads),
        cmocka_unit_test(no_elements_are_no_blocks),
        cmocka_unit_test(orders_and_cuts_fill_their_blocks),
        cmocka_unit_test(results_do_not_depend_on_threads),
        cmocka_unit_test(a_seed_decides_what_is_random),
        cmocka_unit_test(metis_takes_the_imbalance_of_the_target),
        cmocka_unit_test(scotch_orders_by_gps),
        cmocka_unit_test(orders_follow_what_is_incremented),
        cmocka_unit_test(metis_cuts_in_two_levels),
        cmocka_unit_test(a_mistyped_name_gets_a_suggestion),
        cmocka_unit_test(missing_coordinates_and_bad_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
