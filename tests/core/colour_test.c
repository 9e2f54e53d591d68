/* Colours: first fit, least used and smallest last against their definitions below and above 64
 * colours, DSATUR and the search against first fit and the bound. */
#include "core/plan/block_colours.h"
#include "core/plan/colour/colour.h"
#include "tests/core/small_mesh.h"

enum { N_MOST = 400 };

/* Two random maps over n elements; few points make many colours. */
static void random_maps(uint64_t *seed, int n, int n_points, int32_t *a, int32_t *b,
                        tess_incidence maps[2]) {
    for (int e = 0; e < n; e++) {
        for (int s = 0; s < 2; s++)
            a[2 * e + s] = random_below(seed, n_points);
        b[e] = random_below(seed, 4) ? random_below(seed, n_points) : -1;
    }
    maps[0] = (tess_incidence){.index = a, .arity = 2, .n_points = n_points};
    maps[1] = (tess_incidence){.index = b, .arity = 1, .n_points = n_points};
}

static bool share_a_point(const tess_incidence *maps, int n_maps, int e, int f) {
    for (int m = 0; m < n_maps; m++)
        for (int s = 0; s < maps[m].arity; s++)
            for (int t = 0; t < maps[m].arity; t++) {
                const int32_t p = maps[m].index[e * maps[m].arity + s];
                if (p >= 0 && p == maps[m].index[f * maps[m].arity + t])
                    return true;
            }
    return false;
}

typedef tess_status greedy_function(const tess_incidence *maps, int n_maps, int64_t n,
                                    int32_t *colour, int32_t *n_colours);

/* Each element in turn takes the least free colour or, of those, the least used. */
static void takes_the_free_colour(greedy_function *colour_all, bool least_used, uint64_t seed) {
    int32_t most = 0;
    for (int trial = 0; trial < 60; trial++) {
        int32_t a[2 * N_MOST], b[N_MOST], colour[N_MOST], n_colours = 0, n_used = 0;
        int used[N_MOST] = {0};
        tess_incidence maps[2];
        const int n = 1 + random_below(&seed, N_MOST), n_points = 1 + random_below(&seed, 60);
        random_maps(&seed, n, n_points, a, b, maps);
        OK(colour_all(maps, 2, n, colour, &n_colours));
        for (int e = 0; e < n; e++) {
            bool taken[N_MOST + 1] = {false};
            int32_t least = -1;
            for (int f = 0; f < e; f++)
                if (share_a_point(maps, 2, e, f))
                    taken[colour[f]] = true;
            for (int32_t c = 0; c < n_used; c++)
                if (!taken[c] && (least < 0 || used[c] < used[least]))
                    least = c;
            least = least < 0 ? n_used++ : least;
            used[least] += least_used;
            assert_int_equal(colour[e], least);
        }
        assert_int_equal(n_colours, n_used);
        most = n_used > most ? n_used : most;
    }
    assert_true(most > 64); /* or the way of many colours was not taken */
}

static void first_fit_takes_the_least_free_colour(void **state) {
    takes_the_free_colour(tess_colour_first_fit, false, 71);
}

static void least_used_takes_the_least_used_free_colour(void **state) {
    takes_the_free_colour(tess_colour_least_used, true, 79);
}

/* Points of map 0 that e and f have in common. */
static int common_points(const tess_incidence *map, int e, int f) {
    const int32_t *a = map->index + 2 * e, *b = map->index + 2 * f;
    const int n = (a[0] == b[0] || a[0] == b[1]) + (a[1] == b[0] || a[1] == b[1]);
    return a[0] == a[1] ? n > 0 : n;
}

