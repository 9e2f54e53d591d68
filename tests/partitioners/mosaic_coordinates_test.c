/* Coordinates: when they are trusted, and the shapes of blocks that follow from them. */
#include "partitioners/mosaic/choose.h"
#include "partitioners/mosaic/group.h"
#include "partitioners/mosaic/walked_mesh.h"
#include "tests/partitioners/mosaic_case.h"

#include <math.h>

/* Coordinates that are so many times as long along x; the caller frees them. */
static double *stretched(const tess_partition_problem *problem, double by) {
    const int64_t n = problem->n_elements * problem->dimension;
    double *x = NULL;
    OK(TESS_COPY(n, problem->coordinates, &x));
    for (int64_t i = 0; i < n; i += problem->dimension)
        x[i] *= by;
    return x;
}

/* Coordinates in 2D that are so many times as long along a diagonal; the caller frees them. */
static double *slanted(const tess_partition_problem *problem, double by) {
    const int64_t n = problem->n_elements * problem->dimension;
    double *x = NULL;
    assert_int_equal(problem->dimension, 2);
    OK(TESS_COPY(n, problem->coordinates, &x));
    for (int64_t i = 0; i < n; i += 2) {
        const double more = (by - 1) / 2 * (x[i] + x[i + 1]);
        x[i] += more;
        x[i + 1] += more;
    }
    return x;
}

/* Whether coordinates are taken on a mesh whose coordinates are stretched along x. Fills how much
 * longer than wide the balls were found. */
static bool are_trusted_as(const char *mesh, const char *map, double stretch, bool noise,
                           double *found_stretch) {
    small_problem f = mesh_problem(mesh, map, 64);
    const int64_t n = f.problem->n_elements;
    const int d = f.problem->dimension;
    mosaic_pins pins = {0};
    tess_rows *rows = NULL;
    mosaic_walk walk = {0};
    double *x = stretched(f.problem, stretch);
    uint64_t seed = 7;
    for (int64_t i = 0; noise && i < n * d; i++)
        x[i] = (double)random_below(&seed, 1000);
    OK(mosaic_pins_build(f.problem, INT64_MAX, &pins));
    OK(mosaic_rows_build(&pins, &rows));
    OK(mosaic_walk_reset(&pins, rows, &walk));
    const bool found =
        !mosaic_balls_are_alike(&walk, d) && mosaic_balls_are_round(&walk, x, d, found_stretch);
    free(x);
    mosaic_walk_clear(&walk);
    tess_rows_free(rows);
    mosaic_pins_clear(&pins);
    small_problem_free(&f);
    return found;
}

static bool are_trusted(const char *mesh, const char *map, double stretch, bool noise) {
    double found = 0;
    return are_trusted_as(mesh, map, stretch, noise, &found);
}

static void round_irregular_balls_are_trusted(void **state) {
    (void)state;
    assert_true(are_trusted("irregular:nx=60:ny=60", "edges:cells", 1, false));
    assert_true(are_trusted("irregular:nx=60:ny=60", "cells:nodes", 1.5, false));
    assert_false(are_trusted("irregular:nx=60:ny=60", "edges:cells", 10, false));
    assert_false(are_trusted("irregular:nx=60:ny=60", "edges:cells", NAN, false));
    assert_false(are_trusted("irregular:nx=60:ny=60", "edges:cells", 1, true));
    assert_false(are_trusted("quads:nx=60:ny=60", "edges:cells", 1, false)); /* flat fronts */
    assert_false(are_trusted("hexes:nx=14:ny=14:nz=14", "cells:nodes", 1, false));
    assert_false(are_trusted("irregular:nx=6:ny=6", "edges:cells", 1, false)); /* too few */
}

/* A mesh that is stretched no more than balls may be long is cut as if it were not. */
static void little_stretch_is_taken_back(void **state) {
    (void)state;
    double found = 0;
    assert_true(are_trusted_as("irregular:nx=60:ny=60", "edges:nodes", 1, false, &found));
    assert_true(found == 1);
    assert_true(are_trusted_as("irregular:nx=60:ny=60", "edges:nodes", 2.5, false, &found));
    assert_true(found > 2.2 && found < 2.8);
    small_problem f = mesh_problem("irregular:nx=60:ny=60", "edges:nodes", 64);
    tess_partition_problem longer = *f.problem;
    double *x = stretched(f.problem, 2.5);
    longer.coordinates = x;
    assert_true((double)cost_by(&longer, "mosaic:seed=1").points <
                1.004 * (double)cost_by(f.problem, "mosaic:seed=1").points);
    free(x);
    small_problem_free(&f);
}

