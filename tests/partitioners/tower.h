/* A tower: blocks of hexes, eight of which meet at one point. */
#pragma once

#include "core/base/array.h"
#include "core/base/union_find.h"
#include "partitioners/mosaic/blocks.h"
#include "tests/partitioners/mosaic_case.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 8, LAYER = SIDE * SIDE, SIZE = LAYER, N_BRICKS = 8, MOST_MEET = 16 };

/* A box of hexes, blocks of 64: eight bricks of 4 x 4 x 4, which meet at one point, below slabs of
 * a layer. */
typedef struct tower {
    small_problem hexes;
    mosaic_pins pins;
    mosaic_blocks blocks;
    int32_t *block_of; /* as it was built */
} tower;

/* The blocks point to the pins: it does not move. */
static inline void tower_build(const char *mesh, tower *it) {
    *it = (tower){.hexes = mesh_problem(mesh, "cells:nodes", SIZE)};
    const tess_partition_problem *const problem = it->hexes.problem;
    const int32_t n = (int32_t)problem->n_elements;
    OK(TESS_ALLOC(n, &it->block_of));
    for (int32_t e = 0; e < n; e++) {
        const int x = e % SIDE, y = e / SIDE % SIDE, z = e / LAYER;
        it->block_of[e] = z < SIDE ? x / 4 + 2 * (y / 4) + 4 * (z / 4) : N_BRICKS + z - SIDE;
    }
    OK(mosaic_pins_build(problem, INT64_MAX, &it->pins));
    OK(mosaic_blocks_build(&it->pins, SIZE, n / SIZE, it->block_of, &it->blocks));
    it->blocks.dimension = 3;
}

static inline void tower_free(tower *it) {
    mosaic_blocks_clear(&it->blocks);
    mosaic_pins_clear(&it->pins);
    free(it->block_of);
    small_problem_free(&it->hexes);
}

/* The most blocks at a point, counted anew; how many pieces the blocks are in. */
static inline int32_t most_that_meet(const tower *it, int32_t *n_pieces) {
    const int32_t n = (int32_t)it->pins.n_elements, *const block_of = it->blocks.block_of;
    int32_t most = 0, *parent = NULL, (*first)[MOST_MEET] = NULL; /* elements of other blocks */
    OK(TESS_ALLOC(n, &parent));
    OK(TESS_ALLOC(it->pins.n_points, &first));
    memset(first, -1, (size_t)it->pins.n_points * sizeof *first);
    *n_pieces = n;
    for (int32_t e = 0; e < n; e++) {
        parent[e] = e;
        for (int64_t k = mosaic_first(&it->pins, e); k < mosaic_end(&it->pins, e); k++) {
            int32_t *const at = first[it->pins.point[k]], i = 0;
            while (at[i] >= 0 && block_of[at[i]] != block_of[e])
                i++;
            if (at[i] < 0)
                at[i] = e;
            else
                *n_pieces -= tess_sets_join(parent, at[i], e);
            most = i + 1 > most ? i + 1 : most;
        }
    }
    free(parent);
    free(first);
    return most;
}

/* All blocks have as many elements as before, and each element is in the block that it names. */
static inline void assert_whole(const tower *it) {
    for (int32_t b = 0; b < it->blocks.n_blocks; b++) {
        assert_int_equal(it->blocks.size[b], SIZE);
        for (int32_t i = 0; i < SIZE; i++)
            assert_int_equal(it->blocks.block_of[mosaic_block(&it->blocks, b)[i]], b);
    }
}
