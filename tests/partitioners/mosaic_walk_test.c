/* Walks: they come to all elements in order; around rings they are opened, and their fronts are in
 * one piece; others are left as they are. */
#include "partitioners/mosaic/order.h"
#include "tests/partitioners/mosaic_case.h"

#include <stdlib.h>
#include <string.h>

/* A walk over the elements of a map, and what it needs. */
typedef struct walked {
    mosaic_pins pins;
    tess_rows *rows;
    mosaic_walk walk;
} walked;

static void walked_begin(const tess_partition_problem *problem, walked *w) {
    *w = (walked){.rows = NULL};
    OK(mosaic_pins_build(problem, INT64_MAX, &w->pins));
    OK(mosaic_rows_build(&w->pins, &w->rows));
    OK(mosaic_walk_reset(&w->pins, w->rows, &w->walk));
}

static void walked_clear(walked *w) {
    mosaic_walk_clear(&w->walk);
    tess_rows_free(w->rows);
    mosaic_pins_clear(&w->pins);
}

static void assert_all_are_there(const mosaic_walk *walk) {
    const int64_t n = walk->pins->n_elements;
    bool *seen = NULL;
    OK(TESS_ZEROS(n, &seen));
    for (int64_t i = 0; i < n; i++) {
        assert_false(seen[walk->order[i]]);
        seen[walk->order[i]] = true;
    }
    free(seen);
}

/* Fills order [n_elements] with what a plain search from an element comes to, one after the other;
 * gives how many. */
static int64_t search_plainly(const mosaic_pins *pins, const tess_rows *rows, int32_t from,
                              int32_t *order) {
    int64_t tail = 1;
    bool *seen = NULL;
    OK(TESS_ZEROS(pins->n_elements, &seen));
    order[0] = from;
    seen[from] = true;
    for (int64_t head = 0; head < tail; head++)
        for (int64_t k = mosaic_first(pins, order[head]); k < mosaic_end(pins, order[head]); k++)
            for (int64_t i = rows->offset[pins->point[k]]; i < rows->offset[pins->point[k] + 1];
                 i++)
                if (!seen[rows->item[i]]) {
                    seen[rows->item[i]] = true;
                    order[tail++] = rows->item[i];
                }
    free(seen);
    return tail;
}

/* Levels of more points than are noted at once, rows of one length and of several. */
static void a_walk_comes_to_all_as_a_plain_search_does(void **state) {
    (void)state;
    static const char *const maps[] = {"cells:nodes", "edges:nodes", "faces:cells"};
    for (int m = 0; m < 3; m++) {
        small_problem f = mesh_problem("tets:nx=9:ny=8:nz=7", maps[m], 64);
        walked w;
        walked_begin(f.problem, &w);
        const int64_t n = w.pins.n_elements;
        int32_t *plain = NULL;
        OK(TESS_ALLOC(n, &plain));
        assert_int_equal(search_plainly(&w.pins, w.rows, (int32_t)n - 1, plain), n);
        mosaic_walk_from(&w.walk, 0, n, 1);
        assert_memory_equal(plain, w.walk.order, (size_t)n * sizeof *plain);
        int32_t widest = 0;
        for (int32_t l = 0; l < w.walk.n_levels; l++)
            widest = w.walk.level[l + 1] - w.walk.level[l] > widest
                         ? w.walk.level[l + 1] - w.walk.level[l]
                         : widest;
        assert_true(widest > 2 * WALK_POINTS);
        free(plain);
        walked_clear(&w);
        small_problem_free(&f);
    }
}

/* Cells that share nodes around a ring of NX columns: from both sides a front is two columns, or
 * the last one; one way it is one, and there are NX of them. */
