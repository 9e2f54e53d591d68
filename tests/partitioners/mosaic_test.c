/* Mosaic: exact blocks, shapes, targets, caps, threads. */
#include "partitioners/mosaic/pins.h"
#include "partitioners/refine.h"
#include "tests/partitioners/mosaic_case.h"
#include "tests/partitioners/partition_of.h"

#include <math.h>
#include <stdio.h>

static const int32_t block_sizes[] = {1, 2, 3, 5, 32, 64, 128};
enum { N_BLOCK_SIZES = sizeof block_sizes / sizeof block_sizes[0] };

static void blocks_are_exactly_full_but_the_last(void **state) {
    (void)state;
    const char *const specs[] = {
        "mosaic",           "mosaic:max_points=1000000", "mosaic:cut=halves", "mosaic:cut=slabs",
        "mosaic:shape=0.4", "mosaic:colours=2",          "mosaic:reuse=2",    "mosaic:level=quick"};
    uint64_t seed = 11;
    for (int trial = 0; trial < 120; trial++) {
        small_problem f = random_problem(&seed, block_sizes[trial % N_BLOCK_SIZES]);
        const int64_t n = f.problem->n_elements, size = f.problem->block_size;
        for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
            const cost sum = cost_by(f.problem, specs[i]);
            assert_int_equal(sum.n_blocks, (n + size - 1) / size);
            assert_true(sum.largest <= size);
            assert_true(sum.n_full >= sum.n_blocks - 1);
        }
        small_problem_free(&f);
    }
}

static void to_sets_are_cut_too(void **state) {
    (void)state;
    small_problem f = mesh_problem("tets:nx=6", "cells:nodes", 32);
    tess_partition_problem *inverse = NULL;
    const int nodes = tess_mesh_find_set(f.mesh, "nodes");
    OK(tess_partition_problem_build_inverse(f.bound, nodes, 32, 0, &inverse));
    const cost sum = cost_by(inverse, "mosaic"), natural = cost_by(inverse, "mosaic:effort=0");
    assert_int_equal(sum.n_blocks, (inverse->n_elements + 31) / 32);
    assert_true(sum.points <= natural.points);
    tess_partition_problem_free(inverse);
    small_problem_free(&f);
}

/* The weight of the distinct points of some maps in all blocks. */
static double weight_of_points(const tess_partition_problem *problem, const tess_incidence *maps,
                               int n_maps, const int32_t *block_of) {
    double sum = 0;
    for (int m = 0; m < n_maps; m++) {
        const int64_t n_blocks =
            (problem->n_elements + problem->block_size - 1) / problem->block_size;
        bool *has = NULL;
        OK(TESS_ZEROS(n_blocks * maps[m].n_points, &has));
        for (int64_t e = 0; e < problem->n_elements; e++) {
            int64_t n = 0;
            const int32_t *row = tess_incidence_row(&maps[m], e, &n);
            for (int64_t i = 0; i < n; i++)
                has[block_of[e] * maps[m].n_points + row[i]] = true;
        }
        for (int64_t i = 0; i < n_blocks * maps[m].n_points; i++)
            sum += has[i] ? maps[m].weight : 0;
        free(has);
    }
    return sum;
}

/* On quads the fewest edges are those of squares, the fewest cells around those of diamonds. */
static void what_is_read_shapes_blocks_that_own_points(void **state) {
    (void)state;
    tess_mesh *mesh = NULL;
    tess_loop *loop = NULL;
    tess_bound_loop *bound = NULL;
    tess_partition_problem *problem = NULL;
    const tess_arg args[] = {{"q", "cells", "edges:cells", -1, 5, TESS_DOUBLE, TESS_READ},
                             {"r", "cells", "edges:cells", -1, 4, TESS_DOUBLE, TESS_INC}};
    OK(tess_mesh_open("quads:nx=70:ny=50", &mesh));
    OK(tess_mesh_derive(mesh, "edges:cells"));
    OK(tess_loop_new("flux", "edges", &loop));
    OK(tess_loop_add_arg(loop, &args[0]));
    OK(tess_loop_add_arg(loop, &args[1]));
    OK(tess_loop_bind(loop, mesh, &bound));
    OK(tess_partition_problem_build_inverse(bound, tess_mesh_find_set(mesh, "cells"), 128, 0,
                                            &problem));
    int32_t *unaware = blocks_by(problem, "mosaic");
    OK(tess_partition_problem_add_reads(bound, problem));
    int32_t *aware = blocks_by(problem, "mosaic");
    assert_true(weight_of_points(problem, problem->reads, 1, aware) <
                0.98 * weight_of_points(problem, problem->reads, 1, unaware));
    assert_true(weight_of_points(problem, problem->maps, 1, unaware) <
                weight_of_points(problem, problem->maps, 1, aware));
    free(unaware);
    free(aware);
    tess_partition_problem_free(problem);
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
    tess_mesh_free(mesh);
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
        const cost sum = cost_by(&problem, "mosaic");
        assert_int_equal(sum.n_blocks, (N + block_sizes[b] - 1) / block_sizes[b]);
        assert_true(reuse(&sum) > 1.5);
    }
    free(index);
}

