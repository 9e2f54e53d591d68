/* Partitioners: the contract on any problem, seeds, threads, names, what they refuse. */
#include "partitioners/partitioner.h"
#include "tests/core/small_problem.h"

#include <math.h>
#include <omp.h>
#include <unistd.h>

static const int32_t block_sizes[] = {1, 2, 3, 32, 64, 128, 480, 1024};
enum { N_BLOCK_SIZES = sizeof block_sizes / sizeof block_sizes[0] };

/* A partition by a spec as typed. */
static tess_partition *partition_of(const tess_problem *problem, const char *text) {
    tess_spec *spec = NULL;
    int n = 0;
    const tess_partitioner *partitioner = NULL;
    tess_partition *partition = NULL;
    double seconds = -1;
    OK(tess_spec_list_parse(text, &spec, &n));
    assert_int_equal(n, 1);
    OK(tess_partitioner_find(spec->name, &partitioner));
    if (tess_partitioner_run(partitioner, problem, spec, TESS_REPAIR_SPLIT, &seconds, &partition) !=
        TESS_OK)
        fail_msg("%s at block size %d: %s", text, problem->block_size, tess_message());
    assert_true(seconds >= 0);
    tess_spec_list_free(spec, n);
    assert_contract(problem, partition);
    return partition;
}