static void a_walk_around_a_ring_goes_one_way(void **state) {
    (void)state;
    enum { NX = 64, NY = 6 };
    small_problem f = mesh_problem("quads:nx=64:ny=6:periodic=x", "cells:nodes", 64);
    walked w;
    walked_begin(f.problem, &w);
    mosaic_walk *const walk = &w.walk;
    for (int y = 0; y < NY; y++) { /* the last column is the source */
        const int32_t cell = walk->order[y * NX];
        walk->order[y * NX] = walk->order[NX * NY - 1 - y];
        walk->order[NX * NY - 1 - y] = cell;
    }
    mosaic_walk_from(walk, 0, NX * NY, NY);
    assert_int_equal(walk->n_levels, NX / 2 + 1);
    mosaic_walk_straighten(walk, 0, NX * NY);
    assert_int_equal(walk->n_levels, NX);
    assert_all_are_there(walk);
    for (int32_t l = 0; l < NX; l++) {
        assert_int_equal(walk->level[l + 1] - walk->level[l], NY);
        for (int32_t i = walk->level[l]; i < walk->level[l + 1]; i++)
            assert_int_equal(walk->order[i] % NX, walk->order[walk->level[l]] % NX);
        if (l > 0) {
            const int apart =
                abs(walk->order[walk->level[l]] % NX - walk->order[walk->level[l - 1]] % NX);
            assert_true(apart == 1 || apart == NX - 1);
        }
    }
    walked_clear(&w);
    small_problem_free(&f);
}

/* Three chains of elements that meet at a point, walked from the end of the short one: in the
 * middle are two fronts, which never meet. */
static void a_walk_along_branches_is_left_as_it_is(void **state) {
    (void)state;
    enum { SHORT = 10, LONG = 40, N = SHORT + 2 * LONG };
    int32_t index[2 * N], before[N];
    for (int32_t e = 0; e < N; e++) { /* points 1, 2, ... along each chain from point 0 */
        const bool first = e == 0 || e == SHORT || e == SHORT + LONG;
        index[2 * e] = first ? 0 : e;
        index[2 * e + 1] = e + 1;
    }
    tess_incidence map = {.index = index, .arity = 2, .n_points = N + 1, .weight = 8};
    const tess_partition_problem problem = {
        .n_elements = N, .n_maps = 1, .maps = &map, .block_size = 8};
    walked w;
    walked_begin(&problem, &w);
    w.walk.order[SHORT - 1] = N - 1;
    w.walk.order[N - 1] = SHORT - 1;
    mosaic_walk_from(&w.walk, 0, N, 1);
    assert_int_equal(w.walk.n_levels, SHORT + LONG);
    memcpy(before, w.walk.order, sizeof before);
    mosaic_walk_straighten(&w.walk, 0, N);
    assert_int_equal(w.walk.n_levels, SHORT + LONG);
    assert_memory_equal(before, w.walk.order, sizeof before);
    for (int32_t l = 0; l < SHORT + LONG; l++)
        assert_int_equal(w.walk.level[l], l < SHORT ? l : 2 * l - SHORT);
    walked_clear(&w);
}

/* The mean number of pieces of blocks, two elements being in one where they share a point. */
static double mean_pieces(const tess_partition_problem *problem, const int32_t *block_of) {
    const int64_t n = problem->n_elements, n_points = problem->maps->n_points;
    const int arity = problem->maps->arity, n_blocks = cost_of(problem, block_of).n_blocks;
    int32_t *name = NULL, *least = NULL; /* of an element; of a block's elements at a point */
    int64_t pieces = 0;
    OK(TESS_ALLOC(n, &name));
    OK(TESS_ALLOC(n_blocks * n_points, &least));
    memset(least, 0x7f, (size_t)(n_blocks * n_points) * sizeof *least);
    for (int64_t e = 0; e < n; e++)
        name[e] = (int32_t)e;
    for (bool changed = true; changed;) { /* the least number spreads over its piece */
        changed = false;
        for (int64_t i = 0; i < n * arity; i++) {
            const int64_t e = i / arity, point = problem->maps->index[i];
            if (point < 0)
                continue;
            int32_t *const here = least + block_of[e] * n_points + point;
            changed = changed || name[e] != *here;
            *here = name[e] = name[e] < *here ? name[e] : *here;
        }
    }
    for (int64_t e = 0; e < n; e++)
        pieces += name[e] == e;
    free(name);
    free(least);
    return (double)pieces / n_blocks;
}