/* What moves keep up to date is what is measured anew. */
static void moves_keep_shapes(void **state) {
    (void)state;
    enum { N = 200, N_BLOCKS = 5 };
    mosaic_shape shape = {0}, anew = {0};
    uint8_t home[N];
    int32_t size[N_BLOCKS] = {0};
    uint64_t seed = 11;
    OK(mosaic_shape_reserve(N, &shape));
    OK(mosaic_shape_reserve(N, &anew));
    for (int32_t e = 0; e < N; e++) {
        home[e] = (uint8_t)(e % N_BLOCKS);
        size[home[e]]++;
        for (int d = 0; d < 3; d++)
            anew.xyz[e][d] = shape.xyz[e][d] = (float)random_below(&seed, 100) + 50.F * home[e];
    }
    mosaic_shape_measure(N, home, N_BLOCKS, size, &shape);
    for (int i = 0; i < 300; i++) {
        const int32_t e = random_below(&seed, N), to = random_below(&seed, N_BLOCKS);
        const int32_t from = home[e];
        if (to == from)
            continue;
        size[from]--;
        size[to]++;
        home[e] = (uint8_t)to;
        mosaic_shape_move(e, from, to, size, &shape);
    }
    mosaic_shape_measure(N, home, N_BLOCKS, size, &anew);
    for (int32_t b = 0; b < N_BLOCKS; b++) {
        double distance = 0; /* by definition, 1 in the mean */
        for (int32_t e = 0; e < N; e++) {
            const double kept = mosaic_shape_distance(&shape, e, b);
            assert_true(fabs(kept - mosaic_shape_distance(&anew, e, b)) < 1e-4 * (1 + kept));
            distance += home[e] == b ? kept / size[b] : 0;
        }
        assert_true(fabs(distance - 1) < 1e-4);
    }
    mosaic_shape_clear(&shape);
    mosaic_shape_clear(&anew);
}

/* All in one point of space: no block is nearer than another. */
static void a_block_without_extent_draws_nothing(void **state) {
    (void)state;
    mosaic_shape shape = {0};
    const uint8_t home[] = {0, 0, 1, 1};
    const int32_t size[] = {2, 2};
    OK(mosaic_shape_reserve(4, &shape));
    for (int32_t e = 0; e < 4; e++)
        for (int d = 0; d < 3; d++)
            shape.xyz[e][d] = 0.3F;
    mosaic_shape_measure(4, home, 2, size, &shape);
    for (int32_t b = 0; b < 2; b++)
        assert_true(mosaic_shape_distance(&shape, 0, b) == 0);
    mosaic_shape_clear(&shape);
}