static void smallest_last_puts_the_least_connected_aside(void **state) {
    uint64_t seed = 89;
    int other_than_first_fit = 0;
    for (int trial = 0; trial < 60; trial++) {
        int32_t a[2 * N_MOST], b[N_MOST], colour[N_MOST], fitted[N_MOST], order[N_MOST];
        int32_t n_colours = 0, n_fitted = 0, largest = -1;
        bool aside[N_MOST] = {false};
        tess_incidence maps[2];
        const int n = 1 + random_below(&seed, 120), n_points = 1 + random_below(&seed, 80);
        random_maps(&seed, n, n_points, a, b, maps);
        OK(tess_colour_smallest_last(maps, n, colour, &n_colours));
        OK(tess_colour_first_fit(maps, 1, n, fitted, &n_fitted));
        for (int left = n; left > 0; left--) {
            int found = -1, fewest = 0;
            for (int e = 0; e < n; e++) {
                int degree = 0;
                for (int f = 0; f < n; f++)
                    degree += f != e && !aside[e] && !aside[f] ? common_points(maps, e, f) : 0;
                if (!aside[e] && (found < 0 || degree <= fewest)) {
                    found = e;
                    fewest = degree;
                }
            }
            aside[found] = true;
            order[left - 1] = found;
        }
        for (int i = 0; i < n; i++) {
            bool taken[N_MOST + 1] = {false};
            for (int j = 0; j < i; j++)
                if (share_a_point(maps, 1, order[i], order[j]))
                    taken[colour[order[j]]] = true;
            int32_t least = 0;
            while (taken[least])
                least++;
            assert_int_equal(colour[order[i]], least);
            largest = least > largest ? least : largest;
            other_than_first_fit += colour[order[i]] != fitted[order[i]];
        }
        assert_int_equal(n_colours, largest + 1);
    }
    assert_true(other_than_first_fit > 0);
}

typedef tess_status colouring_function(const tess_incidence *map, int64_t n, int32_t *colour,
                                       int32_t *n_colours);

/* On random graphs with parallel elements and elements of one point. */
static void is_proper_and_no_worse_than_first_fit(colouring_function *colour_all) {
    uint64_t seed = 73;
    int better = 0;
    for (int trial = 0; trial < 200; trial++) {
        int32_t a[2 * N_MOST], b[N_MOST], colour[N_MOST], greedy[N_MOST], at_point[N_MOST];
        int32_t n_colours = 0, n_greedy = 0;
        tess_incidence maps[2];
        const int n = random_below(&seed, N_MOST), n_points = 1 + random_below(&seed, N_MOST);
        random_maps(&seed, n, n_points, a, b, maps);
        OK(tess_colour_first_fit(maps, 1, n, greedy, &n_greedy));
        OK(colour_all(maps, n, colour, &n_colours));
        assert_in_range(n_colours, tess_colour_bound(maps, n, at_point), n_greedy);
        better += n_colours < n_greedy;
        for (int e = 0; e < n; e++) {
            assert_in_range(colour[e], 0, n_colours - 1);
            for (int f = 0; f < e; f++)
                assert_true(colour[e] != colour[f] || !share_a_point(maps, 1, e, f));
        }
    }
    assert_true(better > 0);
}

static void dsatur_is_proper_and_no_worse_than_first_fit(void **state) {
    is_proper_and_no_worse_than_first_fit(tess_colour_dsatur);
}

static void fewest_is_proper_and_no_worse_than_first_fit(void **state) {
    is_proper_and_no_worse_than_first_fit(tess_colour_fewest);
}

/* Random perfect matchings, one on the other, their edges in random order: as many colours as
 * matchings are enough. */
static void fewest_finds_the_colours_that_edges_were_made_of(void **state) {
    enum { N_POINTS = 60 };
    uint64_t seed = 83;
    int first_fit_needs_more = 0;
    for (int trial = 0; trial < 100; trial++) {
        const int n_matchings = 3 + random_below(&seed, 4), n = n_matchings * N_POINTS / 2;
        int32_t index[2 * N_MOST], colour[N_MOST], n_colours = 0, n_greedy = 0;
        for (int m = 0; m < n_matchings; m++) {
            int32_t *matching = index + m * N_POINTS;
            for (int i = 0; i < N_POINTS; i++) {
                const int at = random_below(&seed, i + 1);
                matching[i] = matching[at];
                matching[at] = i;
            }
        }
        for (int e = n - 1; e > 0; e--)
            for (int f = random_below(&seed, e + 1), end = 0; end < 2; end++) {
                const int32_t kept = index[2 * e + end];
                index[2 * e + end] = index[2 * f + end];
                index[2 * f + end] = kept;
            }
        const tess_incidence map = {.index = index, .arity = 2, .n_points = N_POINTS};
        OK(tess_colour_first_fit(&map, 1, n, colour, &n_greedy));
        OK(tess_colour_fewest(&map, n, colour, &n_colours));
        assert_int_equal(n_colours, n_matchings);
        first_fit_needs_more += n_greedy > n_matchings;
    }
    assert_in_range(first_fit_needs_more, 80, 100);
}

/* Random orders of the cells of a box, by their nodes, and of its faces, by their cells: what a
 * structured mesh needs is the bound, eight and six. */