/* Slabs of 8 columns of a torus are rings, and blocks squares of 8 x 8, cubes in 3D. Where the
 * torus is as long as wide, two or three of its sides are farthest from an element, and cross. */
static void slabs_of_a_torus_are_cut_into_squares(void **state) {
    (void)state;
    enum { SIDE = 8 };
    static const struct {
        const char *mesh;
        int32_t n_levels, block_size, points;
    } cases[] = {{"quads:nx=96:ny=24:periodic=xy", 96, SIDE * SIDE, 81},
                 {"quads:nx=64:ny=64:periodic=xy", 64, SIDE * SIDE, 81},
                 {"hexes:nx=40:ny=40:nz=24:periodic=xyz", 40, SIDE * SIDE * SIDE, 729},
                 {"hexes:nx=24:ny=24:nz=24:periodic=xyz", 24, SIDE * SIDE * SIDE, 729}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const int32_t size = cases[c].block_size;
        small_problem f = mesh_problem(cases[c].mesh, "cells:nodes", size);
        const int64_t n = f.problem->n_elements;
        const mosaic_walking walking = {.largest = INT64_MAX};
        const mosaic_cut cut = {.block_size = size, .multiple = size, .width = SIDE, .tries = 1};
        mosaic_mesh mesh;
        int32_t *order = NULL, *block_of = NULL;
        OK(TESS_ALLOC(n, &order));
        OK(TESS_ALLOC(n, &block_of));
        OK(mosaic_mesh_build(f.problem, &walking, &mesh));
        assert_int_equal(mesh.n_levels, cases[c].n_levels);
        OK(mosaic_order_cut(&mesh, &cut, order));
        for (int64_t i = 0; i < n; i++)
            block_of[mesh.order[order[i]]] = (int32_t)(i / size);
        assert_int_equal(cost_of(f.problem, block_of).points, n / size * cases[c].points);
        free(order);
        free(block_of);
        mosaic_mesh_clear(&mesh);
        small_problem_free(&f);
    }
}

/* By slabs from both sides 2 to 4 % of these blocks were in two pieces. */
static void blocks_around_rings_are_in_one_piece(void **state) {
    (void)state;
    static const struct {
        const char *mesh;
        int32_t block_size;
    } cases[] = {{"tris:nx=96:ny=16:periodic=xy", 64}, {"ogrid:ni=164:nj=41", 128}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        small_problem f = mesh_problem(cases[i].mesh, "cells:nodes", cases[i].block_size);
        int32_t *block_of = blocks_by(f.problem, "mosaic");
        assert_true(mean_pieces(f.problem, block_of) < 1.01);
        assert_same_on_threads(f.problem, "mosaic");
        free(block_of);
        small_problem_free(&f);
    }
}

/* Exchange alone leaves 7 % of these blocks in pieces, as good as balls on the whole. */
static void blocks_in_pieces_are_joined(void **state) {
    (void)state;
    small_problem f = mesh_problem("airfoil:i=100:j=150", "edges:cells", 480);
    int32_t *block_of = blocks_by(f.problem, "mosaic");
    assert_true(mean_pieces(f.problem, block_of) < 1.04);
    free(block_of);
    small_problem_free(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_walk_comes_to_all_as_a_plain_search_does),
        cmocka_unit_test(a_walk_around_a_ring_goes_one_way),
        cmocka_unit_test(a_walk_along_branches_is_left_as_it_is),
        cmocka_unit_test(slabs_of_a_torus_are_cut_into_squares),
        cmocka_unit_test(blocks_around_rings_are_in_one_piece),
        cmocka_unit_test(blocks_in_pieces_are_joined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
