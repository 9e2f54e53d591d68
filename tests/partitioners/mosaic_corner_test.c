/* Mosaic's corners: points where many blocks meet, made less of. */
#include "partitioners/mosaic/corner.h"
#include "tests/partitioners/partition_of.h"
#include "tests/partitioners/tower.h"

/* Sizes and pieces stay, and what it costs is little. */
static void a_corner_is_eased(void **state) {
    (void)state;
    tower it;
    tower_build("hexes:nx=8:ny=8:nz=1008", &it);
    int64_t before = 0, after = 0;
    int32_t n_pieces = 0;
    assert_int_equal(most_that_meet(&it, &n_pieces), 8);
    OK(mosaic_blocks_shared(&it.blocks, &before));
    OK(mosaic_corners_ease(&it.blocks, INT64_MAX));
    OK(mosaic_blocks_shared(&it.blocks, &after));
    assert_int_equal(most_that_meet(&it, &n_pieces), CORNER_LEAST);
    assert_int_equal(n_pieces, it.blocks.n_blocks);
    assert_true(after > before && after - before <= it.pins.n_pins / CORNERS_COST);
    assert_whole(&it);
    tower_free(&it);
}

/* Where it costs too much, nothing is changed: not half of it either. In 2D nobody asks. */
static void a_dear_corner_stays(void **state) {
    (void)state;
    static const char *const meshes[] = {"hexes:nx=8:ny=8:nz=100", "hexes:nx=8:ny=8:nz=1008"};
    for (int flat = 0; flat < 2; flat++) {
        tower it;
        tower_build(meshes[flat], &it);
        it.blocks.dimension = flat ? 2 : 3;
        OK(mosaic_corners_ease(&it.blocks, INT64_MAX));
        assert_memory_equal(it.blocks.block_of, it.block_of,
                            (size_t)it.pins.n_elements * sizeof *it.block_of);
        tower_free(&it);
    }
}

/* Blocks that have less in common than others do not come to have more. */
static void no_more_is_paid_than_others_have(void **state) {
    (void)state;
    int64_t before = 0, after = 0;
    for (int64_t more = 0; more < 2; more++) {
        tower it;
        tower_build("hexes:nx=8:ny=8:nz=1008", &it);
        OK(mosaic_blocks_shared(&it.blocks, &before));
        OK(mosaic_corners_ease(&it.blocks, before + more));
        OK(mosaic_blocks_shared(&it.blocks, &after));
        assert_true(more ? after <= before + more : after > before);
        tower_free(&it);
    }
}

/* A box of prisms that rhombi of 32 triangles and four layers fill: cut across these, 12 blocks
 * meet at a point. */
static void rhombi_are_cut_along(void **state) {
    (void)state;
    small_problem prisms = mesh_problem("prisms:nx=24:ny=12:nz=16", "cells:nodes", SIZE);
    tess_partition *made = partition_of(prisms.problem, "mosaic:effort=0");
    tower it = {.blocks.block_of = made->block_of};
    int32_t n_pieces = 0;
    OK(mosaic_pins_build(prisms.problem, INT64_MAX, &it.pins));
    assert_true(most_that_meet(&it, &n_pieces) <= 8);
    mosaic_pins_clear(&it.pins);
    tess_partition_free(made);
    small_problem_free(&prisms);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_corner_is_eased),
        cmocka_unit_test(a_dear_corner_stays),
        cmocka_unit_test(no_more_is_paid_than_others_have),
        cmocka_unit_test(rhombi_are_cut_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
