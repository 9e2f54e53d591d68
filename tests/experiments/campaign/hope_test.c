/* What is hoped of candidates, by those that were tried. */
#include "experiments/campaign/hope.h"
#include "tests/unit.h"

#include <math.h>

static tess_hope_case case_of(const char *strategy, const char *partitioner, int64_t block_size) {
    return (tess_hope_case){.base = "atomics",
                            .strategy = strategy,
                            .layout = "soa",
                            .partitioner = partitioner,
                            .block_size = block_size,
                            .reuse = NAN,
                            .seconds = NAN};
}

static void what_nothing_is_like_is_looked_at(void **state) {
    tess_hope_case cases[] = {case_of("atomics", "rcb", 128), case_of("two-step", "rcb", 128)};
    cases[1].base = "two-step";
    cases[1].seconds = 1;
    assert_true(tess_hope(cases, 2, 0) == 0);
}

static void better_blocks_may_be_faster_by_their_reuse(void **state) {
    tess_hope_case cases[] = {case_of("atomics", "mosaic", 128), case_of("atomics", "rcb", 128)};
    cases[1].seconds = 2;
    cases[1].reuse = 3;
    const double unknown = tess_hope(cases, 2, 0);
    assert_true(unknown < 2 && unknown > 1);
    cases[0].reuse = 3.3;
    assert_true(fabs(tess_hope(cases, 2, 0) - 2 / 1.1) < 1e-12);
    cases[0].reuse = 2; /* worse blocks may tie, not more */
    assert_true(tess_hope(cases, 2, 0) == 2);
}

static void those_of_one_size_count_before_others(void **state) {
    tess_hope_case cases[] = {case_of("atomics", "mosaic", 128), case_of("atomics", "rcb", 128),
                              case_of("atomics", "mosaic", 256), case_of("atomics:a=1", "rcb", 64)};
    cases[2].seconds = 1;
    cases[3].seconds = 0.1;
    assert_true(tess_hope(cases, 4, 0) > 0.5); /* by its own strategy, not by other options */
    cases[1].seconds = 4;
    cases[1].reuse = cases[0].reuse = 3;
    assert_true(tess_hope(cases, 4, 0) > 3.5);
    cases[1].layout = "aos"; /* other data: no longer the same way */
    assert_true(tess_hope(cases, 4, 0) < 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_nothing_is_like_is_looked_at),
        cmocka_unit_test(better_blocks_may_be_faster_by_their_reuse),
        cmocka_unit_test(those_of_one_size_count_before_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
