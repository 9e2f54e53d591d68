/* Cases for mosaic's tests: what blocks cost, counted anew; problems of meshes and random ones of
 * two maps. */
#pragma once

#include "core/mesh/derive.h"
#include "data/mesh_open.h"
#include "partitioners/partitioner.h"
#include "tests/core/small_problem.h"

#include <omp.h>

/* What blocks cost, counted here from the problem alone. */
typedef struct cost {
    int64_t pins, points;
    double weight;  /* of all points of blocks */
    double colours; /* mean over blocks of the most elements at one point */
    int32_t most_points, n_blocks, largest, n_full;
} cost;

static inline int64_t row_of(const tess_incidence *map, int64_t e, const int32_t **row) {
    const int64_t first = map->offset ? map->offset[e] : e * map->arity;
    *row = map->index + first;
    return map->offset ? map->offset[e + 1] - first : map->arity;
}

/* Adds to seen [n_points] how often n elements have each point of a map; gives how many points they
 * have. */
static inline int32_t count_block(const tess_incidence *map, const int32_t *elements, int64_t n,
                                  int32_t *seen, int32_t *most) {
    int32_t points = 0;
    for (int64_t e = 0; e < n; e++) {
        const int32_t *row = NULL;
        const int64_t width = row_of(map, elements[e], &row);
        for (int64_t i = 0; i < width; i++) {
            bool again = false;
            for (int64_t k = 0; k < i; k++)
                again = again || row[k] == row[i];
            if (row[i] < 0 || again)
                continue;
            points += seen[row[i]]++ == 0;
            *most = seen[row[i]] > *most ? seen[row[i]] : *most;
        }
    }
    return points;
}

/* Makes seen zero again where count_block has added. */
static inline void forget_block(const tess_incidence *map, const int32_t *elements, int64_t n,
                                int32_t *seen) {
    for (int64_t e = 0; e < n; e++) {
        const int32_t *row = NULL;
        const int64_t width = row_of(map, elements[e], &row);
        for (int64_t i = 0; i < width; i++)
            if (row[i] >= 0)
                seen[row[i]] = 0;
    }
}

static inline cost cost_of(const tess_partition_problem *problem, const int32_t *block_of) {
    const int64_t n = problem->n_elements;
    cost sum = {0};
    tess_rows *blocks = NULL;
    int32_t *seen[8] = {NULL};
    for (int64_t e = 0; e < n; e++) {
        assert_in_range(block_of[e], 0, n);
        sum.n_blocks = block_of[e] >= sum.n_blocks ? block_of[e] + 1 : sum.n_blocks;
    }
    OK(tess_rows_build(block_of, n, sum.n_blocks, &blocks));
    assert_in_range(problem->n_maps, 0, 8);
    for (int m = 0; m < problem->n_maps; m++)
        OK(TESS_ZEROS(problem->maps[m].n_points, &seen[m]));
    for (int32_t b = 0; b < sum.n_blocks; b++) {
        const int32_t *of_block = blocks->item + blocks->offset[b];
        const int32_t size = (int32_t)tess_rows_size(blocks, b);
        int32_t all_points = 0, most = 0;
        sum.largest = size > sum.largest ? size : sum.largest;
        sum.n_full += size == problem->block_size;
        for (int m = 0; m < problem->n_maps; m++) {
            const tess_incidence *map = problem->maps + m;
            const int32_t points = count_block(map, of_block, size, seen[m], &most);
            forget_block(map, of_block, size, seen[m]);
            all_points += points;
            sum.weight += map->weight * points;
        }
        sum.points += all_points;
        sum.most_points = all_points > sum.most_points ? all_points : sum.most_points;
        sum.colours += most;
    }
    sum.colours /= sum.n_blocks ? sum.n_blocks : 1;
    for (int m = 0; m < problem->n_maps; m++) {
        for (int64_t e = 0; e < n; e++) {
            const int32_t *row = NULL;
            const int64_t width = row_of(problem->maps + m, e, &row);
            for (int64_t i = 0; i < width; i++)
                sum.pins += row[i] >= 0;
        }
        free(seen[m]);
    }
    tess_rows_free(blocks);
    return sum;
}

/* A random problem of two maps with weights, and blocks at random. */
typedef struct weighted_case {
    tess_partition_problem problem;
    tess_incidence maps[2];
    int32_t *index[2];
    int64_t *offset;
    int32_t *block_of;
} weighted_case;

