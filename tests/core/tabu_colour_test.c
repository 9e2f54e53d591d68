/* Block colours: proper after each reduction, as few as a graph was made of, never below the bound.
 */
#include "core/plan/colour/tabu_colour.h"
#include "tests/core/small_mesh.h"

enum { N_MOST = 300 };

/* A graph as a square of bits, and as the rows that the search reads. */
typedef struct drawn_graph {
    bool edge[N_MOST][N_MOST];
    int64_t offset[N_MOST + 1];
    int32_t item[N_MOST * N_MOST];
    tess_rows rows;
} drawn_graph;

static void edge_draw(drawn_graph *graph, int v, int w) {
    graph->edge[v][w] = graph->edge[w][v] = true;
}

static const tess_rows *rows_of(drawn_graph *graph, int n) {
    graph->offset[0] = 0;
    for (int v = 0; v < n; v++) {
        graph->offset[v + 1] = graph->offset[v];
        for (int w = 0; w < n; w++)
            if (graph->edge[v][w])
                graph->item[graph->offset[v + 1]++] = w;
    }
    graph->rows = (tess_rows){.n = n, .offset = graph->offset, .item = graph->item};
    return &graph->rows;
}

static drawn_graph *graph_new(void) {
    drawn_graph *graph = calloc(1, sizeof *graph);
    assert_non_null(graph);
    return graph;
}

/* A colour for each vertex, the least that no earlier neighbour has. */
static int32_t colour_in_order(const drawn_graph *graph, int n, int32_t *colour) {
    int32_t n_colours = 0;
    for (int v = 0; v < n; v++) {
        bool taken[N_MOST + 1] = {false};
        for (int w = 0; w < v; w++)
            if (graph->edge[v][w])
                taken[colour[w]] = true;
        for (colour[v] = 0; taken[colour[v]];)
            colour[v]++;
        n_colours = colour[v] >= n_colours ? colour[v] + 1 : n_colours;
    }
    return n_colours;
}

static void assert_proper(const drawn_graph *graph, int n, const int32_t *colour,
                          int32_t n_colours) {
    for (int v = 0; v < n; v++) {
        assert_in_range(colour[v], 0, n_colours - 1);
        for (int w = 0; w < v; w++)
            assert_false(graph->edge[v][w] && colour[v] == colour[w]);
    }
}

/* Sparse edges between vertices of different classes: as many colours as classes are enough, and
 * are found where vertices have few neighbours. */
static void the_classes_that_a_graph_was_made_of_are_found(void **state) {
    (void)state;
    uint64_t seed = 91;
    int in_order_needs_more = 0;
    drawn_graph *graph = graph_new();
    for (int trial = 0; trial < 40; trial++) {
        int32_t colour[N_MOST];
        const int n = N_MOST, n_classes = 4 + random_below(&seed, 3);
        memset(graph->edge, 0, sizeof graph->edge);
        for (int i = 0; i < n * (n_classes - 1); i++) {
            const int v = random_below(&seed, n), w = random_below(&seed, n);
            if (v % n_classes != w % n_classes)
                edge_draw(graph, v, w);
        }
        int32_t n_colours = colour_in_order(graph, n, colour);
        in_order_needs_more += n_colours > n_classes;
        OK(tess_colour_reduce(rows_of(graph, n), n_classes, 2000, colour, &n_colours));
        assert_int_equal(n_colours, n_classes);
        assert_proper(graph, n, colour, n_colours);
    }
    assert_true(in_order_needs_more > 30);
    free(graph);
}

/* Whatever the graph and the colours to begin with, the result is proper and has no more. */
static void any_graph_stays_properly_coloured(void **state) {
    (void)state;
    uint64_t seed = 93;
    drawn_graph *graph = graph_new();
    for (int trial = 0; trial < 60; trial++) {
        int32_t colour[N_MOST];
        const int n = random_below(&seed, 60), n_edges = random_below(&seed, 4 * n + 1);
        memset(graph->edge, 0, sizeof graph->edge);
        for (int i = 0; i < n_edges; i++) {
            const int v = random_below(&seed, n), w = random_below(&seed, n);
            if (v != w)
                edge_draw(graph, v, w);
        }
        const int32_t before = colour_in_order(graph, n, colour);
        int32_t after = before;
        OK(tess_colour_reduce(rows_of(graph, n), 1, 2000, colour, &after));
        assert_in_range(after, n > 0, before);
        assert_proper(graph, n, colour, after);
    }
    free(graph);
}

/* A wheel of five spokes needs four colours, whatever is tried; a ring of six with three needs two,
 * unless the bound forbids it. */
