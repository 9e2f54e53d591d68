/* The proof of plans that are run: always of small ones, of large ones where it is asked for. */
#include "experiments/bench/planned.h"
#include "tests/core/small_plan.h"

/* A plan with a defect, said to execute n elements. */
static tess_status prove(int64_t n, tess_experiment_kind kind, tess_prove asked) {
    uint64_t seed = 3;
    small_plan made = random_plan(&seed, NULL, -1);
    tess_planned planned = {.partition = &made.partition, .plan = made.plan};
    const tess_experiment x = {.kind = kind, .prove = asked};
    made.plan->executed[1] = made.plan->executed[0];
    made.plan->n_executed = n ? n : made.plan->n_executed;
    const tess_status status = tess_planned_prove(&planned, &x, made.bound);
    small_plan_free(&made);
    return status;
}

static void a_small_plan_is_proved(void **state) {
    (void)state;
    assert_int_equal(prove(0, TESS_RUNNING, TESS_PROVE_AUTO), TESS_ERROR_CHECK);
}

static void a_large_one_is_proved_where_that_is_asked_for(void **state) {
    (void)state;
    assert_int_equal(prove(4000001, TESS_RUNNING, TESS_PROVE_AUTO), TESS_OK);
    assert_int_equal(prove(4000001, TESS_RUNNING, TESS_PROVE_YES), TESS_ERROR_CHECK);
    assert_int_equal(prove(4000001, TESS_CUTTING, TESS_PROVE_AUTO), TESS_ERROR_CHECK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_plan_is_proved),
        cmocka_unit_test(a_large_one_is_proved_where_that_is_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