static void few_elements_are_one_block(void **state) {
    (void)state;
    const int32_t points[] = {0, 1, -1, -1, 1, 0};
    tess_incidence map = {.index = points, .arity = 2, .n_points = 2, .weight = 8};
    for (int n = 1; n <= 3; n++) {
        const tess_partition_problem problem = {
            .n_elements = n, .n_maps = 1, .maps = &map, .block_size = 128};
        const cost sum = cost_by(&problem, "mosaic");
        assert_int_equal(sum.n_blocks, 1);
        tess_partition_problem vast = problem; /* must not allocate for all that would fit */
        vast.block_size = INT32_MAX;
        int32_t *block_of = blocks_by(&vast, "mosaic");
        OK(tess_refine(&vast, block_of, 1));
        assert_int_equal(block_of[n - 1], 0);
        free(block_of);
    }
}

/* 45 degree squares for edges of quads, bricks for nodes of hexes: near what is known to be best.
 */
static void shapes_are_near_the_ideal(void **state) {
    (void)state;
    small_problem quads = quads_problem(250, 200, 128);
    const cost squares = cost_by(quads.problem, "mosaic");
    assert_true(reuse(&squares) > 0.99 * 4 / pow(1 + pow(128, -0.5), 2));
    small_problem_free(&quads);
    small_problem hexes = mesh_problem("hexes:nx=32:ny=32:nz=32", "cells:nodes", 128);
    const cost bricks = cost_by(hexes.problem, "mosaic");
    assert_true(reuse(&bricks) > 0.98 * 1024 / (5 * 5 * 9));
    small_problem_free(&hexes);
}

/* Earlier versions counted efforts from 0 to 6. */
static void efforts_are_read_as_levels(void **state) {
    (void)state;
    static const char *const same[][2] = {{"mosaic:effort=1", "mosaic:level=quick"},
                                          {"mosaic:effort=2", "mosaic"},
                                          {"mosaic:effort=3", "mosaic:level=default"},
                                          {"mosaic:effort=6", "mosaic:level=long"}};
    small_problem f = mesh_problem("irregular:nx=30:ny=30", "cells:nodes", 32);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        int32_t *effort = blocks_by(f.problem, same[i][0]),
                *level = blocks_by(f.problem, same[i][1]);
        assert_memory_equal(effort, level, (size_t)f.problem->n_elements * sizeof *effort);
        free(effort);
        free(level);
    }
    assert_refused(f.problem, "mosaic:effort=1:level=quick", TESS_ERROR_USAGE, "give one");
    small_problem_free(&f);
}

/* More time is worth it: in the mean, not on each mesh. */
static void levels_are_in_order(void **state) {
    (void)state;
    static const char *const meshes[] = {"irregular:nx=50:ny=50", "tets:nx=9", "quads:nx=70:ny=60"};
    double quick = 0, usual = 0, longest = 0;
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++) {
        small_problem f = mesh_problem(meshes[i], "cells:nodes", 64);
        const cost sums[] = {cost_by(f.problem, "mosaic:level=quick"), cost_by(f.problem, "mosaic"),
                             cost_by(f.problem, "mosaic:level=long")};
        quick += reuse(sums);
        usual += reuse(sums + 1);
        longest += reuse(sums + 2);
        small_problem_free(&f);
    }
    assert_true(quick < usual && usual < longest);
}

