/* Interrupted partitioners: each looks for an interrupt in what takes long, and gives up. */
#include "core/base/interrupt.h"
#include "partitioners/mosaic/slabs.h"
#include "partitioners/refine.h"
#include "tests/partitioners/mosaic_case.h"
#include "tests/partitioners/partition_of.h"

#include <signal.h>

static void partitioners_give_up(void **state) {
    const small_problem *f = *state;
    static const char *const specs[] = {
        "mosaic", "mosaic:level=long", "mosaic:cut=slabs", "mosaic:level=quick", "gps", "rcm",
        "rcb"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        assert_refused(f->problem, specs[i], TESS_ERROR_INTERRUPTED, "interrupted");
}

/* Annealing and sweeps have no cut before them here. */
static void refinement_gives_up(void **state) {
    const small_problem *f = *state;
    int32_t *block_of = NULL;
    OK(TESS_ALLOC(f->problem->n_elements, &block_of));
    for (int effort = 1; effort <= 6; effort++) {
        for (int64_t e = 0; e < f->problem->n_elements; e++)
            block_of[e] = (int32_t)(e / f->problem->block_size);
        assert_int_equal(tess_refine(f->problem, block_of, effort), TESS_ERROR_INTERRUPTED);
    }
    free(block_of);
}

/* What the first cut begins with takes seconds where there are millions of elements. */
static void a_large_mesh_is_not_walked(void **state) {
    const small_problem *f = *state;
    mosaic_pins pins = {0};
    mosaic_mesh mesh = {0};
    OK(mosaic_pins_build(f->problem, &pins));
    assert_int_equal(mosaic_mesh_build(&pins, 64, 0, &mesh), TESS_ERROR_INTERRUPTED);
    mosaic_mesh_clear(&mesh);
    mosaic_pins_clear(&pins);
}

/* A walk that is given up leaves each element where it was: whoever goes on finds them all. */
static void a_walk_given_up_is_whole(void **state) {
    const small_problem *f = *state;
    mosaic_pins pins = {0};
    mosaic_walk walk = {0};
    tess_rows *rows = NULL;
    OK(mosaic_pins_build(f->problem, &pins));
    OK(mosaic_rows_build(&pins, &rows));
    OK(mosaic_walk_reset(&pins, rows, &walk));
    assert_true(pins.n_elements > MOSAIC_SERIAL);
    mosaic_walk_from(&walk, 0, pins.n_elements, 1);
    assert_int_equal(walk.n_levels, 1);
    assert_int_equal(walk.level[0], 0);
    assert_int_equal(walk.level[1], pins.n_elements);
    for (int64_t e = 0; e < pins.n_elements; e++)
        assert_int_equal(walk.order[e], e);
    mosaic_walk_clear(&walk);
    tess_rows_free(rows);
    mosaic_pins_clear(&pins);
}

int main(void) {
    small_problem f = mesh_problem("irregular:nx=40:ny=40", "edges:cells", 64);
    small_problem large = mesh_problem("quads:nx=200:ny=150", "edges:cells", 64);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(partitioners_give_up, &f),
        cmocka_unit_test_prestate(refinement_gives_up, &f),
        cmocka_unit_test_prestate(a_large_mesh_is_not_walked, &large),
        cmocka_unit_test_prestate(a_walk_given_up_is_whole, &large),
    };
    tess_interrupts_note();
    raise(SIGINT);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    small_problem_free(&f);
    small_problem_free(&large);
    return failed;
}
