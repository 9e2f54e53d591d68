/* Small problems for tests: loops over small meshes, and the contract of a partition of them. */
#pragma once

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