static inline weighted_case weighted_at_random(uint64_t *seed) {
    weighted_case w = {0};
    const int n = 200 + random_below(seed, 800), size = 8 + random_below(seed, 60);
    const int n_points[2] = {20 + random_below(seed, n), 20 + random_below(seed, n)};
    OK(TESS_ALLOC(3 * n, &w.index[0]));
    OK(TESS_ALLOC(5 * n, &w.index[1]));
    OK(TESS_ALLOC(n + 1, &w.offset));
    OK(TESS_ALLOC(n, &w.block_of));
    for (int i = 0; i < 3 * n; i++) /* near each other, sometimes none, sometimes twice */
        w.index[0][i] =
            random_below(seed, 9) == 0 ? -1 : (i / 3 + random_below(seed, 5)) * 7919 % n_points[0];
    w.offset[0] = 0;
    for (int e = 0; e < n; e++) {
        w.offset[e + 1] = w.offset[e] + random_below(seed, 6);
        for (int64_t i = w.offset[e]; i < w.offset[e + 1]; i++)
            w.index[1][i] = (e + random_below(seed, 4)) % n_points[1];
        w.block_of[e] = e / size;
    }
    for (int e = n - 1; e > 0; e--) {
        const int other = random_below(seed, e + 1);
        const int32_t keep = w.block_of[e];
        w.block_of[e] = w.block_of[other];
        w.block_of[other] = keep;
    }
    w.maps[0] =
        (tess_incidence){.index = w.index[0], .arity = 3, .n_points = n_points[0], .weight = 16};
    w.maps[1] = (tess_incidence){
        .index = w.index[1], .offset = w.offset, .n_points = n_points[1], .weight = 8};
    w.problem = (tess_partition_problem){.n_elements = n, .n_maps = 2, .block_size = size};
    return w;
}

static inline void weighted_free(weighted_case *w) {
    free(w->index[0]);
    free(w->index[1]);
    free(w->offset);
    free(w->block_of);
}

/* What a partitioner of this library gives, before any repair; the caller frees it. */
static inline int32_t *blocks_by(const tess_partition_problem *problem, const char *text) {
    const tess_partitioner *partitioner = NULL;
    tess_spec *spec = NULL;
    int32_t *block_of = NULL;
    int n = 0;
    OK(tess_spec_list_parse(text, &spec, &n));
    OK(tess_partitioner_find(spec->name, &partitioner));
    OK(tess_spec_check(spec, partitioner->options));
    OK(TESS_ALLOC(problem->n_elements, &block_of));
    if (partitioner->partition(problem, spec, block_of) != TESS_OK)
        fail_msg("%s: %s", text, tess_message());
    tess_spec_list_free(spec, n);
    return block_of;
}

static inline cost cost_by(const tess_partition_problem *problem, const char *text) {
    int32_t *block_of = blocks_by(problem, text);
    const cost sum = cost_of(problem, block_of);
    free(block_of);
    return sum;
}

/* The problem of a mesh by name, with one map. */
static inline small_problem mesh_problem(const char *mesh, const char *map, int32_t block_size) {
    small_problem f = {0};
    OK(tess_mesh_open(mesh, &f.mesh));
    OK(tess_mesh_derive(f.mesh, map));
    OK(tess_loop_of_map(map, NULL, &f.loop));
    OK(tess_loop_bind(f.loop, f.mesh, &f.bound));
    OK(tess_partition_problem_build(f.bound, TESS_POINTS_INCREMENTS, block_size, 0, &f.problem));
    return f;
}

static inline double reuse(const cost *sum) {
    return (double)sum->pins / (double)sum->points;
}

static inline double reuse_by(const tess_partition_problem *problem, const char *text) {
    const cost sum = cost_by(problem, text);
    return reuse(&sum);
}

/* Checks that one thread, two and three make the same blocks. */
static inline void assert_same_on_threads(const tess_partition_problem *problem, const char *text) {
    const size_t bytes = (size_t)problem->n_elements * sizeof(int32_t);
    const int before = omp_get_max_threads();
    omp_set_num_threads(1);
    int32_t *const first = blocks_by(problem, text);
    for (int n_threads = 2; n_threads <= 3; n_threads++) {
        omp_set_num_threads(n_threads);
        int32_t *block_of = blocks_by(problem, text);
        assert_memory_equal(first, block_of, bytes);
        free(block_of);
    }
    free(first);
    omp_set_num_threads(before);
}
