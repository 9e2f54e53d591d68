/* Small plans for tests of core: a bound loop, a random partition and the plan of both. */
#pragma once

#include "core/plan/plan.h"
#include "tests/core/small_mesh.h"

typedef struct small_plan {
    tess_mesh *mesh;
    tess_loop *loop;
    tess_bound_loop *bound;
    tess_partition partition; /* block_of is owned */
    tess_plan *plan;
} small_plan;

/* Random blocks of at most block_size elements, dense. */
static inline tess_partition random_partition(uint64_t *seed, int64_t n, int32_t block_size) {
    tess_partition partition = {.n_elements = n, .block_size = block_size};
    OK(TESS_ALLOC(n, &partition.block_of));
    int32_t *room = NULL, *number = NULL;
    const int64_t n_blocks = n / block_size + 1 + random_below(seed, n / block_size + 1);
    OK(TESS_ALLOC(n_blocks, &room));
    OK(TESS_ALLOC(n_blocks, &number));
    for (int64_t b = 0; b < n_blocks; b++) {
        room[b] = block_size;
        number[b] = -1;
    }
    for (int64_t e = 0; e < n; e++) {
        int64_t b = random_below(seed, n_blocks);
        while (room[b] == 0)
            b = (b + 1) % n_blocks;
        room[b]--;
        if (number[b] < 0)
            number[b] = partition.n_blocks++;
        partition.block_of[e] = number[b];
    }
    free(room);
    free(number);
    return partition;
}

/* Consecutive elements in blocks. */
static inline tess_partition natural_partition(int64_t n, int32_t block_size) {
    tess_partition partition = {.n_elements = n,
                                .block_size = block_size,
                                .n_blocks = (int32_t)((n + block_size - 1) / block_size)};
    OK(TESS_ALLOC(n, &partition.block_of));
    for (int64_t e = 0; e < n; e++)
        partition.block_of[e] = (int32_t)(e / block_size);
    return partition;
}

/* A random mesh with a random loop and partition; over >= 0 is the map whose to-set is cut. */
static inline small_plan random_plan(uint64_t *seed, const tess_plan_options *options, int over) {
    small_plan made = {0};
    const int n_maps = 1 + random_below(seed, 3);
    made.mesh = random_mesh_of(seed, n_maps, random_below(seed, 3) ? 40 : 1000);
    if (over >= made.mesh->n_maps)
        over = made.mesh->n_maps - 1;
    const unsigned incremented =
        over >= 0 ? (unsigned)random_below(seed, 2) << over : (unsigned)random_below(seed, 8);
    made.loop = random_below(seed, 2) ? random_loop(made.mesh, incremented)
                                      : random_loop_of_slots(seed, made.mesh, incremented);
    OK(tess_loop_bind(made.loop, made.mesh, &made.bound));
    const int set = over >= 0 ? made.mesh->maps[over].to : made.bound->set;
    made.partition = random_partition(seed, made.mesh->sets[set].size, 1 + random_below(seed, 16));
    OK(over >= 0 ? tess_plan_build_owned(made.bound, set, &made.partition, options, &made.plan)
                 : tess_plan_build(made.bound, &made.partition, options, &made.plan));
    return made;
}

/* The plan of edges:cells on quads in consecutive blocks. */
static inline small_plan quad_plan(int nx, int ny, int32_t block_size) {
    small_plan made = {.mesh = quad_mesh(nx, ny)};
    OK(tess_loop_of_map("edges:cells", NULL, &made.loop));
    OK(tess_loop_bind(made.loop, made.mesh, &made.bound));
    made.partition = natural_partition(made.bound->n_elements, block_size);
    OK(tess_plan_build(made.bound, &made.partition, NULL, &made.plan));
    return made;
}

static inline void small_plan_free(small_plan *made) {
    tess_plan_free(made->plan);
    tess_bound_loop_free(made->bound);
    tess_loop_free(made->loop);
    tess_mesh_free(made->mesh);
    free(made->partition.block_of);
}

static inline bool same(const void *a, const void *b, int64_t n, size_t size) {
    return memcmp(a, b, (size_t)n * size) == 0;
}

/* The first array in which two plans differ, but for the colours of blocks; NULL: none. */
static inline const char *differing_array(const tess_plan *a, const tess_plan *b) {
    if (a->n_executed != b->n_executed ||
        !same(a->executed, b->executed, a->n_executed, sizeof *a->executed))
        return "executed";
    if (a->n_blocks != b->n_blocks ||
        !same(a->block_offset, b->block_offset, a->n_blocks + 1, sizeof *a->block_offset))
        return "block_offset";
    for (int k = 0; k < a->n_sets; k++) {
        const tess_plan_set *s = &a->sets[k], *t = &b->sets[k];
        if (!same(s->point_offset, t->point_offset, a->n_blocks + 1, sizeof *s->point_offset))
            return "point_offset";
        if (!same(s->points, t->points, s->point_offset[a->n_blocks], sizeof *s->points))
            return "points";
        if (!same(s->local_index, t->local_index, a->n_executed * s->n_slots,
                  sizeof *s->local_index))
            return "local_index";
    }
    if (!a->thread_colour != !b->thread_colour)
        return "colours";
    if (a->thread_colour && (!same(a->thread_colour, b->thread_colour, a->n_executed, 2) ||
                             !same(a->thread_colours, b->thread_colours, a->n_blocks, 4)))
        return "colours";
    return NULL;
}
