/* Loops that reach their own set and increment nothing: their graph, order, plan and metrics. */
#include "core/plan/graph.h"
#include "core/plan/metrics.h"
#include "core/plan/order/renumber.h"
#include "core/plan/plan_check.h"
#include "tests/core/small_plan.h"
#include "tests/core/small_problem.h"

#include <math.h>
#include <omp.h>

enum { MOST_SLOTS = 5 };

/* A random map from `elements` to themselves, directed and padded, with repetitions. */
static tess_mesh *random_self_mesh(uint64_t *seed) {
    tess_mesh *mesh = NULL;
    OK(tess_mesh_new("random", 2, &mesh));
    const int n = 1 + random_below(seed, 70), arity = 1 + random_below(seed, MOST_SLOTS);
    OK(tess_mesh_add_set(mesh, "elements", n, NULL));
    int32_t *index = NULL;
    OK(TESS_ALLOC(n * arity, &index));
    for (int e = 0; e < n; e++) {
        const int used = random_below(seed, arity + 1);
        for (int s = 0; s < arity; s++)
            index[e * arity + s] = s < used ? random_below(seed, n) : -1;
    }
    OK(tess_mesh_add_map(mesh, "elements", "elements", arity, TESS_MAP_PADDED, index));
    return mesh;
}

/* The plan of a loop that reads (or increments) through such a map, in random blocks. */
static small_plan self_plan(uint64_t *seed, tess_access access) {
    small_plan made = {.mesh = random_self_mesh(seed)};
    OK(tess_loop_new("self", "elements", &made.loop));
    add_arg(made.loop, "x", "elements:elements", -1, 1, access);
    add_arg(made.loop, "y", "", 0, 1, TESS_WRITE);
    OK(tess_loop_bind(made.loop, made.mesh, &made.bound));
    made.partition = random_partition(seed, made.bound->n_elements, 1 + random_below(seed, 16));
    OK(tess_plan_build(made.bound, &made.partition, NULL, &made.plan));
    OK(tess_plan_check(made.bound, made.partition.block_of, made.plan));
    return made;
}

/* How many of two elements reach the other. */
static int reach_each_other(const tess_map *map, int e, int f) {
    bool there = false, back = false;
    for (int s = 0; s < map->arity; s++) {
        there |= map->index[e * map->arity + s] == f;
        back |= map->index[f * map->arity + s] == e;
    }
    return there + back;
}

static void their_graph_is_that_of_the_map(void **state) {
    uint64_t seed = 5;
    for (int trial = 0; trial < 60; trial++) {
        omp_set_num_threads(1 << trial % 3);
        small_plan made = self_plan(&seed, TESS_READ);
        tess_partition_problem *problem = NULL;
        tess_rows *graph = NULL, *points = NULL;
        int32_t *weight = NULL;
        OK(tess_partition_problem_build(made.bound, TESS_POINTS_INCREMENTS, 8, 0, &problem));
        assert_true(problem->maps[0].points_are_elements);
        assert_int_equal(problem->maps[0].arity, made.mesh->maps[0].arity + 1);
        OK(tess_graph_build(problem, &weight, &graph));
        OK(tess_graph_build_points(problem, &points));
        for (int e = 0; e < graph->n; e++) {
            int64_t at = graph->offset[e], n = 0;
            const int32_t *row = tess_incidence_row(&problem->maps[0], e, &n);
            assert_int_equal(row[n - 1], e);
            for (int f = 0; f < graph->n; f++) {
                const int wanted = e == f ? 0 : reach_each_other(&made.mesh->maps[0], e, f);
                if (!wanted)
                    continue;
                assert_true(at < graph->offset[e + 1]);
                assert_int_equal(weight[at], wanted);
                assert_int_equal(points->item[at], f);
                assert_int_equal(graph->item[at++], f);
            }
            assert_int_equal(at, graph->offset[e + 1]);
        }
        free(weight);
        tess_rows_free(graph);
        tess_rows_free(points);
        tess_partition_problem_free(problem);
        small_plan_free(&made);
    }
}

