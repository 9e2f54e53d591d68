/* Orders: permutations that bring neighbours near, for connected and disconnected graphs. */
#include "core/plan/order/graph_order.h"
#include "core/plan/order/levels.h"
#include "tests/core/small_mesh.h"

typedef tess_status order_function(const tess_rows *, int32_t **);

/* The graph of a problem with one map, elements or points. */
static tess_rows *graph_of(const tess_mesh *mesh, const char *map, bool points) {
    tess_loop *loop = NULL;
    tess_bound_loop *bound = NULL;
    tess_partition_problem *problem = NULL;
    tess_rows *graph = NULL;
    OK(tess_loop_of_map(map, NULL, &loop));
    OK(tess_loop_bind(loop, mesh, &bound));
    OK(tess_partition_problem_build(bound, TESS_POINTS_ALL, 8, 0, &problem));
    OK(points ? tess_graph_build_points(problem, &graph) : tess_graph_build(problem, NULL, &graph));
    tess_partition_problem_free(problem);
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
    return graph;
}

/* The inverse of an order; fails unless it is a permutation. */
static int32_t *positions_of(const int32_t *order, int64_t n) {
    int32_t *position = NULL;
    OK(TESS_ALLOC(n, &position));
    for (int64_t i = 0; i < n; i++)
        position[i] = -1;
    for (int64_t i = 0; i < n; i++) {
        assert_in_range(order[i], 0, n - 1);
        assert_int_equal(position[order[i]], -1);
        position[order[i]] = (int32_t)i;
    }
    return position;
}

static int64_t distance(const int32_t *position, int32_t v, int32_t w) {
    return llabs((long long)position[v] - position[w]);
}

static int64_t bandwidth(const tess_rows *graph, const int32_t *position) {
    int64_t widest = 0;
    for (int32_t v = 0; v < graph->n; v++)
        for (int64_t i = graph->offset[v]; i < graph->offset[v + 1]; i++)
            if (distance(position, v, graph->item[i]) > widest)
                widest = distance(position, v, graph->item[i]);
    return widest;
}

/* The sum over rows of the distance from the first entry to the diagonal. */
static int64_t profile(const tess_rows *graph, const int32_t *position) {
    int64_t sum = 0;
    for (int32_t v = 0; v < graph->n; v++) {
        int64_t longest = 0;
        for (int64_t i = graph->offset[v]; i < graph->offset[v + 1]; i++)
            if (position[v] - position[graph->item[i]] > longest)
                longest = position[v] - position[graph->item[i]];
        sum += longest;
    }
    return sum;
}

static void orders_are_permutations_of_any_graph(void **state) {
    uint64_t seed = 5;
    order_function *const orders[] = {tess_order_rcm, tess_order_gps};
    for (int trial = 0; trial < 300; trial++) {
        tess_mesh *mesh = random_mesh(&seed, 1);
        tess_rows *graph = graph_of(mesh, mesh->maps[0].name, trial % 2);
        for (int o = 0; o < 2; o++) {
            int32_t *order = NULL, *again = NULL;
            OK(orders[o](graph, &order));
            OK(orders[o](graph, &again));
            assert_memory_equal(order, again, (size_t)graph->n * sizeof *order);
            free(positions_of(order, graph->n));
            free(order);
            free(again);
        }
        tess_rows_free(graph);
        tess_mesh_free(mesh);
    }
}