/* Coordinates only offer one more cut: whatever they hold, slabs are tried, too. */
static void coordinates_do_no_harm(void **state) {
    (void)state;
    small_problem f = mesh_problem("irregular:nx=60:ny=60", "cells:nodes", 32);
    const double *const given = f.problem->coordinates;
    const int64_t n_values = f.problem->n_elements * f.problem->dimension;
    double *changed = NULL;
    uint64_t seed = 5;
    OK(TESS_ALLOC(n_values, &changed));
    for (int64_t i = 0; i < n_values; i++)
        changed[i] = i % 100 == 0   ? (double)NAN
                     : i % 100 == 1 ? (double)INFINITY
                                    : (double)random_below(&seed, 1000);
    f.problem->coordinates = changed;
    const cost noise = cost_by(f.problem, "mosaic");
    f.problem->coordinates = given;
    const cost slabs = cost_by(f.problem, "mosaic:cut=slabs");
    assert_true(noise.points <= slabs.points);
    free(changed);
    small_problem_free(&f);
}

static void shuffled_numbers_cost_no_reuse(void **state) {
    (void)state;
    small_problem f = mesh_problem("quads:nx=120:ny=120", "edges:cells", 128);
    small_problem g = mesh_problem("quads:nx=120:ny=120:shuffle=5", "edges:cells", 128);
    const cost plain = cost_by(f.problem, "mosaic"), shuffled = cost_by(g.problem, "mosaic");
    assert_true(fabs(reuse(&plain) - reuse(&shuffled)) < 0.01 * reuse(&plain));
    small_problem_free(&f);
    small_problem_free(&g);
}

/* A ring has no end: its blocks must not consist of two arcs. */
static void periodic_meshes_are_cut_as_well(void **state) {
    (void)state;
    small_problem f = mesh_problem("quads:nx=300:ny=40:periodic=x", "edges:cells", 128);
    const cost sum = cost_by(f.problem, "mosaic");
    assert_true(reuse(&sum) > 0.96 * 4 / pow(1 + pow(128, -0.5), 2));
    small_problem_free(&f);
}

static void assert_monotone(const tess_partition_problem *problem, double least, double most) {
    double before = 0, colours = 0;
    for (int i = 0; i <= 8; i++) {
        char text[64];
        snprintf(text, sizeof text, "mosaic:shape=%g", i / 8.0);
        const cost sum = cost_by(problem, text);
        assert_true(reuse(&sum) >= before);
        assert_true(sum.colours >= colours);
        assert_int_equal(sum.n_full, problem->n_elements / problem->block_size);
        assert_true(i > 0 || reuse(&sum) < least);
        before = reuse(&sum);
        colours = sum.colours;
    }
    assert_true(before > most);
}

static void the_knob_is_monotone(void **state) {
    (void)state;
    small_problem quads = quads_problem(120, 100, 64);
    assert_monotone(quads.problem, 2.1, 3.1);
    small_problem_free(&quads);
    small_problem tets = mesh_problem("tets:nx=10:shuffle=3", "faces:cells", 64);
    assert_monotone(tets.problem, 2.2, 2.6);
    small_problem_free(&tets);
}

static void targets_are_met(void **state) {
    (void)state;
    small_problem f = quads_problem(120, 100, 32);
    const double least_reuse[] = {1.9, 2.1, 2.7};
    for (int i = 0; i < 3; i++) {
        char text[64];
        snprintf(text, sizeof text, "mosaic:colours=%d", i + 2);
        const cost sum = cost_by(f.problem, text);
        assert_true(sum.colours <= (i ? i + 2 : 2.2)); /* there are corners */
        assert_true(reuse(&sum) > least_reuse[i]);
    }
    double before = 0;
    for (int i = 0; i < 4; i++) {
        char text[64];
        const double wanted = 2 + 0.2 * i;
        snprintf(text, sizeof text, "mosaic:reuse=%g", wanted);
        const cost sum = cost_by(f.problem, text);
        assert_true(reuse(&sum) >= wanted);
        assert_true(reuse(&sum) < wanted + 0.1);
        assert_true(sum.colours >= before);
        before = sum.colours;
    }
    small_problem_free(&f);
}

/* What cannot be had is said, what is had is not. */
static void unmet_targets_are_told(void **state) {
    (void)state;
    small_problem f = quads_problem(60, 50, 32);
    const char *const specs[] = {"mosaic:reuse=2.5", "mosaic:reuse=3.9", "mosaic:colours=3",
                                 "mosaic:colours=1", "mosaic"};
    const char *const told[] = {"", "mosaic: reuse=3.9 is not met", "",
                                "mosaic: colours=1 is not met", ""};
    for (int i = 0; i < 5; i++) {
        const tess_partitioner *mosaic = NULL;
        tess_partition *partition = NULL;
        tess_spec *spec = NULL;
        double seconds = 0;
        int n = 0;
        OK(tess_partitioner_find("mosaic", &mosaic));
        OK(tess_spec_list_parse(specs[i], &spec, &n));
        OK(tess_partitioner_run(mosaic, f.problem, spec, TESS_REPAIR_SPLIT, &seconds, &partition));
        assert_memory_equal(partition->remark, told[i], strlen(told[i]));
        assert_true((partition->remark[0] == '\0') == (told[i][0] == '\0'));
        tess_partition_free(partition);
        tess_spec_list_free(spec, n);
    }
    small_problem_free(&f);
}

