/* Block colours: searched for from more than one colouring. */
#include "tests/partitioners/block_colours_of.h"
#include "tests/partitioners/mosaic_case.h"
#include "tests/partitioners/partition_of.h"

/* From DSATUR's colours alone the search finds seventeen. */
static void first_fit_is_another_start(void **state) {
    (void)state;
    small_problem prisms =
        mesh_problem("prisms:nx=52:ny=22:nz=35:periodic=xyz:stretch=94", "cells:nodes", 64);
    tess_partition *made = partition_of(prisms.problem, "rcb");
    assert_int_equal(block_colours_of(&prisms, made->block_of), 16);
    tess_partition_free(made);
    small_problem_free(&prisms);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_fit_is_another_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
