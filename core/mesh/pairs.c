/* Pairs: the entries off the diagonal of a matrix over the points of a set, and where each
 * element's are among them. */
#include "core/mesh/pairs.h"

#include "core/base/array.h"
#include "core/base/buckets.h"
#include "core/base/gathered_rows.h"
#include <stdio.h>
#include <stdlib.h>

enum { MOST_GROUPS = 16 };

/* Elements of `arity` points each. */
typedef struct group {
    const int32_t *points; /* [n][arity], the mesh's */
    int64_t n;
    int arity;
} group;

/* Elements of several groups, numbered through. */
typedef struct elements {
    int64_t n_points;
    int n_groups;
    group groups[MOST_GROUPS];
    tess_buckets at_point; /* the elements of each point */
} elements;

static const int32_t *points_of(const elements *of, int64_t element, int *arity) {
    const group *g = of->groups;
    while (element >= g->n)
        element -= g++->n;
    *arity = g->arity;
    return g->points + element * g->arity;
}

static int most_points(const elements *of) {
    int most = 1;
    for (int g = 0; g < of->n_groups; g++)
        most = of->groups[g].arity > most ? of->groups[g].arity : most;
    return most;
}

/* Puts each element into the buckets of its points. */
static tess_status elements_of_points(elements *of) {
    tess_buckets *buckets = &of->at_point;
    int64_t n = 0;
    for (int g = 0; g < of->n_groups; g++)
        n += of->groups[g].n;
    TRY(tess_buckets_new(of->n_points, buckets));
    for (int pass = 0; pass < 2; pass++) {
#pragma omp parallel for schedule(static)
        for (int64_t e = 0; e < n; e++) {
            int arity = 0;
            const int32_t *points = points_of(of, e, &arity);
            for (int i = 0; i < arity; i++) {
                if (pass == 0)
                    tess_buckets_count(buckets, points[i]);
                else
                    tess_buckets_put(buckets, points[i], (uint64_t)e);
            }
        }
        if (pass == 0)
            TRY(tess_buckets_open(buckets));
    }
    tess_buckets_close(buckets);
    return TESS_OK;
}

/* Gathers the other points of a point's elements. An element that repeats the point has it once
 * among the others. */
static int64_t gather_others(const void *elements_of, int64_t point, int32_t *row) {
    const elements *of = elements_of;
    const tess_buckets *buckets = &of->at_point;
    int64_t n = 0;
    for (int64_t i = buckets->offset[point]; i < buckets->offset[point + 1]; i++) {
        int arity = 0;
        const int32_t *points = points_of(of, (int64_t)buckets->value[i], &arity);
        bool met = false;
        for (int k = 0; k < arity; k++) {
            if (points[k] != point || met)
                row[n++] = points[k];
            met = met || points[k] == point;
        }
    }
    return n;
}

/* Gives the points that each point shares an element with. */
static tess_status find_others(elements *of, tess_rows **out) {
    tess_status status = TESS_OK;
    int64_t longest = 0;
    CHECK(elements_of_points(of));
    for (int64_t point = 0; point < of->n_points; point++) {
        const int64_t n = of->at_point.offset[point + 1] - of->at_point.offset[point];
        longest = n > longest ? n : longest;
    }
    const tess_row_gatherer others = {.n_rows = of->n_points,
                                      .longest = longest * most_points(of),
                                      .gather = gather_others,
                                      .context = of};
    CHECK(tess_rows_gather(&others, NULL, out));
done:
    tess_buckets_release(&of->at_point);
    return status;
}

/* Adds the set `name` and the map from it to `set`. */
static tess_status add_pairs(tess_mesh *mesh, const char *name, const char *set, elements *of) {
    tess_status status = TESS_OK;
    tess_rows *others = NULL;
    int32_t *pairs = NULL;
    CHECK(find_others(of, &others));
    const int64_t n_pairs = others->offset[others->n];
    CHECK(tess_mesh_add_set(mesh, name, n_pairs, NULL));
    CHECK(TESS_ALLOC(2 * n_pairs, &pairs));
#pragma omp parallel for schedule(static)
    for (int64_t point = 0; point < others->n; point++)
        for (int64_t i = others->offset[point]; i < others->offset[point + 1]; i++) {
            pairs[2 * i] = (int32_t)point;
            pairs[2 * i + 1] = others->item[i];
        }
    status =
        tess_mesh_add_map(mesh, name, set, 2, TESS_MAP_DERIVED | TESS_MAP_PAIRS, TESS_TAKE(pairs));
done:
    free(pairs);
    tess_rows_free(others);
    return status;
}

tess_status tess_node_pairs_add(tess_mesh *mesh, const tess_cells *cells) {
    elements of = {.n_points = cells->n_nodes, .n_groups = cells->n_blocks};
    for (int b = 0; b < cells->n_blocks; b++)
        of.groups[b] = (group){.points = cells->blocks[b].nodes,
                               .n = cells->blocks[b].n,
                               .arity = cells->blocks[b].type->n_nodes};
    return add_pairs(mesh, "node_pairs", "nodes", &of);
}