static void caps_hold(void **state) {
    (void)state;
    small_problem f = mesh_problem("tets:nx=12", "cells:nodes", 128);
    const cost any = cost_by(f.problem, "mosaic");
    for (int cap = 20; cap <= 60; cap += 20) {
        char text[64];
        snprintf(text, sizeof text, "mosaic:max_points=%d", cap);
        const cost sum = cost_by(f.problem, text);
        assert_true(sum.most_points <= cap);
        assert_true(sum.largest <= 128);
        assert_true(sum.most_points > cap / 2);
    }
    assert_true(any.most_points > 40);
    int32_t *block_of = NULL;
    const tess_partitioner *mosaic = NULL;
    tess_spec *spec = NULL;
    int n = 0;
    OK(TESS_ALLOC(f.problem->n_elements, &block_of));
    OK(tess_partitioner_find("mosaic", &mosaic));
    OK(tess_spec_list_parse("mosaic:max_points=3", &spec, &n));
    assert_int_equal(mosaic->partition(f.problem, spec, block_of), TESS_ERROR_INPUT);
    tess_spec_list_free(spec, n);
    OK(tess_spec_list_parse("mosaic:shape=0.5:colours=3", &spec, &n));
    assert_int_equal(mosaic->partition(f.problem, spec, block_of), TESS_ERROR_USAGE);
    tess_spec_list_free(spec, n);
    free(block_of);
    small_problem_free(&f);
}

static void threads_change_nothing(void **state) {
    (void)state;
    small_problem quads = quads_problem(165, 155, 64);
    small_problem tets = mesh_problem("tets:nx=13:shuffle=3", "faces:cells", 32);
    small_problem cells = mesh_problem("irregular:nx=160:ny=160", "cells:nodes", 64);
    assert_true(quads.problem->n_elements > MOSAIC_SERIAL);
    assert_true(cells.problem->n_elements > MOSAIC_SERIAL);
    assert_same_on_threads(quads.problem, "mosaic:effort=4");
    assert_same_on_threads(quads.problem, "mosaic:colours=3");
    assert_same_on_threads(tets.problem, "mosaic:cut=halves");
    assert_same_on_threads(cells.problem, "mosaic");
    small_problem_free(&quads);
    small_problem_free(&tets);
    small_problem_free(&cells);
}

static void seeds_give_other_blocks(void **state) {
    (void)state;
    small_problem f = quads_problem(60, 50, 64);
    const size_t bytes = (size_t)f.problem->n_elements * sizeof(int32_t);
    int32_t *a = blocks_by(f.problem, "mosaic:seed=3"),
            *b = blocks_by(f.problem, "mosaic:seed=301");
    int32_t *again = blocks_by(f.problem, "mosaic:seed=3");
    assert_memory_equal(a, again, bytes);
    assert_memory_not_equal(a, b, bytes);
    free(a);
    free(b);
    free(again);
    small_problem_free(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_exactly_full_but_the_last),
        cmocka_unit_test(to_sets_are_cut_too),
        cmocka_unit_test(what_is_read_shapes_blocks_that_own_points),
        cmocka_unit_test(islands_and_a_point_of_all_are_cut),
        cmocka_unit_test(few_elements_are_one_block),
        cmocka_unit_test(shapes_are_near_the_ideal),
        cmocka_unit_test(efforts_are_read_as_levels),
        cmocka_unit_test(levels_are_in_order),
        cmocka_unit_test(coordinates_do_no_harm),
        cmocka_unit_test(shuffled_numbers_cost_no_reuse),
        cmocka_unit_test(periodic_meshes_are_cut_as_well),
        cmocka_unit_test(the_knob_is_monotone),
        cmocka_unit_test(targets_are_met),
        cmocka_unit_test(unmet_targets_are_told),
        cmocka_unit_test(caps_hold),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(seeds_give_other_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