static void fewest_is_the_bound_in_a_box(void **state) {
    enum { SIDE = 5, N_CELLS = SIDE * SIDE * SIDE, N_FACES = 3 * SIDE * SIDE * (SIDE - 1) };
    static const int step[3] = {1, SIDE, SIDE * SIDE};
    uint64_t seed = 97;
    int first_fit_needs_more = 0;
    for (int trial = 0; trial < 20; trial++) {
        int32_t nodes[8 * N_CELLS], cells[2 * N_FACES], colour[N_FACES], n_colours = 0;
        int64_t n_faces = 0;
        for (int c = 0; c < N_CELLS; c++) {
            const int at[3] = {c % SIDE, c / SIDE % SIDE, c / SIDE / SIDE};
            const int i = random_below(&seed, c + 1);
            memmove(nodes + 8 * c, nodes + 8 * i, 8 * sizeof *nodes);
            for (int k = 0; k < 8; k++)
                nodes[8 * i + k] = (int32_t)((at[2] + (k >> 2)) * (SIDE + 1) * (SIDE + 1) +
                                             (at[1] + (k >> 1 & 1)) * (SIDE + 1) + at[0] + (k & 1));
            for (int d = 0; d < 3; d++) {
                if (at[d] + 1 == SIDE)
                    continue;
                const int64_t j = random_below(&seed, (int)n_faces + 1);
                memmove(cells + 2 * n_faces++, cells + 2 * j, 2 * sizeof *cells);
                cells[2 * j] = c;
                cells[2 * j + 1] = c + step[d];
            }
        }
        const tess_incidence maps[2] = {
            {.index = nodes, .arity = 8, .n_points = (SIDE + 1) * (SIDE + 1) * (SIDE + 1)},
            {.index = cells, .arity = 2, .n_points = N_CELLS}};
        for (int m = 0; m < 2; m++) {
            const int64_t n = m == 0 ? N_CELLS : N_FACES;
            OK(tess_colour_first_fit(&maps[m], 1, n, colour, &n_colours));
            first_fit_needs_more += n_colours > (m == 0 ? 8 : 6);
            OK(tess_colour_fewest(&maps[m], n, colour, &n_colours));
            assert_int_equal(n_colours, m == 0 ? 8 : 6);
        }
    }
    assert_true(first_fit_needs_more > 30);
}

/* Three edges of a triangle need three colours, the ten of the complete graph of five points five:
 * one more than the bound. */
static void fewest_takes_one_more_where_the_bound_is_too_few(void **state) {
    const int32_t complete[] = {0, 1, 0, 2, 0, 3, 0, 4, 1, 2, 1, 3, 1, 4, 2, 3, 2, 4, 3, 4};
    for (int32_t n_points = 3; n_points <= 5; n_points += 2) {
        int32_t index[20], colour[10], n_colours = 0;
        int64_t n = 0;
        for (int i = 0; i < 10; i++)
            if (complete[2 * i] < n_points && complete[2 * i + 1] < n_points) {
                index[2 * n] = complete[2 * i];
                index[2 * n++ + 1] = complete[2 * i + 1];
            }
        const tess_incidence map = {.index = index, .arity = 2, .n_points = n_points};
        OK(tess_colour_fewest(&map, n, colour, &n_colours));
        assert_int_equal(n_colours, n_points);
    }
}

/* The vertices of a bipartite graph, points being its edges: DSATUR is exact there. */
static void dsatur_is_exact_on_bipartite_graphs(void **state) {
    enum { N = 60, N_EDGES = 150 };
    uint64_t seed = 79;
    int first_fit_needs_more = 0;
    for (int trial = 0; trial < 50; trial++) {
        int32_t index[2 * N_EDGES], colour[N], n_colours = 0, n_greedy = 0;
        int64_t offset[N + 1];
        bool edge[N][N] = {{false}};
        for (int i = 0; i < N_EDGES; i++) { /* between even and odd vertices, each once */
            int v = 0, w = 0;
            do {
                v = 2 * random_below(&seed, N / 2);
                w = 2 * random_below(&seed, N / 2) + 1;
            } while (edge[v][w]);
            edge[v][w] = edge[w][v] = true;
        }
        int32_t number[N][N], n_edges = 0, at = 0;
        for (int v = 0; v < N; v++)
            for (int w = v; w < N; w++)
                if (edge[v][w])
                    number[v][w] = number[w][v] = n_edges++;
        for (int v = 0; v < N; v++) {
            offset[v] = at;
            for (int w = 0; w < N; w++)
                if (edge[v][w])
                    index[at++] = number[v][w];
        }
        offset[N] = at;
        const tess_incidence map = {.index = index, .offset = offset, .n_points = N_EDGES};
        OK(tess_colour_first_fit(&map, 1, N, colour, &n_greedy));
        OK(tess_colour_dsatur(&map, N, colour, &n_colours));
        assert_int_equal(n_colours, 2);
        first_fit_needs_more += n_greedy > 2;
    }
    assert_true(first_fit_needs_more > 40);
}