static void own_elements_are_points_by_all_maps_or_where_nothing_is_incremented(void **state) {
    uint64_t seed = 11;
    small_plan made = self_plan(&seed, TESS_INC);
    tess_partition_problem *problem = NULL;
    OK(tess_partition_problem_build(made.bound, TESS_POINTS_INCREMENTS, 8, 0, &problem));
    assert_false(problem->maps[0].points_are_elements);
    tess_partition_problem_free(problem);
    OK(tess_partition_problem_build(made.bound, TESS_POINTS_ALL, 8, 0, &problem));
    assert_true(problem->maps[0].points_are_elements);
    tess_partition_problem_free(problem);
    assert_non_null(made.plan->thread_colour);
    small_plan_free(&made);
}

static void they_are_stored_as_they_are_executed(void **state) {
    uint64_t seed = 7;
    const tess_renumber_method methods[] = {TESS_RENUMBER_BLOCKS, TESS_RENUMBER_OWNER};
    for (int trial = 0; trial < 40; trial++) {
        small_plan made = self_plan(&seed, TESS_READ);
        tess_renumbering *renumbering = NULL;
        OK(tess_renumber_build(made.bound, made.plan, methods[trial % 2], false, &renumbering));
        OK(tess_renumbering_check(made.mesh, renumbering));
        assert_int_equal(renumbering->n_sets, 1);
        assert_memory_equal(renumbering->sets[0].new_to_old, made.plan->executed,
                            (size_t)made.plan->n_executed * sizeof *made.plan->executed);
        tess_renumbering_free(renumbering);
        small_plan_free(&made);
    }
}

static void what_a_block_has_but_does_not_read_is_no_reuse(void **state) {
    uint64_t seed = 12;
    for (int trial = 0; trial < 100; trial++) {
        small_plan made = self_plan(&seed, TESS_READ);
        tess_partition_problem *problem = NULL;
        OK(tess_partition_problem_build(made.bound, TESS_POINTS_ALL, 8, 0, &problem));
        assert_true(problem->maps[0].points_are_elements);
        assert_reuse_of_random_blocks(problem, &seed);
        tess_partition_problem_free(problem);
        small_plan_free(&made);
    }
}

static void they_have_no_colours(void **state) {
    uint64_t seed = 13;
    const char *const colours[] = {"block_colours", "thread_colours_mean", "thread_colours_max",
                                   "thread_colours_bound_mean"};
    small_plan made = self_plan(&seed, TESS_READ);
    tess_metrics *metrics = NULL;
    assert_null(made.plan->thread_colour);
    assert_null(made.plan->thread_colours);
    assert_null(made.plan->block_colour);
    OK(tess_metrics_of_plan(made.bound, made.plan, NULL, TESS_SOA, &metrics));
    for (size_t i = 0; i < sizeof colours / sizeof colours[0]; i++)
        assert_true(isnan(tess_metrics_get(metrics, colours[i])));
    tess_metrics_free(metrics);
    small_plan_free(&made);

    made = self_plan(&seed, TESS_INC);
    free(made.plan->thread_colour);
    made.plan->thread_colour = NULL;
    assert_int_equal(tess_plan_check(made.bound, made.partition.block_of, made.plan),
                     TESS_ERROR_CHECK);
    small_plan_free(&made);
}

static void cut_and_border_match_brute_force(void **state) {
    uint64_t seed = 17;
    for (int trial = 0; trial < 60; trial++) {
        omp_set_num_threads(1 << trial % 3);
        small_plan made = self_plan(&seed, trial % 2 ? TESS_READ : TESS_INC);
        const int n = (int)made.bound->n_elements;
        tess_metrics *metrics = NULL;
        int cut = 0, border = 0;
        for (int e = 0; e < n; e++) {
            int outside = 0;
            for (int f = 0; f < n; f++)
                outside += made.partition.block_of[e] != made.partition.block_of[f] &&
                           reach_each_other(&made.mesh->maps[0], e, f) > 0;
            cut += outside;
            border += outside > 0;
        }
        OK(tess_metrics_of_plan(made.bound, made.plan, NULL, TESS_SOA, &metrics));
        assert_true(tess_metrics_get(metrics, "cut") == cut / 2);
        assert_true(tess_metrics_get(metrics, "border") == (double)border / n);
        tess_metrics_free(metrics);
        small_plan_free(&made);
    }
}

/* Elements first ... end - 1 of a loop as a loop of their own: neighbours outside are in no block.
 */
