/* Small problems for tests: loops over small meshes, and the contract of a partition of them. */
#pragma once

#include "core/plan/block_order.h"
#include "core/plan/partition.h"
#include "tests/core/small_mesh.h"

/* A problem over a mesh, and what must outlive it. */
typedef struct small_problem {
    tess_mesh *mesh;
    tess_loop *loop;
    tess_bound_loop *bound;
    tess_partition_problem *problem;
} small_problem;

static inline small_problem quads_problem(int nx, int ny, int32_t block_size) {
    small_problem f = {.mesh = quad_mesh(nx, ny)};
    OK(tess_loop_of_map("edges:cells", NULL, &f.loop));
    OK(tess_loop_bind(f.loop, f.mesh, &f.bound));
    OK(tess_partition_problem_build(f.bound, TESS_POINTS_INCREMENTS, block_size, 0, &f.problem));
    return f;
}

static inline small_problem random_problem(uint64_t *seed, int32_t block_size) {
    small_problem f = {.mesh = random_mesh(seed, 1 + random_below(seed, 3))};
    f.loop = random_loop(f.mesh, 1);
    OK(tess_loop_bind(f.loop, f.mesh, &f.bound));
    OK(tess_partition_problem_build(f.bound, TESS_POINTS_ALL, block_size, 0, &f.problem));
    return f;
}

static inline void small_problem_free(small_problem *f) {
    tess_partition_problem_free(f->problem);
    tess_bound_loop_free(f->bound);
    tess_loop_free(f->loop);
    tess_mesh_free(f->mesh);
}

/* Every element in one block, no block over the block size, none empty. */
static inline void assert_contract(const tess_partition_problem *problem,
                                   const tess_partition *partition) {
    int32_t *size = NULL;
    assert_int_equal(partition->n_elements, problem->n_elements);
    OK(TESS_ZEROS(partition->n_blocks, &size));
    for (int64_t e = 0; e < partition->n_elements; e++) {
        assert_in_range(partition->block_of[e], 0, partition->n_blocks - 1);
        size[partition->block_of[e]]++;
    }
    for (int32_t b = 0; b < partition->n_blocks; b++)
        assert_in_range(size[b], 1, problem->block_size);
    free(size);
}

/* What tess_block_order_build says of random blocks, by counting each block's points on its own:
 * some blocks may be empty, and an element's own row end is no access. */
static inline void assert_reuse_of_random_blocks(const tess_partition_problem *problem,
                                                 uint64_t *seed) {
    const int n_blocks = 1 + random_below(seed, 9);
    int64_t n_references = 0, n_points = 0, largest = 0, size[9] = {0};
    int32_t *block_of = NULL, *number = NULL;
    double reuse = 0;
    OK(TESS_ALLOC(problem->n_elements, &block_of));
    for (int64_t e = 0; e < problem->n_elements; e++)
        size[block_of[e] = random_below(seed, n_blocks)]++;
    for (int b = 0; b < n_blocks; b++) {
        largest = size[b] > largest ? size[b] : largest;
        for (int m = 0; m < problem->n_maps; m++) {
            const tess_incidence *map = &problem->maps[m];
            bool *has = NULL;
            OK(TESS_ZEROS(map->n_points, &has));
            for (int64_t e = 0, n = 0; e < problem->n_elements; e++) {
                const int32_t *row = tess_incidence_row(map, e, &n);
                for (int64_t s = 0; s < n - map->points_are_elements; s++) {
                    if (block_of[e] != b || row[s] < 0)
                        continue;
                    n_references++;
                    n_points += !has[row[s]];
                    has[row[s]] = true;
                }
            }
            free(has);
        }
    }
    int64_t most = 0;
    OK(tess_block_order_build(problem, block_of, n_blocks, &number, &most, &reuse));
    assert_int_equal(most, largest);
    assert_true(reuse == (n_points ? (double)n_references / (double)n_points : 0));
    free(number);
    free(block_of);
}
