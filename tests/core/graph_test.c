/* Graphs: G_M and the graph of points against their definitions, on any number of threads. */
#include "core/plan/graph.h"
#include "tests/core/small_mesh.h"

#include <omp.h>

/* Points that elements e and f share through the maps of a problem. */
static int shared_points(const tess_partition_problem *problem, int e, int f) {
    int shared = 0;
    for (int m = 0; m < problem->n_maps; m++) {
        const tess_incidence *map = &problem->maps[m];
        for (int p = 0; p < map->n_points; p++) {
            bool in_e = false, in_f = false;
            for (int s = 0; s < map->arity; s++) {
                in_e |= map->index[e * map->arity + s] == p;
                in_f |= map->index[f * map->arity + s] == p;
            }
            shared += in_e && in_f;
        }
    }
    return shared;
}

static bool share_an_element(const tess_incidence *map, int64_t n_elements, int p, int q) {
    for (int e = 0; e < n_elements; e++) {
        bool has_p = false, has_q = false;
        for (int s = 0; s < map->arity; s++) {
            has_p |= map->index[e * map->arity + s] == p;
            has_q |= map->index[e * map->arity + s] == q;
        }
        if (has_p && has_q)
            return true;
    }
    return false;
}

static void graphs_match_their_definition(void **state) {
    uint64_t seed = 3;
    for (int trial = 0; trial < 60; trial++) {
        omp_set_num_threads(1 << trial % 3);
        tess_mesh *mesh = random_mesh(&seed, 1 + trial % 3);
        tess_loop *loop = random_loop(mesh, 0);
        tess_bound_loop *bound = NULL;
        tess_partition_problem *problem = NULL;
        tess_rows *graph = NULL, *points = NULL;
        int32_t *weight = NULL;
        OK(tess_loop_bind(loop, mesh, &bound));
        OK(tess_partition_problem_build(bound, TESS_POINTS_ALL, 8, 0, &problem));
        OK(tess_graph_build(problem, &weight, &graph));
        OK(tess_graph_build_points(problem, &points));
        assert_int_equal(graph->n, problem->n_elements);
        for (int e = 0; e < graph->n; e++) {
            int64_t at = graph->offset[e];
            for (int f = 0; f < graph->n; f++) {
                const int shared = f == e ? 0 : shared_points(problem, e, f);
                if (!shared)
                    continue;
                assert_true(at < graph->offset[e + 1]);
                assert_int_equal(graph->item[at], f);
                assert_int_equal(weight[at++], shared);
            }
            assert_int_equal(at, graph->offset[e + 1]);
        }
        assert_int_equal(points->n, problem->maps[0].n_points);
        for (int p = 0; p < points->n; p++) {
            int64_t at = points->offset[p];
            for (int q = 0; q < points->n; q++)
                if (q != p && share_an_element(&problem->maps[0], problem->n_elements, p, q))
                    assert_int_equal(points->item[at++], q);
            assert_int_equal(at, points->offset[p + 1]);
        }
        tess_rows_free(graph);
        free(weight);
        tess_rows_free(points);
        tess_partition_problem_free(problem);
        tess_bound_loop_free(bound);
        tess_loop_free(loop);
        tess_mesh_free(mesh);
    }
}

static void a_star_is_refused_where_it_would_fill_the_memory(void **state) {
    const int n = 200000, few = 2000;
    int32_t *index = NULL;
    OK(TESS_ZEROS(n, &index)); /* all elements have point 0 */
    tess_incidence map = {.index = index, .arity = 1, .n_points = 1};
    tess_partition_problem problem = {.n_elements = n, .n_maps = 1, .maps = &map};
    tess_rows *graph = NULL;
    assert_int_equal(tess_graph_build(&problem, NULL, &graph), TESS_ERROR_INPUT);
    assert_null(graph);
    problem.n_elements = few;
    OK(tess_graph_build(&problem, NULL, &graph));
    assert_int_equal(graph->offset[few], few * (few - 1));
    tess_rows_free(graph);
    free(index);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graphs_match_their_definition),
        cmocka_unit_test(a_star_is_refused_where_it_would_fill_the_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
