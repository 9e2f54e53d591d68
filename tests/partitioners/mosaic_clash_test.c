/* Mosaic's clashes: block colours given up where few points stand against it. */
#include "partitioners/mosaic/clash.h"
#include "tests/partitioners/block_colours_of.h"
#include "tests/partitioners/partition_of.h"
#include "tests/partitioners/tower.h"

/* Eight colours become as few as are asked for; sizes and pieces stay, and what it costs is little.
 */
static void colours_are_given_up(void **state) {
    (void)state;
    tower it;
    int64_t before = 0, after = 0;
    int32_t n_pieces = 0;
    tower_build("hexes:nx=8:ny=8:nz=400", &it);
    const int32_t n = it.blocks.n_blocks;
    assert_int_equal(block_colours_of(&it.hexes, it.block_of), 8);
    OK(mosaic_blocks_shared(&it.blocks, &before));
    OK(mosaic_clashes_ease(&it.blocks, INT64_MAX));
    OK(mosaic_blocks_shared(&it.blocks, &after));
    most_that_meet(&it, &n_pieces);
    assert_int_equal(block_colours_of(&it.hexes, it.blocks.block_of), CLASH_LEAST);
    assert_int_equal(n_pieces, n);
    assert_true(after > before && after - before <= (before + it.pins.n_points) / CLASHES_COST);
    assert_whole(&it);
    tower_free(&it);
}

/* Where all of a colour costs too much, nothing is changed for it, not half of it either: whoever
 * asks again gets the same. */
static void a_dear_colour_stays(void **state) {
    (void)state;
    tower it;
    tower_build("hexes:nx=8:ny=8:nz=160", &it);
    const size_t n_bytes = (size_t)it.pins.n_elements * sizeof *it.block_of;
    OK(mosaic_clashes_ease(&it.blocks, INT64_MAX));
    assert_int_equal(block_colours_of(&it.hexes, it.blocks.block_of), CLASH_LEAST + 1);
    memcpy(it.block_of, it.blocks.block_of, n_bytes);
    OK(mosaic_clashes_ease(&it.blocks, INT64_MAX));
    assert_memory_equal(it.blocks.block_of, it.block_of, n_bytes);
    tower_free(&it);
}

/* What the blocks of a tower have in common, and then, if `more` may be paid. */
static void ease_a_tower(int64_t more, int64_t shared[2]) {
    tower it;
    tower_build("hexes:nx=8:ny=8:nz=400", &it);
    OK(mosaic_blocks_shared(&it.blocks, shared));
    OK(mosaic_clashes_ease(&it.blocks, shared[0] + more));
    OK(mosaic_blocks_shared(&it.blocks, shared + 1));
    tower_free(&it);
}

/* What other blocks have in common is a bound. */
static void no_more_is_paid_than_others_have(void **state) {
    (void)state;
    int64_t shared[2];
    ease_a_tower(-1, shared);
    assert_int_equal(shared[1], shared[0]);
    ease_a_tower(0, shared);
    assert_int_equal(shared[1], shared[0]);
    ease_a_tower(shared[0], shared);
    const int64_t paid = shared[1] - shared[0];
    ease_a_tower(paid, shared);
    assert_int_equal(shared[1], shared[0] + paid);
    ease_a_tower(paid - 1, shared);
    assert_true(shared[1] < shared[0] + paid);
}

/* A colour less would cost more than what the default has over effort 2. */
static void more_effort_is_never_worse(void **state) {
    (void)state;
    static const char mesh[] = "hexes:nx=43:ny=98:nz=19:periodic=xy:shuffle=1";
    small_problem hexes = mesh_problem(mesh, "cells:nodes", 480);
    const int64_t longer = cost_by(hexes.problem, "mosaic:seed=1").points;
    assert_true(longer < cost_by(hexes.problem, "mosaic:effort=2:seed=1").points);
    small_problem_free(&hexes);
}

/* In 2D, of few elements and of many blocks. */
static void others_stay_as_they_are(void **state) {
    (void)state;
    static const char *const meshes[] = {"hexes:nx=8:ny=8:nz=400", "hexes:nx=8:ny=8:nz=150",
                                         "hexes:nx=8:ny=8:nz=520"};
    for (int m = 0; m < 3; m++) {
        tower it;
        tower_build(meshes[m], &it);
        it.blocks.dimension = m == 0 ? 2 : 3;
        OK(mosaic_clashes_ease(&it.blocks, INT64_MAX));
        assert_memory_equal(it.blocks.block_of, it.block_of,
                            (size_t)it.pins.n_elements * sizeof *it.block_of);
        tower_free(&it);
    }
}

/* Prisms of a box whose ends are joined: their blocks, 110, have six colours else. */
static void prisms_need_five_colours(void **state) {
    (void)state;
    static const char mesh[] = "prisms:nx=40:ny=24:nz=11:periodic=xyz:stretch=6";
    small_problem prisms = mesh_problem(mesh, "faces:cells", 480);
    tess_partition *made = partition_of(prisms.problem, "mosaic:seed=5");
    tower it = {.blocks.block_of = made->block_of};
    int32_t n_pieces = 0;
    OK(mosaic_pins_build(prisms.problem, INT64_MAX, &it.pins));
    most_that_meet(&it, &n_pieces);
    assert_int_equal(n_pieces, made->n_blocks);
    assert_int_equal(block_colours_of(&prisms, made->block_of), 5);
    mosaic_pins_clear(&it.pins);
    tess_partition_free(made);
    small_problem_free(&prisms);
}

/* What comes back keeps away from the point that a block leaves: else it would be left for ever. */
static void a_point_is_left_once(void **state) {
    (void)state;
    small_problem tets = mesh_problem("tets:nx=13:ny=13:nz=13:periodic=xyz", "cells:nodes", 128);
    tess_partition *made = partition_of(tets.problem, "rcb");
    mosaic_pins pins;
    mosaic_blocks blocks;
    OK(mosaic_pins_build(tets.problem, INT64_MAX, &pins));
    OK(mosaic_blocks_build(&pins, tets.problem->block_size, made->n_blocks, made->block_of,
                           &blocks));
    blocks.dimension = 3;
    OK(mosaic_clashes_ease(&blocks, INT64_MAX));
    assert_true(block_colours_of(&tets, blocks.block_of) < block_colours_of(&tets, made->block_of));
    mosaic_blocks_clear(&blocks);
    mosaic_pins_clear(&pins);
    tess_partition_free(made);
    small_problem_free(&tets);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_are_given_up),
        cmocka_unit_test(a_dear_colour_stays),
        cmocka_unit_test(others_stay_as_they_are),
        cmocka_unit_test(prisms_need_five_colours),
        cmocka_unit_test(a_point_is_left_once),
        cmocka_unit_test(no_more_is_paid_than_others_have),
        cmocka_unit_test(more_effort_is_never_worse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
