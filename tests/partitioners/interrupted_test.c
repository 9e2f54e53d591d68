/* Interrupted partitioners: each looks for an interrupt in what takes long, and gives up. */
#include "core/base/interrupt.h"
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

int main(void) {
    small_problem f = mesh_problem("irregular:nx=40:ny=40", "edges:cells", 64);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(partitioners_give_up, &f),
        cmocka_unit_test_prestate(refinement_gives_up, &f),
    };
    tess_interrupts_note();
    raise(SIGINT);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    small_problem_free(&f);
    return failed;
}
