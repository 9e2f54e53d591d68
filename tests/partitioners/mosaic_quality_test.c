/* Mosaic's blocks: how good they are beside those of others, of a higher level and of other
 * options. The code that this runs is sanitized by mosaic_test, on less. */
#include "tests/partitioners/mosaic_meshes.h"
#include "tests/partitioners/partition_of.h"

#include <math.h>

/* A higher level is no worse, but for what chance does; no level is worse than the numbering of a
 * mesh, or above what the points of the mesh allow. */
static void levels_are_in_order(void **state) {
    for (int i = 0; i < N_MESHES; i++) {
        small_problem f = mesh_at(i);
        int64_t before = INT64_MAX;
        const double in_order = reuse_by(f.problem, "file-order");
        for (int level = 0; level < (i % 3 ? 2 : N_LEVELS); level++) { /* the long one takes long */
            const cost sum = cost_by(f.problem, levels[level]);
            assert_full(f.problem, &sum, levels[level]);
            if ((double)sum.points > 1.005 * (double)before || reuse(&sum) < in_order ||
                sum.points < f.problem->maps->n_points)
                fail_msg("%s %s, %s: %lld points, %lld at the level before, reuse %.3f (file-order "
                         "%.3f)",
                         meshes[i].mesh, meshes[i].map, levels[level], (long long)sum.points,
                         (long long)before, reuse(&sum), in_order);
            before = sum.points;
        }
        small_problem_free(&f);
    }
}

/* Bisection by coordinates is a start of the default, so the default is no worse; where it is not
 * near the best, annealing saves much. METIS's blocks are out of reach by no more than 1.5 %. */
static void the_default_is_as_good_as_others(void **state) {
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
    small_problem quads = quads_problem(125, 100, 128);
    assert_true(reuse_by(quads.problem, "mosaic") > 0.98 * 4 / pow(1 + pow(128, -0.5), 2));
    small_problem_free(&quads);
    small_problem hexes = mesh_problem("hexes:nx=24:ny=24:nz=24", "cells:nodes", 64);
    assert_true(reuse_by(hexes.problem, "mosaic") > 0.92 * 512 / (5 * 5 * 5));
    small_problem_free(&hexes);
}

static void shuffled_numbers_cost_no_reuse(void **state) {
    small_problem f = mesh_problem("quads:nx=60:ny=60", "edges:cells", 64);
    small_problem g = mesh_problem("quads:nx=60:ny=60:shuffle=5", "edges:cells", 64);
    for (int level = 0; level < 2; level++) {
        const double plain = reuse_by(f.problem, levels[level]);
        assert_true(fabs(plain - reuse_by(g.problem, levels[level])) < 0.02 * plain);
    }
    small_problem_free(&f);
    small_problem_free(&g);
}

/* As many elements as make loops run on several threads. */
static void threads_change_nothing(void **state) {
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

/* On quads the fewest edges are those of squares, the fewest cells around those of diamonds. */
static void what_is_read_shapes_blocks_that_own_points(void **state) {
    small_problem f = {0};
    OK(tess_mesh_open("quads:nx=70:ny=50", &f.mesh));
    OK(tess_mesh_derive(f.mesh, "edges:cells"));
    OK(tess_loop_new("flux", "edges", &f.loop));
    add_arg(f.loop, "q", "edges:cells", -1, 5, TESS_READ);
    add_arg(f.loop, "r", "edges:cells", -1, 4, TESS_INC);
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
    small_problem f = {0};
    OK(tess_mesh_open("tets:nx=8:shuffle=1", &f.mesh));
    OK(tess_mesh_derive(f.mesh, "cells:cells"));
    OK(tess_loop_new("gather", "cells", &f.loop));
    add_arg(f.loop, "x", "cells:cells", -1, 1, TESS_READ);
    add_arg(f.loop, "y", "", 0, 1, TESS_WRITE);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_are_in_order),
        cmocka_unit_test(the_default_is_as_good_as_others),
        cmocka_unit_test(shapes_are_near_the_ideal),
        cmocka_unit_test(shuffled_numbers_cost_no_reuse),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(what_is_read_shapes_blocks_that_own_points),
        cmocka_unit_test(blocks_of_loops_that_gather_cut_few_pairs),
        cmocka_unit_test(the_shape_trades_reuse_for_colours),
        cmocka_unit_test(targets_are_met_or_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