/* A long box of quads whose cells are shuffled: the orders find its short side again. */
static void orders_find_the_bandwidth_of_a_shuffled_box(void **state) {
    enum { NX = 40, NY = 7, N = NX * NY };
    tess_mesh *mesh = quad_mesh(NX, NY);
    tess_map *map = (tess_map *)tess_mesh_find_map(mesh, "edges:cells");
    int32_t shuffled[N];
    uint64_t seed = 11;
    for (int i = 0; i < N; i++) {
        const int j = random_below(&seed, i + 1);
        shuffled[i] = shuffled[j];
        shuffled[j] = i;
    }
    for (int64_t i = 0; i < 2 * tess_mesh_set_size(mesh, "edges"); i++)
        map->index[i] = shuffled[map->index[i]];
    tess_rows *graph = graph_of(mesh, "edges:cells", true);
    order_function *const orders[] = {tess_order_rcm, tess_order_gps};
    for (int o = 0; o < 2; o++) {
        int32_t *order = NULL;
        OK(orders[o](graph, &order));
        int32_t *position = positions_of(order, N);
        assert_in_range(bandwidth(graph, position), NY - 1, NY + 1);
        assert_true(profile(graph, position) <= N * (NY + 1));
        free(position);
        free(order);
    }
    tess_rows_free(graph);
    tess_mesh_free(mesh);
}

/* Over many graphs: numbers that descend from the deciding end make the smaller profile, and
 * combining two level structures makes a smaller bandwidth than one has. */
static void gps_beats_its_reverse_and_rcm(void **state) {
    uint64_t seed = 13;
    int64_t gps_profile = 0, reverse_profile = 0, gps_bandwidth = 0, rcm_bandwidth = 0;
    for (int trial = 0; trial < 400; trial++) {
        tess_mesh *mesh = random_mesh_of(&seed, 1, 60);
        tess_rows *graph = graph_of(mesh, mesh->maps[0].name, true);
        const int64_t n = graph->n;
        int32_t *gps = NULL, *rcm = NULL;
        OK(tess_order_gps(graph, &gps));
        OK(tess_order_rcm(graph, &rcm));
        int32_t *position = positions_of(gps, n), *rcm_position = positions_of(rcm, n);
        gps_profile += profile(graph, position);
        gps_bandwidth += bandwidth(graph, position);
        rcm_bandwidth += bandwidth(graph, rcm_position);
        for (int64_t v = 0; v < n; v++)
            position[v] = (int32_t)(n - 1 - position[v]);
        reverse_profile += profile(graph, position);
        free(position);
        free(rcm_position);
        free(gps);
        free(rcm);
        tess_rows_free(graph);
        tess_mesh_free(mesh);
    }
    assert_true(gps_profile < reverse_profile);
    assert_true(gps_bandwidth < rcm_bandwidth);
}

/* The size of the largest level around a vertex; `queue` and `level` have a place for each. */
static int64_t width_around(const tess_rows *graph, int32_t root, int32_t *queue, int32_t *level) {
    int64_t n = 1, widest = 0;
    for (int64_t v = 0; v < graph->n; v++)
        level[v] = -1;
    queue[0] = root;
    level[root] = 0;
    for (int64_t first = 0, end = 1; first < end; first = end, end = n) {
        widest = end - first > widest ? end - first : widest;
        for (int64_t at = first; at < end; at++)
            for (int64_t i = graph->offset[queue[at]]; i < graph->offset[queue[at] + 1]; i++)
                if (level[graph->item[i]] < 0) {
                    level[graph->item[i]] = level[queue[at]] + 1;
                    queue[n++] = graph->item[i];
                }
    }
    return widest;
}

/* The other end is never wider than the one of least degree, and over many graphs narrower. */
static void the_other_end_is_that_of_least_width(void **state) {
    uint64_t seed = 13;
    int64_t chosen = 0, by_least_degree = 0;
    for (int trial = 0; trial < 200; trial++) {
        tess_mesh *mesh = random_mesh_of(&seed, 1, 60);
        tess_rows *graph = graph_of(mesh, mesh->maps[0].name, true);
        tess_levels levels[3] = {{.n = 0}};
        const tess_ranked_graph ranked = {.rows = tess_incidence_of_rows(graph, graph->n),
                                          .n = graph->n};
        int32_t *queue = NULL, *level = NULL, end = -1;
        OK(TESS_ALLOC(graph->n, &queue));
        OK(TESS_ALLOC(graph->n, &level));
        for (int i = 0; i < 3; i++)
            OK(tess_levels_new(graph->n, &levels[i]));
        const int32_t least = tess_levels_least(&ranked, 0, &levels[0]);
        tess_levels_of_ends(&ranked, least, &levels[0], &levels[1], &levels[2]);
        for (int32_t v = 0; v < graph->n; v++)
            if (levels[0].level[v] == levels[0].height - 1 &&
                (end < 0 || tess_rank_of(&ranked, v) < tess_rank_of(&ranked, end)))
                end = v;
        const int64_t width = width_around(graph, end, queue, level);
        assert_int_equal(levels[1].width, width_around(graph, levels[1].root, queue, level));
        assert_true(levels[1].width <= width);
        chosen += levels[1].width;
        by_least_degree += width;
        for (int i = 0; i < 3; i++)
            tess_levels_free(&levels[i]);
        free(queue);
        free(level);
        tess_rows_free(graph);
        tess_mesh_free(mesh);
    }
    assert_true(chosen < by_least_degree);
}