/* Many blocks, most of whose points no other has. */
static void points_of_one_block_decide_no_colours(void **state) {
    enum { N = 5000, ARITY = 12, N_POINTS = 60000, N_BORDER = 2500 };
    uint64_t seed = 9;
    int32_t *index = NULL, *colour = NULL, *expected = NULL, *other = NULL;
    OK(TESS_ALLOC(N * ARITY, &index));
    OK(TESS_ALLOC(N, &other));
    OK(TESS_ALLOC(N, &colour));
    OK(TESS_ALLOC(N, &expected));
    for (int trial = 0; trial < 6; trial++) {
        int64_t offset[N + 1];
        for (int i = 0; i < N * ARITY; i++)
            index[i] = i % 4 == 0    ? random_below(&seed, N_BORDER)
                       : i % 37 == 0 ? -1
                                     : N_BORDER + (int)((int64_t)i * 7919 % (N_POINTS - N_BORDER));
        for (int b = 0; b <= N; b++)
            offset[b] = b * ARITY;
        tess_incidence map = {.index = index, .arity = ARITY, .n_points = N_POINTS};
        if (trial % 2) /* as plans have it, where no block has a point twice */
            map = (tess_incidence){.index = index, .offset = offset, .n_points = N_POINTS};
        for (int i = 0; i < N * ARITY && trial % 2; i++)
            for (int j = i / ARITY * ARITY; j < i; j++)
                index[i] = index[j] == index[i] ? -1 : index[i];
        const tess_blocks_to_colour blocks = {.maps = &map, .n_maps = 1, .n = N};
        const tess_colouring by = trial / 2 == 0   ? TESS_COLOUR_GREEDY
                                  : trial / 2 == 1 ? TESS_COLOUR_SULYOK
                                                   : TESS_COLOUR_FEWEST;
        int32_t n_colours = 0, n_expected = 0;
        OK(tess_block_colours_find(&blocks, by, colour, &n_colours));
        int32_t n_other = 0;
        OK(tess_colour_least_used(&map, 1, N, other, &n_other));
        OK(by == TESS_COLOUR_GREEDY ? tess_colour_first_fit(&map, 1, N, expected, &n_expected)
                                    : tess_colour_dsatur(&map, N, expected, &n_expected));
        if (by == TESS_COLOUR_SULYOK || (by == TESS_COLOUR_FEWEST && n_other < n_expected)) {
            memcpy(expected, other, sizeof *other * N);
            n_expected = n_other;
        }
        assert_int_equal(n_colours, n_expected);
        assert_memory_equal(colour, expected, sizeof *colour * N);
    }
    free(index);
    free(colour);
    free(expected);
    free(other);
}

static void a_bound_counts_an_element_once_a_point(void **state) {
    const int32_t twice[] = {0, 0, 0, 1, -1, -1};
    const tess_incidence map = {.index = twice, .arity = 2, .n_points = 2};
    int32_t at_point[2];
    assert_int_equal(tess_colour_bound(&map, 0, at_point), 0);
    assert_int_equal(tess_colour_bound(&map, 1, at_point), 1);
    assert_int_equal(tess_colour_bound(&map, 3, at_point), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_fit_takes_the_least_free_colour),
        cmocka_unit_test(least_used_takes_the_least_used_free_colour),
        cmocka_unit_test(smallest_last_puts_the_least_connected_aside),
        cmocka_unit_test(dsatur_is_proper_and_no_worse_than_first_fit),
        cmocka_unit_test(fewest_is_proper_and_no_worse_than_first_fit),
        cmocka_unit_test(fewest_finds_the_colours_that_edges_were_made_of),
        cmocka_unit_test(fewest_is_the_bound_in_a_box),
        cmocka_unit_test(fewest_takes_one_more_where_the_bound_is_too_few),
        cmocka_unit_test(dsatur_is_exact_on_bipartite_graphs),
        cmocka_unit_test(points_of_one_block_decide_no_colours),
        cmocka_unit_test(a_bound_counts_an_element_once_a_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
