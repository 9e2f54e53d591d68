/* Block colours: searched for from more than one colouring. */
#include "tests/partitioners/block_colours_of.h"
#include "tests/partitioners/mosaic_case.h"
#include "tests/partitioners/partition_of.h"

/* From DSATUR's colours alone the search finds seventeen. */
static void first_fit_is_another_start(void **state) {
    small_problem prisms =
        mesh_problem("prisms:nx=52:ny=22:nz=35:periodic=xyz:stretch=94", "cells:nodes", 64);
    tess_partition *made = partition_of(prisms.problem, "rcb");
    assert_int_equal(block_colours_of(&prisms, made->block_of), 16);
    tess_partition_free(made);
    small_problem_free(&prisms);
}

/* Few blocks are searched for long, too: after half of the moves these have eight. */
static void few_blocks_are_searched_for_long(void **state) {
    small_problem hexes =
        mesh_problem("hexes:nx=39:ny=30:nz=22:periodic=x:stretch=7", "cells:nodes", 480);
    tess_partition *made = partition_of(hexes.problem, "mosaic:level=quick:seed=1");
    assert_int_equal(made->n_blocks, 54);
    assert_int_equal(block_colours_of(&hexes, made->block_of), 7);
    tess_partition_free(made);
    small_problem_free(&hexes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_fit_is_another_start),
        cmocka_unit_test(few_blocks_are_searched_for_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
