/* Mosaic as users call it: what holds for its blocks on any mesh, at any level and with any option.
 */
#include "partitioners/refine.h"
#include "tests/partitioners/mosaic_case.h"
#include "tests/partitioners/partition_of.h"

#include <math.h>

static const char *const levels[] = {"mosaic:level=quick", "mosaic", "mosaic:level=long"};
static const int32_t block_sizes[] = {1, 2, 3, 5, 32, 64, 128};
enum { N_LEVELS = 3, N_BLOCK_SIZES = sizeof block_sizes / sizeof block_sizes[0] };

/* Meshes of every kind, a few thousand elements each. */
static const struct {
    const char *mesh, *map;
    int32_t block_size;
    bool irregular; /* so that no bisection by coordinates is near the best */
} meshes[] = {
    {"irregular:nx=30:ny=30", "edges:cells", 32, true},
    {"irregular:nx=30:ny=30:shuffle=3", "cells:nodes", 64, true},
    {"quads:nx=40:ny=30", "edges:cells", 64, false},
    {"quads:nx=40:ny=30:periodic=xy:shuffle=2", "cells:nodes", 48, false},
    {"ogrid:ni=60:nj=20:stretch=1e4", "edges:nodes", 128, false},
    {"tris:nx=30:ny=20:periodic=x", "edges:nodes", 64, false},
    {"tets:nx=8:ny=7:nz=6:shuffle=3", "faces:cells", 64, true},
    {"tets:nx=8:ny=8:nz=8", "cells:nodes", 128, true},
    {"hexes:nx=13:ny=12:nz=11", "faces:cells", 64, false},
    {"hexes:nx=12:ny=12:nz=12:periodic=xyz", "edges:nodes", 128, false},
    {"prisms:nx=9:ny=9:nz=9", "cells:nodes", 64, false},
    {"layers:base=regular:nx=9:ny=9:prisms=6:tets=4", "faces:cells", 100, false},
};
enum { N_MESHES = sizeof meshes / sizeof meshes[0] };

static small_problem mesh_at(int i) {
    return mesh_problem(meshes[i].mesh, meshes[i].map, meshes[i].block_size);
}

static void assert_full(const tess_partition_problem *problem, const cost *sum, const char *text) {
    const int64_t n = problem->n_elements, size = problem->block_size;
    if (sum->n_blocks != (n + size - 1) / size || sum->n_full < n / size || sum->largest > size)
        fail_msg("%s: %d of %d blocks are full", text, sum->n_full, sum->n_blocks);
}