static void nothing_goes_below_what_is_needed_or_asked(void **state) {
    (void)state;
    drawn_graph *graph = graph_new();
    int32_t wheel[] = {4, 0, 1, 0, 1, 2}, n_colours = 5;
    for (int v = 1; v <= 5; v++) {
        edge_draw(graph, 0, v);
        edge_draw(graph, v, v % 5 + 1);
    }
    OK(tess_colour_reduce(rows_of(graph, 6), 1, 2000, wheel, &n_colours));
    assert_int_equal(n_colours, 4);
    assert_proper(graph, 6, wheel, 4);
    memset(graph->edge, 0, sizeof graph->edge);
    for (int v = 0; v < 6; v++)
        edge_draw(graph, v, (v + 1) % 6);
    for (int32_t bound = 3; bound >= 2; bound--) {
        int32_t ring[] = {0, 1, 2, 0, 1, 2};
        n_colours = 3;
        OK(tess_colour_reduce(rows_of(graph, 6), bound, 2000, ring, &n_colours));
        assert_int_equal(n_colours, bound);
        assert_proper(graph, 6, ring, bound);
    }
    free(graph);
}

/* The weight of the edges between equal colours. */
static int64_t conflicts_of(const drawn_graph *graph, const int32_t *weight,
                            const int32_t *colour) {
    int64_t twice = 0;
    for (int64_t v = 0; v < graph->rows.n; v++)
        for (int64_t i = graph->offset[v]; i < graph->offset[v + 1]; i++)
            twice += colour[v] == colour[graph->item[i]] ? weight[i] : 0;
    return twice / 2;
}

/* The least of all colourings of a few vertices. */
static int64_t fewest_conflicts(const drawn_graph *graph, const int32_t *weight, int n_colours) {
    enum { FEW = 8 };
    const int n = (int)graph->rows.n;
    int64_t fewest = INT64_MAX, n_colourings = 1;
    for (int v = 0; v < n; v++)
        n_colourings *= n_colours;
    for (int64_t i = 0; i < n_colourings; i++) {
        int32_t colour[FEW];
        int64_t rest = i;
        for (int v = 0; v < n; v++, rest /= n_colours)
            colour[v] = (int32_t)(rest % n_colours);
        const int64_t conflicts = conflicts_of(graph, weight, colour);
        fewest = conflicts < fewest ? conflicts : fewest;
    }
    return fewest;
}

/* With a colour less than there are, edges of the least weight have one colour at both ends: of
 * small graphs as little as any colouring has. Searched on from there nothing gets worse. */
static void a_colour_less_costs_the_lightest_edges(void **state) {
    (void)state;
    enum { N = 7, HEAVIEST = 9 };
    uint64_t seed = 97;
    int n_with_conflicts = 0;
    drawn_graph *graph = graph_new();
    for (int trial = 0; trial < 60; trial++) {
        int32_t colour[N], weight[N * N];
        memset(graph->edge, 0, sizeof graph->edge);
        for (int i = 0; i < 3 * N; i++) {
            const int v = random_below(&seed, N), w = random_below(&seed, N);
            if (v != w)
                edge_draw(graph, v, w);
        }
        const tess_rows *const rows = rows_of(graph, N);
        for (int64_t v = 0; v < N; v++)
            for (int64_t i = graph->offset[v]; i < graph->offset[v + 1]; i++) {
                const int64_t w = graph->item[i], sum = v + w, product = v * w;
                weight[i] = (int32_t)(1 + (7 * sum + 3 * product + trial) % HEAVIEST);
            }
        const int32_t n_colours = colour_in_order(graph, N, colour) - 1;
        int64_t n_conflicts = -1;
        if (n_colours < 2)
            continue;
        OK(tess_colour_squeeze(rows, weight, n_colours, 1000, colour, &n_conflicts));
        assert_int_equal(n_conflicts, fewest_conflicts(graph, weight, n_colours));
        assert_int_equal(n_conflicts, conflicts_of(graph, weight, colour));
        for (int v = 0; v < N; v++)
            assert_in_range(colour[v], 0, n_colours - 1);
        OK(tess_colour_squeeze(rows, weight, n_colours, 1000, colour, &n_conflicts));
        assert_int_equal(n_conflicts, fewest_conflicts(graph, weight, n_colours));
        n_with_conflicts += n_conflicts > 0;
    }
    assert_true(n_with_conflicts > 20);
    free(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_classes_that_a_graph_was_made_of_are_found),
        cmocka_unit_test(any_graph_stays_properly_coloured),
        cmocka_unit_test(nothing_goes_below_what_is_needed_or_asked),
        cmocka_unit_test(a_colour_less_costs_the_lightest_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