tess_status tess_pairs_add(tess_mesh *mesh, const char *pairs, const char *const *maps, int n) {
    elements of = {.n_groups = n};
    char set[TESS_NAME_SIZE];
    int to = -1;
    if (n > MOST_GROUPS)
        FAIL(TESS_ERROR_INPUT, "%s come through %d maps: up to %d can be", pairs, n, MOST_GROUPS);
    for (int m = 0; m < n; m++) {
        const tess_map *map = tess_mesh_find_map(mesh, maps[m]);
        if (map->padded)
            FAIL(TESS_ERROR_INPUT, "%s come through %s, where elements have fewer than %d points",
                 pairs, maps[m], map->arity);
        if (to >= 0 && map->to != to)
            FAIL(TESS_ERROR_INPUT, "%s come through %s, which does not lead to %s", pairs, maps[m],
                 mesh->sets[to].name);
        to = map->to;
        of.groups[m] =
            (group){.points = map->index, .n = mesh->sets[map->from].size, .arity = map->arity};
    }
    of.n_points = mesh->sets[to].size;
    snprintf(set, sizeof set, "%s", mesh->sets[to].name); /* a new set may move the others */
    return add_pairs(mesh, pairs, set, &of);
}

const tess_map *tess_pairs_of_set(const tess_mesh *mesh, int set) {
    for (int m = 0; m < mesh->n_maps; m++)
        if (mesh->maps[m].pairs && mesh->maps[m].from == set)
            return &mesh->maps[m];
    return NULL;
}

/* Where the pairs of each of n rows begin [n + 1]; they are sorted by row. */
static tess_status row_offsets(const tess_mesh *mesh, const tess_map *pairs, int64_t **out) {
    const int64_t n_rows = mesh->sets[pairs->to].size, n = mesh->sets[pairs->from].size;
    int64_t *offset = NULL;
    TRY(TESS_ZEROS(n_rows + 1, &offset));
    for (int64_t i = 0; i < n; i++)
        offset[pairs->index[2 * i] + 1]++;
    for (int64_t row = 0; row < n_rows; row++)
        offset[row + 1] += offset[row];
    *out = offset;
    return TESS_OK;
}

/* The number of the pair (row, column), or -1. */
static int32_t pair_find(const int32_t *pairs, const int64_t *offset, int32_t row, int32_t column) {
    int64_t low = offset[row], high = offset[row + 1];
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (pairs[2 * middle + 1] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low < offset[row + 1] && pairs[2 * low + 1] == column ? (int32_t)low : -1;
}

/* Fails by the first element and slots whose pair is -1. */
static tess_status check_pairs(const tess_map *map, const char *pairs, const int32_t *index,
                               int64_t n) {
    const int others = map->arity - 1, arity = map->arity * others;
    for (int64_t e = 0; e < n; e++)
        for (int k = 0; k < arity; k++) {
            const int i = k / others, j = k % others + (k % others >= i);
            const int32_t *points = map->index + e * map->arity;
            if (index[e * arity + k] < 0)
                FAIL(TESS_ERROR_INPUT,
                     "%s lack the pair (%d, %d), which element %lld of %s has in its slots %d and "
                     "%d",
                     pairs, points[i], points[j], (long long)e, map->name, i, j);
        }
    return TESS_OK;
}

tess_status tess_pairs_of_map_add(tess_mesh *mesh, const char *name, const char *set) {
    tess_status status = TESS_OK;
    int64_t *offset = NULL;
    int32_t *index = NULL;
    const tess_map *map = tess_mesh_find_map(mesh, name);
    const tess_map *pairs = tess_mesh_find_map_between(mesh, set, mesh->sets[map->to].name);
    const int n_points = map->arity, arity = n_points * (n_points - 1);
    const int64_t n = mesh->sets[map->from].size;
    if (!pairs || arity == 0 || map->padded)
        FAIL(TESS_ERROR_INPUT, "%s are no pairs of points of %s", set, name);
    CHECK(row_offsets(mesh, pairs, &offset));
    CHECK(TESS_ALLOC(n * arity, &index));
#pragma omp parallel for schedule(static)
    for (int64_t e = 0; e < n; e++) {
        const int32_t *points = map->index + e * n_points;
        int32_t *to = index + e * arity;
        for (int i = 0; i < n_points; i++)
            for (int j = 0; j < n_points; j++)
                if (i != j)
                    *to++ = pair_find(pairs->index, offset, points[i], points[j]);
    }
    CHECK(check_pairs(map, set, index, n));
    status = tess_mesh_add_map(mesh, mesh->sets[map->from].name, set, arity, TESS_MAP_DERIVED,
                               TESS_TAKE(index));
done:
    free(offset);
    free(index);
    return status;
}