static void blocks_are_full_but_the_last(void **state) {
    (void)state;
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

/* A higher level is no worse, but for what chance does; no level is worse than the numbering of a
 * mesh, or above what the points of the mesh allow. */
static void levels_are_in_order(void **state) {
    (void)state;
    for (int i = 0; i < N_MESHES; i++) {
        small_problem f = mesh_at(i);
        int64_t before = INT64_MAX;
        const double natural = reuse_by(f.problem, "natural");
        for (int level = 0; level < (i % 3 ? 2 : N_LEVELS); level++) { /* the long one takes long */
            const cost sum = cost_by(f.problem, levels[level]);
            assert_full(f.problem, &sum, levels[level]);
            if ((double)sum.points > 1.005 * (double)before || reuse(&sum) < natural ||
                sum.points < f.problem->maps->n_points)
                fail_msg("%s %s, %s: %lld points, %lld at the level before, reuse %.3f (natural "
                         "%.3f)",
                         meshes[i].mesh, meshes[i].map, levels[level], (long long)sum.points,
                         (long long)before, reuse(&sum), natural);
            before = sum.points;
        }
        small_problem_free(&f);
    }
}

/* Bisection by coordinates is a start of the default, so the default is no worse; where it is not
 * near the best, annealing saves much. METIS's blocks are out of reach by no more than 1.5 %. */
static void the_default_is_as_good_as_others(void **state) {
    (void)state;
    for (int i = 0; i < N_MESHES; i++) {
        small_problem f = mesh_at(i);
        const double ours = reuse_by(f.problem, "mosaic"), bisection = reuse_by(f.problem, "rcb");
        if (ours < bisection * (meshes[i].irregular ? 1.02 : 1))
            fail_msg("%s %s: %.3f, bisection %.3f", meshes[i].mesh, meshes[i].map, ours, bisection);
        if (in_this_build("metis")) {
            tess_partition *metis = partition_of(f.problem, "metis");
            const cost sum = cost_of(f.problem, metis->block_of);
            if (ours < 0.985 * reuse(&sum))
                fail_msg("%s %s: %.3f, METIS %.3f", meshes[i].mesh, meshes[i].map, ours,
                         reuse(&sum));
            tess_partition_free(metis);
        }
        small_problem_free(&f);
    }
}

/* 45 degree squares of edges among quads, bricks of hexes. */
static void shapes_are_near_the_ideal(void **state) {
    (void)state;
    small_problem quads = quads_problem(125, 100, 128);
    assert_true(reuse_by(quads.problem, "mosaic") > 0.98 * 4 / pow(1 + pow(128, -0.5), 2));
    small_problem_free(&quads);
    small_problem hexes = mesh_problem("hexes:nx=24:ny=24:nz=24", "cells:nodes", 64);
    assert_true(reuse_by(hexes.problem, "mosaic") > 0.92 * 512 / (5 * 5 * 5));
    small_problem_free(&hexes);
}

static void shuffled_numbers_cost_no_reuse(void **state) {
    (void)state;
    small_problem f = mesh_problem("quads:nx=60:ny=60", "edges:cells", 64);
    small_problem g = mesh_problem("quads:nx=60:ny=60:shuffle=5", "edges:cells", 64);
    for (int level = 0; level < 2; level++) {
        const double plain = reuse_by(f.problem, levels[level]);
        assert_true(fabs(plain - reuse_by(g.problem, levels[level])) < 0.02 * plain);
    }
    small_problem_free(&f);
    small_problem_free(&g);
}

static void a_seed_decides_the_blocks(void **state) {
    (void)state;
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

/* As many elements as make loops run on several threads. */
static void threads_change_nothing(void **state) {
    (void)state;
    static const struct {
        const char *mesh, *map, *spec;
    } cases[] = {{"quads:nx=165:ny=155", "edges:cells", "mosaic"},
                 {"quads:nx=165:ny=155", "edges:cells", "mosaic:colours=3"},
                 {"irregular:nx=160:ny=160", "cells:nodes", "mosaic:level=quick"},
                 {"irregular:nx=160:ny=160", "cells:nodes", "mosaic:max_points=30"},
                 {"tets:nx=17:ny=17:nz=17:shuffle=3", "faces:cells", "mosaic:cut=halves"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        small_problem f = mesh_problem(cases[i].mesh, cases[i].map, 64);
        assert_true(f.problem->n_elements > 50000);
        assert_same_on_threads(f.problem, cases[i].spec);
        small_problem_free(&f);
    }
}

/* Many components, some of one element; more of them than fit any slab. */
static void islands_and_a_point_of_all_are_cut(void **state) {
    (void)state;
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
    (void)state;
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
    (void)state;
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
    (void)state;
    small_problem f = mesh_problem("tets:nx=6", "cells:nodes", 32);
    tess_partition_problem *inverse = NULL;
    OK(tess_partition_problem_build_inverse(f.bound, tess_mesh_find_set(f.mesh, "nodes"), 32, 0,
                                            &inverse));
    const cost sum = cost_by(inverse, "mosaic"), natural = cost_by(inverse, "natural");
    assert_full(inverse, &sum, "mosaic");
    assert_true((double)sum.points < 0.9 * (double)natural.points);
    tess_partition_problem_free(inverse);
    small_problem_free(&f);
}

/* On quads the fewest edges are those of squares, the fewest cells around those of diamonds. */
static void what_is_read_shapes_blocks_that_own_points(void **state) {
    (void)state;
    const tess_arg args[] = {{.dat = "q",
                              .set = "cells",
                              .map = "edges:cells",
                              .slot = -1,
                              .dim = 5,
                              .type = TESS_DOUBLE,
                              .access = TESS_READ},
                             {.dat = "r",
                              .set = "cells",
                              .map = "edges:cells",
                              .slot = -1,
                              .dim = 4,
                              .type = TESS_DOUBLE,
                              .access = TESS_INC}};
    small_problem f = {0};
    OK(tess_mesh_open("quads:nx=70:ny=50", &f.mesh));
    OK(tess_mesh_derive(f.mesh, "edges:cells"));
    OK(tess_loop_new("flux", "edges", &f.loop));
    for (int a = 0; a < 2; a++)
        OK(tess_loop_add_arg(f.loop, &args[a]));
    OK(tess_loop_bind(f.loop, f.mesh, &f.bound));
    const int cells = tess_mesh_find_set(f.mesh, "cells");
    OK(tess_partition_problem_build_inverse(f.bound, cells, 128, 0, &f.problem));
    int32_t *unaware = blocks_by(f.problem, "mosaic");
    OK(tess_partition_problem_add_reads(f.bound, f.problem));
    int32_t *aware = blocks_by(f.problem, "mosaic");
    tess_partition_problem reads = *f.problem;
    reads.maps = f.problem->reads;
    reads.n_maps = 1;
    assert_true(cost_of(&reads, aware).weight < 0.98 * cost_of(&reads, unaware).weight);
    assert_true(cost_of(f.problem, unaware).weight < cost_of(f.problem, aware).weight);
    free(unaware);
    free(aware);
    small_problem_free(&f);
}

static double count_cut_pairs(const tess_map *map, const tess_partition_problem *problem,
                              const char *text) {
    int32_t *block_of = blocks_by(problem, text);
    int64_t n = 0;
    for (int64_t k = 0; k < problem->n_elements * map->arity; k++)
        n += map->index[k] >= 0 && block_of[map->index[k]] != block_of[k / map->arity];
    free(block_of);
    return (double)n;
}

/* What counts for a loop over cells that reads those around are the pairs of cells in two blocks,
 * and not the cells that are read. */
static void blocks_of_loops_that_gather_cut_few_pairs(void **state) {
    (void)state;
    const tess_arg args[] = {{.dat = "x",
                              .set = "cells",
                              .map = "cells:cells",
                              .slot = -1,
                              .dim = 1,
                              .type = TESS_DOUBLE,
                              .access = TESS_READ},
                             {.dat = "y",
                              .set = "cells",
                              .map = "",
                              .slot = 0,
                              .dim = 1,
                              .type = TESS_DOUBLE,
                              .access = TESS_WRITE}};
    small_problem f = {0};
    OK(tess_mesh_open("tets:nx=8:shuffle=1", &f.mesh));
    OK(tess_mesh_derive(f.mesh, "cells:cells"));
    OK(tess_loop_new("gather", "cells", &f.loop));
    for (int a = 0; a < 2; a++)
        OK(tess_loop_add_arg(f.loop, &args[a]));
    OK(tess_loop_bind(f.loop, f.mesh, &f.bound));
    OK(tess_partition_problem_build(f.bound, TESS_POINTS_ALL, 64, 0, &f.problem));
    const tess_map *map = tess_mesh_find_map(f.mesh, "cells:cells");
    const double pairs = count_cut_pairs(map, f.problem, "mosaic");
    assert_true(pairs < 0.92 * count_cut_pairs(map, f.problem, "rcb"));
    tess_incidence others = f.problem->maps[0];
    tess_partition_problem of_points = *f.problem;
    assert_true(others.points_are_elements);
    others.points_are_elements = false;
    of_points.maps = &others;
    assert_true(pairs < 0.9 * count_cut_pairs(map, &of_points, "mosaic"));
    small_problem_free(&f);
}

static void the_shape_trades_reuse_for_colours(void **state) {
    (void)state;
    small_problem problems[] = {quads_problem(60, 50, 64),
                                mesh_problem("tets:nx=8:shuffle=3", "faces:cells", 64)};
    for (int i = 0; i < 2; i++) {
        cost before = {0}, first = {0};
        for (int step = 0; step <= 8; step++) {
            char text[64];
            snprintf(text, sizeof text, "mosaic:shape=%g", step / 8.0);
            const cost sum = cost_by(problems[i].problem, text);
            assert_full(problems[i].problem, &sum, text);
            assert_true(step == 0 || reuse(&sum) >= reuse(&before));
            assert_true(sum.colours >= before.colours);
            first = step == 0 ? sum : first;
            before = sum;
        }
        assert_true(reuse(&before) > 1.2 * reuse(&first));
        small_problem_free(&problems[i]);
    }
}

/* Targets that can be had are met, and no more than is asked for is paid; what cannot is told. */
static void targets_are_met_or_told(void **state) {
    (void)state;
    small_problem f = quads_problem(120, 100, 32);
    double before = 0;
    for (int i = 0; i < 4; i++) {
        char text[64];
        const double wanted = 2 + 0.2 * i;
        snprintf(text, sizeof text, "mosaic:reuse=%g", wanted);
        const cost sum = cost_by(f.problem, text);
        assert_true(reuse(&sum) >= wanted && reuse(&sum) < wanted + 0.1);
        assert_true(sum.colours >= before);
        before = sum.colours;
    }
    for (int colours = 3; colours <= 4; colours++) {
        char text[64];
        snprintf(text, sizeof text, "mosaic:colours=%d", colours);
        const cost sum = cost_by(f.problem, text), pencils = cost_by(f.problem, "mosaic:shape=0");
        assert_true(sum.colours <= colours && reuse(&sum) > reuse(&pencils));
    }
    const char *const specs[] = {"mosaic:reuse=2.5", "mosaic:reuse=3.9", "mosaic:colours=3",
                                 "mosaic:colours=1", "mosaic"};
    const char *const told[] = {"", "mosaic: reuse=3.9 is not met", "",
                                "mosaic: colours=1 is not met", ""};
    for (int i = 0; i < 5; i++) {
        tess_partition *partition = partition_of(f.problem, specs[i]);
        assert_memory_equal(partition->remark, told[i], strlen(told[i]));
        assert_true((partition->remark[0] == '\0') == (told[i][0] == '\0'));
        tess_partition_free(partition);
    }
    small_problem_free(&f);
}

static void no_block_has_more_than_max_points(void **state) {
    (void)state;
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
    (void)state;
    small_problem f = quads_problem(10, 10, 16);
    assert_refused(f.problem, "mosaic:shape=0.5:colours=3", TESS_ERROR_USAGE, "shape");
    assert_refused(f.problem, "mosaic:level=quick:effort=1", TESS_ERROR_USAGE, "level");
    assert_refused(f.problem, "mosaic:level=best", TESS_ERROR_USAGE, "quick");
    small_problem_free(&f);
}

/* Records of earlier versions name efforts. */
static void efforts_of_old_records_are_levels(void **state) {
    (void)state;
    small_problem f = mesh_at(0);
    const size_t bytes = (size_t)f.problem->n_elements * sizeof(int32_t);
    for (int effort = 0; effort <= 6; effort++) {
        char text[64];
        snprintf(text, sizeof text, "mosaic:effort=%d", effort);
        int32_t *old = blocks_by(f.problem, text);
        int32_t *new = blocks_by(f.problem, levels[effort < 2 ? 0 : effort < 4 ? 1 : 2]);
        assert_memory_equal(old, new, bytes);
        free(old);
        free(new);
    }
    small_problem_free(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_full_but_the_last),
        cmocka_unit_test(levels_are_in_order),
        cmocka_unit_test(the_default_is_as_good_as_others),
        cmocka_unit_test(shapes_are_near_the_ideal),
        cmocka_unit_test(shuffled_numbers_cost_no_reuse),
        cmocka_unit_test(a_seed_decides_the_blocks),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(islands_and_a_point_of_all_are_cut),
        cmocka_unit_test(degenerate_problems_are_cut),
        cmocka_unit_test(coordinates_are_not_needed),
        cmocka_unit_test(to_sets_are_cut_too),
        cmocka_unit_test(what_is_read_shapes_blocks_that_own_points),
        cmocka_unit_test(blocks_of_loops_that_gather_cut_few_pairs),
        cmocka_unit_test(the_shape_trades_reuse_for_colours),
        cmocka_unit_test(targets_are_met_or_told),
        cmocka_unit_test(no_block_has_more_than_max_points),
        cmocka_unit_test(options_that_exclude_each_other_are_refused),
        cmocka_unit_test(efforts_of_old_records_are_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