static void of_a_part_those_within_count(void **state) {
    uint64_t seed = 23;
    for (int trial = 0; trial < 60; trial++) {
        small_plan made = self_plan(&seed, trial % 2 ? TESS_READ : TESS_INC);
        const tess_map *map = &made.mesh->maps[0];
        const int all = (int)made.bound->n_elements, first = random_below(&seed, all);
        const int n = 1 + random_below(&seed, all - first);
        tess_bound_loop *part = NULL;
        tess_plan *plan = NULL;
        tess_metrics *metrics = NULL;
        int cut = 0, border = 0;
        OK(tess_bound_loop_part(made.bound, first, first + n, &part));
        tess_partition blocks = random_partition(&seed, n, 1 + random_below(&seed, 16));
        OK(tess_plan_build(part, &blocks, NULL, &plan));
        for (int e = 0; e < n; e++) {
            int outside = 0;
            for (int f = 0; f < n; f++)
                outside += blocks.block_of[e] != blocks.block_of[f] &&
                           reach_each_other(map, first + e, first + f) > 0;
            cut += outside;
            border += outside > 0;
        }
        OK(tess_metrics_of_plan(part, plan, NULL, TESS_SOA, &metrics));
        assert_true(tess_metrics_get(metrics, "cut") == cut / 2);
        assert_true(tess_metrics_get(metrics, "border") == (double)border / n);
        tess_metrics_free(metrics);
        tess_plan_free(plan);
        free(blocks.block_of);
        tess_bound_loop_free(part);
        small_plan_free(&made);
    }
}

/* Four quads in a row, 0 - 1 - 2 - 3, in blocks of two: one pair of neighbours is cut, between
 * cells 1 and 2, and each block is one piece. */
static void a_row_of_cells_by_hand(void **state) {
    tess_mesh *mesh = quad_mesh(4, 1);
    const int32_t neighbours[] = {1, -1, 0, 2, 1, 3, 2, -1};
    int32_t *index = NULL;
    OK(TESS_ALLOC(8, &index));
    memcpy(index, neighbours, sizeof neighbours);
    OK(tess_mesh_add_map(mesh, "cells", "cells", 2, TESS_MAP_PADDED, index));
    small_plan made = {.mesh = mesh};
    OK(tess_loop_new("row", "cells", &made.loop));
    add_arg(made.loop, "x", "cells:cells", -1, 1, TESS_READ);
    OK(tess_loop_bind(made.loop, mesh, &made.bound));
    made.partition = natural_partition(4, 2);
    OK(tess_plan_build(made.bound, &made.partition, NULL, &made.plan));
    tess_metrics *metrics = NULL;
    OK(tess_metrics_of_plan(made.bound, made.plan, NULL, TESS_SOA, &metrics));
    assert_true(tess_metrics_get(metrics, "cut") == 1);
    assert_true(tess_metrics_get(metrics, "border") == 0.5);
    assert_true(tess_metrics_get(metrics, "components_mean") == 1);
    tess_metrics_free(metrics);

    /* cells 2 and 3 by themselves: one block, one piece, since they reach each other */
    tess_bound_loop *part = NULL;
    tess_plan *plan = NULL;
    tess_partition block = natural_partition(2, 2);
    OK(tess_bound_loop_part(made.bound, 2, 4, &part));
    OK(tess_plan_build(part, &block, NULL, &plan));
    OK(tess_metrics_of_plan(part, plan, NULL, TESS_SOA, &metrics));
    assert_true(tess_metrics_get(metrics, "cut") == 0);
    assert_true(tess_metrics_get(metrics, "components_mean") == 1);
    tess_metrics_free(metrics);
    tess_plan_free(plan);
    free(block.block_of);
    tess_bound_loop_free(part);
    small_plan_free(&made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(their_graph_is_that_of_the_map),
        cmocka_unit_test(own_elements_are_points_by_all_maps_or_where_nothing_is_incremented),
        cmocka_unit_test(they_are_stored_as_they_are_executed),
        cmocka_unit_test(what_a_block_has_but_does_not_read_is_no_reuse),
        cmocka_unit_test(they_have_no_colours),
        cmocka_unit_test(cut_and_border_match_brute_force),
        cmocka_unit_test(of_a_part_those_within_count),
        cmocka_unit_test(a_row_of_cells_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