/* Gives a problem coordinates in 1 to 3 dimensions: at random, on a plane, a line or one point. */
static void coordinates_at_random(tess_problem *problem, uint64_t *seed) {
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

static bool can_take(const tess_partitioner *partitioner, const tess_problem *problem) {
    return !(partitioner->needs_shape && !problem->shape[0]) &&
           strcmp(partitioner->name, "file") != 0;
}

static void every_partitioner_keeps_the_contract_on_random_problems(void **state) {
    (void)state;
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
    (void)state;
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
    (void)state;
    double nowhere[2] = {0, 0};
    const tess_problem empty = {.dimension = 2, .coordinates = nowhere, .block_size = 8};
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
    (void)state;
    const char *const full[] = {"natural", "random",        "hilbert",
                                "rcb",     "rcb:cut=turns", "rcb:rotate=45"};
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

/* Neighbours on the curve are neighbours on the grid: blocks of four cells are 2 x 2. */
static void the_hilbert_curve_is_continuous(void **state) {
    (void)state;
    enum { SIDE = 32, N = SIDE * SIDE };
    double coordinates[2 * N];
    for (int i = 0; i < N; i++) {
        coordinates[2 * i] = i % SIDE;
        coordinates[2 * i + 1] = i / SIDE;
    }
    const tess_problem grid = {
        .n_elements = N, .dimension = 2, .coordinates = coordinates, .block_size = 4};
    tess_partition *partition = partition_of(&grid, "hilbert");
    for (int i = 0; i < N; i++) {
        const int corner = i / SIDE / 2 * 2 * SIDE + i % SIDE / 2 * 2;
        assert_int_equal(partition->block_of[i], partition->block_of[corner]);
    }
    tess_partition_free(partition);
}

/* Cells of a square of 16 x 16, block size 16: bisection gives 4 x 4 squares. */
static void rcb_cuts_a_square_into_squares(void **state) {
    (void)state;
    enum { SIDE = 16, N = SIDE * SIDE };
    double coordinates[2 * N];
    for (int i = 0; i < N; i++) {
        coordinates[2 * i] = i % SIDE;
        coordinates[2 * i + 1] = i / SIDE;
    }
    const tess_problem grid = {
        .n_elements = N, .dimension = 2, .coordinates = coordinates, .block_size = 16};
    tess_partition *partition = partition_of(&grid, "rcb");
    for (int i = 0; i < N; i++) {
        const int corner = i / SIDE / 4 * 4 * SIDE + i % SIDE / 4 * 4;
        assert_int_equal(partition->block_of[i], partition->block_of[corner]);
    }
    tess_partition_free(partition);
}

static tess_status count_levels(void *context, const char *what, int step, int64_t n_elements,
                                const int32_t *block_of) {
    int *levels = context;
    assert_string_equal(what, "rcb");
    assert_int_equal(step, *levels);
    int32_t largest = 0;
    for (int64_t e = 0; e < n_elements; e++)
        largest = block_of[e] > largest ? block_of[e] : largest;
    assert_in_range(largest, step + 1, (2 << step) - 1);
    ++*levels;
    return TESS_OK;
}

static void rcb_shows_each_level(void **state) {
    (void)state;
    int levels = 0;
    const tess_observer observer = {.context = &levels, .partition = count_levels};
    small_problem f = quads_problem(20, 20, 48); /* 760 edges, 16 blocks */
    f.problem->observer = &observer;
    tess_partition_free(partition_of(f.problem, "rcb"));
    assert_int_equal(levels, 4);
    small_problem_free(&f);
}

static bool same_partition(const tess_partition *a, const tess_partition *b) {
    return a->n_blocks == b->n_blocks &&
           memcmp(a->block_of, b->block_of, (size_t)a->n_elements * sizeof *a->block_of) == 0;
}

static tess_partition *partition_on_threads(int n_threads, const tess_problem *problem,
                                            const char *text) {
    const int before = omp_get_max_threads();
    omp_set_num_threads(n_threads);
    tess_partition *partition = partition_of(problem, text);
    omp_set_num_threads(before);
    return partition;
}

static void results_do_not_depend_on_threads(void **state) {
    (void)state;
    small_problem large = quads_problem(120, 110, 64), small = quads_problem(30, 30, 64);
    for (int i = 0; tess_partitioner_at(i); i++) {
        const tess_partitioner *partitioner = tess_partitioner_at(i);
        const tess_problem *problem = (partitioner->third_party ? &small : &large)->problem;
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
    (void)state;
    const char *const seeded[] = {"random", "metis", "metis:method=recursive", "scotch"};
    small_problem f = quads_problem(45, 45, 128);
    for (size_t i = 0; i < sizeof seeded / sizeof seeded[0]; i++) {
        const tess_partitioner *partitioner = NULL;
        char text[64];
        snprintf(text, sizeof text, "%.*s", (int)strcspn(seeded[i], ":"), seeded[i]);
        if (tess_partitioner_find(text, &partitioner) != TESS_OK)
            continue; /* not in this build */
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
static void metis_cuts_in_two_levels(void **state) {
    (void)state;
    const tess_partitioner *metis = NULL;
    if (tess_partitioner_find("metis", &metis) != TESS_OK)
        skip();
    small_problem f = quads_problem(100, 100, 32);
    tess_partition *once = partition_of(f.problem, "metis");
    tess_partition *twice = partition_of(f.problem, "metis:parts=100");
    assert_false(same_partition(once, twice));
    assert_in_range(twice->n_blocks, once->n_blocks, once->n_blocks + 10);
    assert_true(twice->reuse_factor_before > 0.96 * once->reuse_factor_before);
    assert_true(twice->cpu_seconds > 0 && twice->peak_bytes > 1000000);
    tess_partition_free(once);
    tess_partition_free(twice);
    small_problem_free(&f);
}

/* The cells of a box, without maps. */
static tess_problem box_problem(int64_t nx, int64_t ny, int64_t nz, int32_t block_size) {
    return (tess_problem){
        .n_elements = nx * ny * (nz ? nz : 1), .shape = {nx, ny, nz}, .block_size = block_size};
}

/* True when all elements of each brick, and no others, are in one block. */
static void assert_bricks(const tess_problem *box, const char *text, int bx, int by, int bz) {
    tess_partition *partition = partition_of(box, text);
    const int64_t nx = box->shape[0], ny = box->shape[1];
    const int64_t n_blocks = (nx + bx - 1) / bx * ((ny + by - 1) / by) *
                             (((box->shape[2] ? box->shape[2] : 1) + bz - 1) / bz);
    assert_int_equal(partition->n_blocks, n_blocks);
    for (int64_t e = 0; e < box->n_elements; e++) {
        const int64_t x = e % nx, y = e / nx % ny, z = e / nx / ny;
        const int64_t corner = (z / bz * bz * ny + y / by * by) * nx + x / bx * bx;
        assert_int_equal(partition->block_of[e], partition->block_of[corner]);
    }
    tess_partition_free(partition);
}

static void bricks_are_near_cubes_that_fill_blocks(void **state) {
    (void)state;
    const tess_problem square = box_problem(64, 64, 0, 128), cube = box_problem(32, 32, 32, 128);
    assert_bricks(&square, "bricks", 16, 8, 1);
    assert_bricks(&square, "bricks:dims=1d", 64, 1, 1);
    assert_bricks(&square, "bricks:dims=8x16", 8, 16, 1);
    assert_bricks(&cube, "bricks", 8, 4, 4);
    assert_bricks(&cube, "bricks:dims=2d", 16, 8, 1);
    assert_bricks(&cube, "bricks:dims=5x5x5", 5, 5, 5);
    const tess_problem full = box_problem(60, 64, 30, 480), thin = box_problem(100, 1, 0, 32);
    assert_bricks(&full, "bricks", 10, 8, 6);
    assert_bricks(&thin, "bricks", 32, 1, 1);
}

/* Runs a spec that cannot be and compares the message. */
static void assert_refused(const tess_problem *problem, const char *text, tess_status expected,
                           const char *words) {
    tess_spec *spec = NULL;
    int n = 0;
    const tess_partitioner *partitioner = NULL;
    tess_partition *partition = NULL;
    double seconds = 0;
    OK(tess_spec_list_parse(text, &spec, &n));
    OK(tess_partitioner_find(spec->name, &partitioner));
    assert_int_equal(
        tess_partitioner_run(partitioner, problem, spec, TESS_REPAIR_SPLIT, &seconds, &partition),
        expected);
    if (!strstr(tess_message(), words))
        fail_msg("%s: '%s' in '%s'", text, words, tess_message());
    tess_spec_list_free(spec, n);
}

static void bricks_that_cannot_be_are_refused(void **state) {
    (void)state;
    const tess_problem square = box_problem(64, 64, 0, 128),
                       none = {.n_elements = 5, .block_size = 2};
    assert_refused(&square, "bricks:dims=16x9", TESS_ERROR_USAGE, "do not fit the block size 128");
    assert_refused(&square, "bricks:dims=16x", TESS_ERROR_USAGE, "'16x'");
    assert_refused(&square, "bricks:dims=0x4", TESS_ERROR_USAGE, "'0x4'");
    assert_refused(&square, "bricks:dims=4x4x2x2", TESS_ERROR_USAGE, "'4x4x2x2'");
    assert_refused(&square, "bricks:dims=999999999x999999999x999999999", TESS_ERROR_USAGE, "fit");
    assert_refused(&none, "bricks", TESS_ERROR_USAGE, "structured box");
}

/* A part file of these bytes, read for five elements. */
static void assert_part_file(const char *text, tess_status expected, const char *words) {
    char path[] = "/tmp/tess-part-XXXXXX", spec[64];
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    snprintf(spec, sizeof spec, "file:path=%s", path);
    const tess_problem five = {.n_elements = 5, .block_size = 2};
    if (expected == TESS_OK) {
        tess_partition *partition = partition_of(&five, spec);
        assert_int_equal(partition->n_blocks, 3);
        assert_int_equal(partition->block_of[1], partition->block_of[4]);
        assert_int_equal(partition->block_of[0], partition->block_of[3]);
        tess_partition_free(partition);
    } else {
        assert_refused(&five, spec, expected, words);
    }
    unlink(path);
}

static void a_part_file_is_read_or_refused_by_line(void **state) {
    (void)state;
    assert_part_file("7\n3\n0\n7\n3\n", TESS_OK, "");
    assert_part_file("7\r\n3\r\n0\r\n 7\r\n3", TESS_OK, "");
    assert_part_file("7\n3\n0\n7\n3\n\n", TESS_OK, "");
    assert_part_file("7\n3\n0\n7\n", TESS_ERROR_INPUT, ":4: the file ends after 4 of 5");
    assert_part_file("", TESS_ERROR_INPUT, ":0: the file ends after 0 of 5");
    assert_part_file("7\n3\n0\n7\n3\n9\n", TESS_ERROR_INPUT, ":6: there are only 5");
    assert_part_file("7\n3\nx\n7\n3\n", TESS_ERROR_INPUT, ":3: 'x' is not a block number");
    assert_part_file("7\n3 4\n0\n7\n3\n", TESS_ERROR_INPUT, ":2: '3 4' is not");
    assert_part_file("7\n-3\n0\n7\n3\n", TESS_ERROR_INPUT, ":2: block number -3");
    assert_part_file("7\n99999999999999999999\n0\n7\n3\n", TESS_ERROR_INPUT, ":2: block");
    assert_part_file("7\n2147483648\n0\n7\n3\n", TESS_ERROR_INPUT, ":2: block number 2147");
    char wide[200];
    snprintf(wide, sizeof wide, "1\n%0150d\n", 1);
    assert_part_file(wide, TESS_ERROR_INPUT, ":2: more than one");
    const tess_problem five = {.n_elements = 5, .block_size = 2};
    assert_refused(&five, "file", TESS_ERROR_USAGE, "file:path=");
    assert_refused(&five, "file:path=/nowhere/part", TESS_ERROR_INPUT, "/nowhere/part: No such");
}

/* Points numbered along a line of cells by RCM and GPS, whatever their ids: blocks are intervals.
 */
static void rcm_and_gps_follow_a_shuffled_line(void **state) {
    (void)state;
    enum { N = 64, SIZE = 8 };
    int32_t id[N], index[2 * (N - 1)];
    uint64_t seed = 9;
    for (int i = 0; i < N; i++) {
        const int other = random_below(&seed, i + 1);
        id[i] = id[other];
        id[other] = i;
    }
    for (int e = 0; e < N - 1; e++) {
        const int where = (e * 23) % (N - 1); /* elements shuffled, too */
        index[2 * where] = id[e];
        index[2 * where + 1] = id[e + 1];
    }
    tess_incidence map = {.index = index, .arity = 2, .n_points = N};
    const tess_problem line = {.n_elements = N - 1, .n_maps = 1, .maps = &map, .block_size = SIZE};
    const char *const names[] = {"rcm", "gps"};
    for (int i = 0; i < 2; i++) {
        tess_partition *partition = partition_of(&line, names[i]);
        assert_int_equal(partition->n_blocks, 8);
        /* seven blocks of 8 elements on 9 points, one of 7 on 8 */
        assert_true(fabs(partition->reuse_factor_before - 126.0 / (7 * 9 + 8)) < 1e-12);
        tess_partition_free(partition);
    }
}

static void a_mistyped_name_gets_a_suggestion(void **state) {
    (void)state;
    const tess_partitioner *partitioner = NULL;
    assert_int_equal(tess_partitioner_find("hlibert", &partitioner), TESS_ERROR_USAGE);
    assert_non_null(strstr(tess_message(), "did you mean 'hilbert'?"));
    assert_non_null(strstr(tess_message(), "known: natural, random"));
}

static void missing_coordinates_and_bad_options_are_refused(void **state) {
    (void)state;
    const tess_problem problem = {.n_elements = 5, .block_size = 2};
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
        cmocka_unit_test(the_hilbert_curve_is_continuous),
        cmocka_unit_test(rcb_cuts_a_square_into_squares),
        cmocka_unit_test(rcb_shows_each_level),
        cmocka_unit_test(results_do_not_depend_on_threads),
        cmocka_unit_test(a_seed_decides_what_is_random),
        cmocka_unit_test(metis_cuts_in_two_levels),
        cmocka_unit_test(bricks_are_near_cubes_that_fill_blocks),
        cmocka_unit_test(bricks_that_cannot_be_are_refused),
        cmocka_unit_test(a_part_file_is_read_or_refused_by_line),
        cmocka_unit_test(rcm_and_gps_follow_a_shuffled_line),
        cmocka_unit_test(a_mistyped_name_gets_a_suggestion),
        cmocka_unit_test(missing_coordinates_and_bad_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
