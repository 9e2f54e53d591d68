/* Changed meshes for tests: elements that go, come, become others or change their numbers. */
#pragma once

#include "core/plan/recut.h"
#include "tests/core/small_plan.h"

/* How the second mesh follows from the first. */
typedef struct change {
    int gone, added; /* of a hundred elements */
    bool shuffled;   /* elements have other numbers than in order */
    int points;      /* 0: as they were; 1: moved up, in order; 2: in the opposite order */
    int refreshed;   /* of a hundred elements: other points under the same number */
} change;

/* The number that a point of a set of `size` has in the second mesh. */
static inline int32_t moved(const change *how, int32_t point, int64_t size) {
    return point < 0          ? -1
           : how->points == 0 ? point
           : how->points == 1 ? 2 * point + 1
                              : (int32_t)size - 1 - point;
}

/* Fills was [2 n at most]; gives how many elements there are. */
static inline int64_t change_elements(const change *how, uint64_t *seed, int64_t n, int32_t *was) {
    int64_t n_now = 0;
    for (int64_t e = 0; e < n; e++) {
        if (random_below(seed, 100) >= how->gone)
            was[n_now++] = (int32_t)e;
        if (random_below(seed, 100) < how->added || (e == n - 1 && n_now == 0))
            was[n_now++] = -1;
    }
    for (int64_t i = n_now - 1; how->shuffled && i > 0; i--) {
        const int64_t j = random_below(seed, i + 1);
        const int32_t kept = was[i];
        was[i] = was[j];
        was[j] = kept;
    }
    return n_now;
}

/* The second mesh: the same sets and maps, with elements as `was` says and new ones anywhere. */
static inline tess_mesh *changed_mesh(const change *how, uint64_t *seed, const tess_mesh *mesh,
                                      int set, int64_t n, const int32_t *was) {
    tess_mesh *other = NULL;
    OK(tess_mesh_new("changed", 2, &other));
    for (int s = 0; s < mesh->n_sets; s++)
        OK(tess_mesh_add_set(other, mesh->sets[s].name, s == set ? n : 2 * mesh->sets[s].size + 1,
                             NULL));
    for (int m = 0; m < mesh->n_maps; m++) {
        const tess_map *map = &mesh->maps[m];
        const int64_t size = mesh->sets[map->to].size;
        int32_t *index = NULL;
        OK(TESS_ALLOC(n * map->arity, &index));
        for (int64_t i = 0; i < n * map->arity; i++) {
            const int32_t old = was[i / map->arity];
            const int64_t slot = i % map->arity;
            const int32_t point = old < 0 ? 0 : map->index[(int64_t)old * map->arity + slot];
            const bool again = old >= 0 && point >= 0 && random_below(seed, 100) < how->refreshed;
            const bool ends = map->padded && slot > 0 && (again || index[i - 1] < 0);
            index[i] = ends               ? -1
                       : old < 0 || again ? random_below(seed, size)
                                          : moved(how, point, size);
        }
        OK(tess_mesh_add_map(other, mesh->sets[set].name, mesh->sets[map->to].name, map->arity,
                             map->padded ? TESS_MAP_PADDED : 0, index));
    }
    return other;
}

/* Blocks of the first plan whose elements are all there still. */
static inline int32_t count_untouched(const tess_recut *recut) {
    int32_t n = 0;
    for (int32_t b = 0; b < recut->before->n_blocks; b++)
        n += !recut->touched[b];
    return n;
}

/* The partition after the change; consecutive elements of what is cut anew are blocks. */
static inline tess_partition *cut_again(const tess_partition *before, const int32_t *was, int64_t n,
                                        int32_t *n_untouched) {
    tess_recut recut;
    tess_partition *joined = NULL;
    OK(tess_recut_open(before, was, n, &recut));
    tess_partition cut = natural_partition(recut.n, before->block_size);
    cut.reuse_factor_before = 2;
    OK(tess_recut_join(&recut, recut.n ? &cut : NULL, &joined));
    for (int64_t e = 0, i = 0; e < n; e++) {
        const bool anew = i < recut.n && recut.elements[i] == e;
        i += anew;
        assert_int_equal(anew, was[e] < 0 || recut.touched[before->block_of[was[e]]]);
        for (int64_t f = 0; f < e; f++) /* elements stay together, and strangers do not join them */
            if (was[e] >= 0 && was[f] >= 0 && !anew && !recut.touched[before->block_of[was[f]]])
                assert_int_equal(joined->block_of[e] == joined->block_of[f],
                                 before->block_of[was[e]] == before->block_of[was[f]]);
    }
    assert_true(joined->reuse_factor_before == 0); /* of a part alone */
    *n_untouched = count_untouched(&recut);
    assert_int_equal(joined->n_blocks, *n_untouched + cut.n_blocks);
    free(cut.block_of);
    tess_recut_close(&recut);
    return joined;
}
