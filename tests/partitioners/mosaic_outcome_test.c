/* Mosaic's outcomes: whether a cut that looks good is doubted. */
#include "partitioners/mosaic/outcome.h"
#include "tests/partitioners/mosaic_case.h"

/* Blocks of a closed surface with as many points as a ball, some of which are in pieces. */
static bool are_doubted(int64_t n_points, double pieces) {
    const mosaic_mesh mesh = {
        .pins = {.n_elements = 30000, .n_points = n_points, .n_pins = 60000, .arity = 2},
        .regular = true,
        .ball.points = 100,
        .dimension = 3};
    const mosaic_cut cut = {.block_size = 64};
    const mosaic_choice chosen = {.regular = true, .torn = true, .pieces = pieces, .points = 100};
    return mosaic_outcome_of(&mesh, &cut, &chosen, mosaic_efforts + MOSAIC_EFFORT).torn;
}

/* Edges by cells of triangles, and by nodes, whose balls have more points than blocks can have. */
static void blocks_in_pieces_as_good_as_balls_are_doubted_where_points_are_crowded(void **state) {
    (void)state;
    assert_false(are_doubted(20000, TORN_SETTLED));
    assert_true(are_doubted(20000, 1.1 * TORN_SETTLED));
    assert_true(are_doubted(10000, TORN_SETTLED));
}

/* Whether a solid that coordinates cut is tried in slabs: so many elements, of two points or more,
 * to a point. */
static bool is_tried_in_slabs(int64_t n_elements, int arity) {
    enum { N_POINTS = 10000 };
    const mosaic_mesh mesh = {.pins = {.n_elements = n_elements,
                                       .n_points = N_POINTS,
                                       .n_pins = n_elements * arity,
                                       .arity = arity},
                              .by_coordinates = true,
                              .ball.points = 100,
                              .dimension = 3};
    const mosaic_cut cut = {.block_size = 64};
    const mosaic_choice chosen = {.points = 100};
    return mosaic_outcome_of(&mesh, &cut, &chosen, mosaic_efforts + MOSAIC_EFFORT).halved;
}

static void hexes_and_prisms_are_tried_in_slabs(void **state) {
    (void)state;
    assert_true(is_tried_in_slabs(10000, 8));  /* hexes by nodes */
    assert_true(is_tried_in_slabs(20000, 6));  /* prisms */
    assert_false(is_tried_in_slabs(50000, 4)); /* tets */
    assert_true(is_tried_in_slabs(39000, 2));  /* edges of prisms */
    assert_false(is_tried_in_slabs(30000, 2)); /* ... of hexes, faces by cells */
    assert_false(is_tried_in_slabs(65000, 2)); /* ... of tets */
}

/* The 64 triangles of a rhombus of 4 x 8 have 45 nodes, and no few of them that change
 * blocks save one; blocks of slabs that are no whole levels wide come to have 44.5. */
static void rhombi_are_tried_in_slabs(void **state) {
    (void)state;
    small_problem f = mesh_problem("tris:nx=128:ny=48:periodic=xy", "cells:nodes", 64);
    const cost low = cost_by(f.problem, "mosaic:effort=2"),
               usual = cost_by(f.problem, "mosaic:seed=1");
    assert_int_equal(low.points, 45 * low.n_blocks);
    assert_true((double)usual.points < 44.6 * usual.n_blocks);
    small_problem_free(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_in_pieces_as_good_as_balls_are_doubted_where_points_are_crowded),
        cmocka_unit_test(hexes_and_prisms_are_tried_in_slabs),
        cmocka_unit_test(rhombi_are_tried_in_slabs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
