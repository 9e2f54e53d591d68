/* What cutting costs: who is made unasked on a large mesh. */
#include "experiments/bench/cut_cost.h"
#include "tests/unit.h"

static void what_takes_minutes_is_asked_for(void **state) {
    assert_true(
        tess_partitioner_is_slow("scotch", "scotch:strategy=quality:weights=shared", 1400000));
    assert_true(tess_partitioner_is_slow("metis", "metis:objtype=vol", 5000000));
    assert_false(tess_partitioner_is_slow("scotch", "scotch:strategy=quality", 50000));
    assert_false(tess_partitioner_is_slow("metis", "metis:objtype=vol", 500000));
    assert_false(tess_partitioner_is_slow("rcb", "rcb", 10000000));
    assert_false(tess_partitioner_is_slow("mosaic", "mosaic:level=quick", 10000000));
}

static void the_levels_of_mosaic_differ(void **state) {
    const double quick = tess_partitioner_cost("mosaic", "mosaic:level=quick"),
                 usual = tess_partitioner_cost("mosaic", "mosaic");
    assert_true(tess_partitioner_cost("rcb", "rcb") < quick && quick < usual);
    assert_true(usual < tess_partitioner_cost("mosaic", "mosaic:level=long"));
    assert_true(tess_partitioner_cost("nobody", "nobody") > usual);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_takes_minutes_is_asked_for),
        cmocka_unit_test(the_levels_of_mosaic_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
