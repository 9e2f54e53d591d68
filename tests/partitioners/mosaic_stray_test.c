/* Strays: pieces go to the blocks around where that costs nothing, and blocks of meshes
 * whose cut left many are in few. */
#include "core/base/union_find.h"
#include "partitioners/mosaic/stray.h"
#include "tests/partitioners/mosaic_case.h"

#include <stdlib.h>
#include <string.h>

enum { N = 12, SIZE = 4, N_BLOCKS = 3 };

/* Elements in a row, each with the points before and after it; `gap`: the first element of another
 * row, which shares no point with the first. Fills blocks, of which every one has SIZE elements. */
static void join_row(const int32_t *block_of, int32_t gap, int32_t *joined, double *apart) {
    int32_t point[2 * N];
    mosaic_blocks blocks;
    mosaic_pins pins = {.n_elements = N, .n_points = N + 2, .n_pins = 2L * N, .arity = 2};
    pins.point = point;
    for (int32_t e = 0; e < N; e++) {
        point[2 * e] = e + (e >= gap);
        point[2 * e + 1] = e + 1 + (e >= gap);
    }
    OK(mosaic_blocks_build(&pins, SIZE, N_BLOCKS, block_of, &blocks));
    OK(mosaic_strays_join(&blocks, apart));
    for (int32_t b = 0; b < N_BLOCKS; b++)
        assert_int_equal(blocks.size[b], SIZE);
    memcpy(joined, blocks.block_of, sizeof point / 2);
    mosaic_blocks_clear(&blocks);
}

static void a_piece_goes_to_the_block_around(void **state) {
    (void)state;
    const int32_t block_of[N] = {0, 0, 0, 1, 0, 1, 1, 1, 2, 2, 2, 2};
    const int32_t whole[N] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2};
    int32_t joined[N];
    double apart = -1;
    join_row(block_of, N, joined, &apart);
    assert_memory_equal(joined, whole, sizeof whole);
    assert_true(apart == 0);
}

/* What one basin leaves over and what another does are a block: it has two pieces for good. */
static void rests_of_basins_stay(void **state) {
    (void)state;
    const int32_t block_of[N] = {0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 1};
    int32_t joined[N];
    double apart = -1;
    join_row(block_of, 7, joined, &apart);
    assert_memory_equal(joined, block_of, sizeof block_of);
    assert_true(apart == 1. / N_BLOCKS);
}

/* Block 0 is two pairs at the ends of block 1, with three points in common each: to join them costs
 * three points, and there is nothing to pay for it. */
static void what_costs_points_stays(void **state) {
    (void)state;
    int32_t point[] = {0, 1, 2, 0, 1, 2, 3, 3, 4, 5, 6, 7, 8,  4,  5,  6,  7,  8,
                       4, 5, 6, 7, 8, 4, 5, 6, 7, 8, 9, 9, 10, 11, 12, 10, 11, 12};
    int64_t offset[] = {0, 3, 7, 13, 18, 23, 29, 33, 36};
    const int32_t block_of[] = {0, 0, 1, 1, 1, 1, 0, 0};
    const mosaic_pins pins = {
        .n_elements = 8, .n_points = 13, .n_pins = 36, .offset = offset, .point = point};
    mosaic_blocks blocks;
    double apart = -1;
    OK(mosaic_blocks_build(&pins, 4, 2, block_of, &blocks));
    OK(mosaic_strays_join(&blocks, &apart));
    assert_memory_equal(blocks.block_of, block_of, sizeof block_of);
    assert_true(apart == 0.5);
    mosaic_blocks_clear(&blocks);
}

/* How many pieces each block is in, in the mean: elements that share a point are one. */
static double pieces_of(const tess_partition_problem *problem, const int32_t *block_of) {
    const tess_incidence *const map = problem->maps;
    const int32_t n = (int32_t)problem->n_elements, k = map->arity;
    int32_t n_pieces = n, n_blocks = 0, *parent = NULL, *last = NULL;
    OK(TESS_ALLOC(n, &parent));
    OK(TESS_ALLOC(map->n_points * 8, &last)); /* up to eight elements of a point */
    memset(last, -1, (size_t)map->n_points * 8 * sizeof *last);
    for (int32_t e = 0; e < n; e++) {
        parent[e] = e;
        n_blocks = block_of[e] >= n_blocks ? block_of[e] + 1 : n_blocks;
        for (int32_t i = 0; i < k; i++) {
            if (map->index[(int64_t)e * k + i] < 0)
                continue;
            int32_t *at = last + (int64_t)map->index[(int64_t)e * k + i] * 8;
            while (*at >= 0 && block_of[*at] != block_of[e])
                at++;
            if (*at >= 0)
                n_pieces -= tess_sets_join(parent, *at, e);
            else
                *at = e;
        }
    }
    free(parent);
    free(last);
    return (double)n_pieces / n_blocks;
}

/* Edges of triangles whose cut is as good as balls, tets whose pieces are a face or two, a torus
 * whose slabs leave rests at both ends, few blocks: as the cut leaves them they are in 1.02 to 1.04
 * pieces, and 0.5 to 1 % behind METIS or another start. */
static void blocks_of_the_default_are_whole(void **state) {
    (void)state;
    static const struct {
        const char *mesh, *map;
        int32_t size;
        double reuse;
    } row[] = {
        {"tris:nx=134:ny=93:periodic=x:stretch=3405", "edges:cells", 64, 2.47},
        {"tets:nx=26:ny=10:nz=32:periodic=xyz:stretch=73", "faces:cells", 64, 2.74},
        {"quads:nx=343:ny=287:periodic=xy:stretch=2:shuffle=1", "edges:cells", 64, 3.126},
        {"tris:nx=178:ny=62:periodic=x:stretch=1925:shuffle=1", "cells:nodes", 480, 5.28},
    };
    for (size_t r = 0; r < sizeof row / sizeof row[0]; r++) {
        small_problem c = mesh_problem(row[r].mesh, row[r].map, row[r].size);
        int32_t *const block_of = blocks_by(c.problem, "mosaic:seed=1");
        const cost sum = cost_of(c.problem, block_of);
        assert_true(reuse(&sum) >= row[r].reuse);
        assert_true(pieces_of(c.problem, block_of) < 1.005);
        free(block_of);
        small_problem_free(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_piece_goes_to_the_block_around),
        cmocka_unit_test(rests_of_basins_stay),
        cmocka_unit_test(what_costs_points_stays),
        cmocka_unit_test(blocks_of_the_default_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
