/* A graph, and G_M, the paper's graph of elements that share points. */
#include "core/plan/graph.h"

#include "core/base/array.h"
#include "core/base/gathered_rows.h"
#include <stdlib.h>

/* Candidates for an edge that one (element, point) pair may bring on average: sound meshes have
 * less than fifty, a graph beyond this would be hundreds of times larger than its mesh. */
enum { CANDIDATES_PER_PAIR = 256, CANDIDATES_ALWAYS = 1 << 24 };

/* Two vertices are neighbours when a middle (a point, for G_M) is in the rows of both. */
typedef struct relation {
    int64_t n_vertices;
    int n_maps;
    const tess_incidence *to_middle;   /* [n_maps]: vertex to middles */
    const tess_incidence *from_middle; /* [n_maps]: middle to vertices */
} relation;

/* Gathers the vertices that share a middle with v, v left out, once for each middle. */
static int64_t gather_row(const void *relation_by, int64_t v, int32_t *row) {
    const relation *by = relation_by;
    int64_t n = 0;
    for (int m = 0; m < by->n_maps; m++) {
        int64_t n_middles = 0, n_others = 0;
        const int32_t *middles = tess_incidence_row(&by->to_middle[m], v, &n_middles);
        for (int64_t i = 0; i < n_middles; i++) {
            if (!tess_incidence_is_first(&by->to_middle[m], middles, i))
                continue;
            const int32_t *others = tess_incidence_row(&by->from_middle[m], middles[i], &n_others);
            for (int64_t j = 0; j < n_others; j++)
                if (others[j] != v && others[j] >= 0)
                    row[n++] = others[j];
        }
    }
    return n;
}

/* The number of vertices that gather_row can give for v. */
static int64_t row_bound(const relation *by, int64_t v) {
    int64_t bound = 0;
    for (int m = 0; m < by->n_maps; m++) {
        int64_t n_middles = 0, n_others = 0;
        const int32_t *middles = tess_incidence_row(&by->to_middle[m], v, &n_middles);
        for (int64_t i = 0; i < n_middles; i++) {
            if (middles[i] < 0)
                continue;
            tess_incidence_row(&by->from_middle[m], middles[i], &n_others);
            bound += n_others;
        }
    }
    return bound;
}

/* Finds the longest row to gather; refuses relations whose graph would not be of a mesh's size. */
static tess_status relation_measure(const relation *by, int64_t *longest) {
    int64_t candidates = 0, pairs = 0, most = 0;
#pragma omp parallel for schedule(static) reduction(+ : candidates, pairs) reduction(max : most)
    for (int64_t v = 0; v < by->n_vertices; v++) {
        const int64_t bound = row_bound(by, v);
        candidates += bound;
        most = bound > most ? bound : most;
        for (int m = 0; m < by->n_maps; m++) {
            int64_t n = 0;
            tess_incidence_row(&by->to_middle[m], v, &n);
            pairs += n;
        }
    }
    if (candidates > CANDIDATES_PER_PAIR * pairs + CANDIDATES_ALWAYS)
        FAIL(TESS_ERROR_INPUT,
             "the graph would have up to %lld entries for %lld in the maps: some points are shared "
             "by too many elements (one element meets %lld others)",
             (long long)candidates, (long long)pairs, (long long)most);
    *longest = most;
    return TESS_OK;
}

static tess_status graph_of_relation(const relation *by, int32_t **weight, tess_rows **out) {
    tess_row_gatherer neighbours = {.n_rows = by->n_vertices, .gather = gather_row, .context = by};
    TRY(relation_measure(by, &neighbours.longest));
    return tess_rows_gather(&neighbours, weight, out);
}

/* The graph of a map from elements to elements: by what they reach, and by what reaches them, each
 * its own middle. */
static tess_status graph_of_neighbours(const tess_partition_problem *problem, int32_t **weight,
                                       tess_rows **out) {
    tess_status status = TESS_OK;
    const tess_incidence *map = &problem->maps[0];
    const int64_t n = problem->n_elements;
    tess_rows *inverse = NULL;
    int32_t *itself = NULL;
    CHECK(tess_incidence_invert(map, n, &inverse));
    CHECK(TESS_ALLOC(n, &itself));
    for (int64_t e = 0; e < n; e++)
        itself[e] = (int32_t)e;
    const tess_incidence to[] = {*map, tess_incidence_of_rows(inverse, n)};
    const tess_incidence same = {.index = itself, .arity = 1, .n_points = n};
    const tess_incidence from[] = {same, same};
    CHECK(graph_of_relation(&(relation){n, 2, to, from}, weight, out));
done:
    tess_rows_free(inverse);
    free(itself);
    return status;
}

bool tess_graph_is_of_map(const tess_partition_problem *problem) {
    return problem->n_maps == 1 && problem->maps[0].points_are_elements;
}

tess_status tess_graph_build(const tess_partition_problem *problem, int32_t **weight,
                             tess_rows **out) {
    if (tess_graph_is_of_map(problem))
        return graph_of_neighbours(problem, weight, out);
    tess_status status = TESS_OK;
    tess_rows **inverses = NULL;
    tess_incidence *from_points = NULL;
    const int n_maps = problem->n_maps;
    relation by = {problem->n_elements, n_maps, problem->maps, NULL};
    CHECK(TESS_ZEROS(n_maps, &inverses));
    CHECK(TESS_ALLOC(n_maps, &from_points));
    for (int m = 0; m < n_maps; m++) {
        CHECK(tess_incidence_invert(&problem->maps[m], problem->n_elements, &inverses[m]));
        from_points[m] = tess_incidence_of_rows(inverses[m], problem->n_elements);
    }
    by.from_middle = from_points;
    CHECK(graph_of_relation(&by, weight, out));
done:
    for (int m = 0; inverses && m < n_maps; m++)
        tess_rows_free(inverses[m]);
    free(inverses);
    free(from_points);
    return status;
}

tess_status tess_graph_build_points(const tess_partition_problem *problem, tess_rows **out) {
    if (tess_graph_is_of_map(problem))
        return graph_of_neighbours(problem, NULL, out);
    const tess_incidence *map = &problem->maps[problem->order_map];
    tess_rows *inverse = NULL;
    TRY(tess_incidence_invert(map, problem->n_elements, &inverse));
    const tess_incidence to_elements = tess_incidence_of_rows(inverse, problem->n_elements);
    const relation by = {inverse->n, 1, &to_elements, map};
    const tess_status status = graph_of_relation(&by, NULL, out);
    tess_rows_free(inverse);
    return status;
}