/* Neighbours in the other order, every second one twice, some itself, none behind, or between. */
static int32_t *neighbours_of(const tess_rows *graph, int arity) {
    int32_t *index = NULL;
    OK(TESS_ALLOC(graph->n * arity, &index));
    for (int32_t v = 0; v < graph->n; v++) {
        int32_t *row = index + (int64_t)v * arity;
        if (v % 3 < 2)
            *row++ = v % 3 ? -1 : v;
        for (int64_t i = graph->offset[v + 1]; i-- > graph->offset[v];)
            for (int k = 0; k < 1 + graph->item[i] % 2; k++)
                *row++ = graph->item[i];
        while (row < index + (v + 1ll) * arity)
            *row++ = -1;
    }
    return index;
}

static void rcm_depends_on_who_is_beside_whom_alone(void **state) {
    uint64_t seed = 17;
    for (int trial = 0; trial < 100; trial++) {
        tess_mesh *mesh = random_mesh_of(&seed, 1, 60);
        tess_rows *graph = graph_of(mesh, mesh->maps[0].name, true);
        const int arity = 2 * (int)tess_rows_longest(graph) + 2;
        int32_t *order = NULL, *again = NULL;
        OK(tess_order_rcm(graph, &order));
        OK(tess_order_rcm_of(neighbours_of(graph, arity), arity, graph->n, &again));
        assert_memory_equal(order, again, (size_t)graph->n * sizeof *order);
        free(order);
        free(again);
        tess_rows_free(graph);
        tess_mesh_free(mesh);
    }
}

static void components_stay_together(void **state) {
    /* two paths 0-2-4 and 1-3-5, and 6 alone */
    int64_t offset[] = {0, 1, 2, 4, 6, 7, 8, 8};
    int32_t neighbour[] = {2, 3, 0, 4, 1, 5, 2, 3};
    const tess_rows graph = {.n = 7, .offset = offset, .item = neighbour};
    order_function *const orders[] = {tess_order_rcm, tess_order_gps};
    for (int o = 0; o < 2; o++) {
        int32_t *order = NULL;
        OK(orders[o](&graph, &order));
        int32_t *position = positions_of(order, 7);
        assert_int_equal(bandwidth(&graph, position), 1);
        assert_int_equal(position[6], 6);
        free(position);
        free(order);
    }
}

static void an_empty_graph_has_an_empty_order(void **state) {
    int64_t offset[] = {0};
    const tess_rows graph = {.offset = offset};
    int32_t *order = NULL;
    OK(tess_order_rcm(&graph, &order));
    free(order);
    OK(tess_order_gps(&graph, &order));
    free(order);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_are_permutations_of_any_graph),
        cmocka_unit_test(orders_find_the_bandwidth_of_a_shuffled_box),
        cmocka_unit_test(gps_beats_its_reverse_and_rcm),
        cmocka_unit_test(the_other_end_is_that_of_least_width),
        cmocka_unit_test(rcm_depends_on_who_is_beside_whom_alone),
        cmocka_unit_test(components_stay_together),
        cmocka_unit_test(an_empty_graph_has_an_empty_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