/* Slabs are tried of solids that coordinates cut where elements of many points stack, not fan. */
static void hexes_by_nodes_stack(void **state) {
    (void)state;
    static const struct {
        const char *mesh, *map;
        bool stack;
    } cases[] = {{"hexes:nx=8:ny=8:nz=8", "cells:nodes", true},
                 {"hexes:nx=8:ny=8:nz=8", "edges:nodes", false},
                 {"tets:nx=8:ny=8:nz=8", "cells:nodes", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        small_problem f = mesh_problem(cases[i].mesh, cases[i].map, 64);
        mosaic_pins pins = {0};
        OK(mosaic_pins_build(f.problem, INT64_MAX, &pins));
        assert_true(mosaic_pins_stack(&pins) == cases[i].stack);
        mosaic_pins_clear(&pins);
        small_problem_free(&f);
    }
}

/* Whether coordinates that are stretched along a diagonal are judged to cut across, where nobody
 * has looked at that before. */
static bool are_crossed(double stretch) {
    small_problem f = mesh_problem("irregular:nx=100:ny=100:seed=4", "edges:cells", 128);
    tess_partition_problem longer = *f.problem;
    const mosaic_walking walking = {
        .largest = INT64_MAX, .trusted = true, .doubted = true, .checked = true};
    const mosaic_cut cut = {.block_size = 128, .multiple = 128, .tries = 1};
    mosaic_mesh mesh = {0};
    mosaic_choice chosen = {0};
    int32_t *order = NULL;
    double *const x = slanted(f.problem, stretch);
    OK(TESS_ALLOC(longer.n_elements, &order));
    longer.coordinates = x;
    OK(mosaic_mesh_build(&longer, &walking, &mesh));
    assert_true(mesh.by_coordinates);
    OK(mosaic_bisect(&mesh, 128, order, NULL));
    OK(mosaic_choose_judge(&mesh, &cut, order, &chosen));
    mosaic_mesh_clear(&mesh);
    free(order);
    free(x);
    small_problem_free(&f);
    return chosen.crossed;
}

static void the_default_knows_what_coordinates_cut_across(void **state) {
    (void)state;
    assert_true(are_crossed(2.8));
    assert_false(are_crossed(1));
}

/* Coordinates that are three times as long along x, or 2.8 times along a diagonal, are trusted
 * still. Along x that is taken back; along a diagonal the blocks that they cut have more points
 * than balls: efforts 1 and 2 cut the map. */
static void what_coordinates_cut_across_is_cut_by_the_map(void **state) {
    (void)state;
    assert_true(are_trusted("irregular:nx=100:ny=100:seed=4", "edges:cells", 3, false));
    small_problem f = mesh_problem("irregular:nx=100:ny=100:seed=4", "edges:cells", 128);
    tess_partition_problem longer = *f.problem;
    double *const x[] = {stretched(f.problem, 3), slanted(f.problem, 2.8)};
    for (int i = 0; i < 2; i++) {
        longer.coordinates = x[i];
        assert_true(cost_by(&longer, "mosaic:effort=1").points <=
                    cost_by(&longer, "mosaic:effort=1:cut=slabs").points);
        assert_true(cost_by(&longer, "mosaic:effort=2").points <=
                    cost_by(&longer, "mosaic:effort=2:cut=slabs").points);
        free(x[i]);
    }
    small_problem_free(&f);
}

/* Coordinates cut this solid into 16 blocks, which annealing makes no better: halves and slabs of
 * the map, which take little time, are tried by default. */
static void few_blocks_of_solids_are_cut_in_all_ways(void **state) {
    (void)state;
    small_problem f = mesh_problem("layers:base=irregular:nx=10:ny=10:prisms=4:tets=7:seed=92",
                                   "edges:nodes", 480);
    assert_true((double)cost_by(f.problem, "mosaic").points <
                0.98 * (double)cost_by(f.problem, "mosaic:effort=2").points);
    small_problem_free(&f);
}

/* Few slabs of solids that are torn are annealed to more points than bricks have before that: up to
 * effort 2 these take their place. */
static void few_torn_slabs_have_a_rival_in_bricks(void **state) {
    (void)state;
    static const struct {
        const char *mesh;
        int32_t size;
    } rows[] = {{"layers:base=irregular:nx=16:ny=16:prisms=9:tets=8:seed=845", 256},
                {"layers:base=irregular:nx=21:ny=21:prisms=9:tets=9:seed=966", 480}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        small_problem f = mesh_problem(rows[r].mesh, "edges:nodes", rows[r].size);
        const double bricks = (double)cost_by(f.problem, "mosaic:effort=0").points,
                     first = (double)cost_by(f.problem, "mosaic:effort=1").points,
                     second = (double)cost_by(f.problem, "mosaic:effort=2").points;
        assert_true(first < 0.98 * bricks);
        assert_true(second < first);
        assert_true(first < 0.985 * (double)cost_by(f.problem, "mosaic:effort=1:cut=slabs").points);
        small_problem_free(&f);
    }
}

/* Slabs of an irregular mesh in 2D that the map cuts are narrower than balls: blocks have more
 * points at first, and fewer when they are annealed. */
static void what_the_map_cuts_in_2d_is_cut_in_narrow_slabs(void **state) {
    (void)state;
    static const struct {
        const char *map;
        int32_t size;
        double part; /* of the points of slabs that are as wide as balls, at most */
    } rows[] = {
        {"edges:cells", 480, 0.997}, {"edges:cells", 128, 0.995}, {"edges:nodes", 256, 0.993}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        small_problem f =
            mesh_problem("irregular:nx=150:ny=150:jitter=0.7", rows[r].map, rows[r].size);
        tess_partition_problem longer = *f.problem;
        double *const x = stretched(f.problem, 20);
        longer.coordinates = x;
        const double slabs = (double)cost_by(&longer, "mosaic:effort=1:cut=slabs:seed=1").points,
                     first = (double)cost_by(&longer, "mosaic:effort=1:seed=1").points,
                     usual = (double)cost_by(&longer, "mosaic:seed=1").points;
        assert_true(first < rows[r].part * slabs);
        assert_true(usual < 0.997 * first);
        free(x);
        small_problem_free(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_irregular_balls_are_trusted),
        cmocka_unit_test(little_stretch_is_taken_back),
        cmocka_unit_test(moves_keep_shapes),
        cmocka_unit_test(a_block_without_extent_draws_nothing),
        cmocka_unit_test(hexes_by_nodes_stack),
        cmocka_unit_test(what_coordinates_cut_across_is_cut_by_the_map),
        cmocka_unit_test(the_default_knows_what_coordinates_cut_across),
        cmocka_unit_test(few_blocks_of_solids_are_cut_in_all_ways),
        cmocka_unit_test(few_torn_slabs_have_a_rival_in_bricks),
        cmocka_unit_test(what_the_map_cuts_in_2d_is_cut_in_narrow_slabs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
