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
    assert_int_equal(prove(0, TESS_RUNNING, TESS_PROVE_AUTO), TESS_ERROR_CHECK);
}

static void a_large_one_is_proved_where_that_is_asked_for(void **state) {
    OK(prove(4000001, TESS_RUNNING, TESS_PROVE_AUTO));
    assert_int_equal(prove(4000001, TESS_RUNNING, TESS_PROVE_YES), TESS_ERROR_CHECK);
    assert_int_equal(prove(4000001, TESS_CUTTING, TESS_PROVE_AUTO), TESS_ERROR_CHECK);
}

/* A planned loop whose colours another thread finds, if that is asked for. */
static tess_planned *plan_anew(small_plan *made, bool beside) {
    tess_planned *planned = NULL;
    const tess_experiment x = {.kind = TESS_RUNNING};
    const tess_planning how = {.owned_set = -1, .coloured_beside = beside};
    OK(tess_planned_new(&planned));
    OK(tess_partition_copy(&made->partition, &planned->partition));
    OK(tess_planned_build(planned, &x, made->bound, &how));
    return planned;
}

static void colours_that_are_found_beside_are_awaited(void **state) {
    uint64_t seed = 5;
    for (int trial = 0; trial < 20; trial++) {
        small_plan made = random_plan(&seed, NULL, -1);
        tess_planned *at_once = plan_anew(&made, false), *beside = plan_anew(&made, true);
        const tess_experiment x = {.kind = TESS_RUNNING};
        assert_null(at_once->colouring);
        assert_non_null(beside->colouring);
        if (trial % 2)
            OK(tess_planned_await(beside));
        else
            OK(tess_planned_prove(beside, &x, made.bound)); /* which waits for them */
        assert_null(beside->colouring);
        const tess_plan *a = at_once->plan, *b = beside->plan;
        assert_int_equal(a->n_block_colours, b->n_block_colours);
        assert_int_equal(!a->block_colour, !b->block_colour);
        if (a->block_colour)
            assert_memory_equal(a->block_colour, b->block_colour,
                                (size_t)a->n_blocks * sizeof *a->block_colour);
        tess_planned_release(at_once);
        tess_planned_release(beside);
        tess_planned_release(plan_anew(&made, true)); /* while they are looked for */
        small_plan_free(&made);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_plan_is_proved),
        cmocka_unit_test(a_large_one_is_proved_where_that_is_asked_for),
        cmocka_unit_test(colours_that_are_found_beside_are_awaited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
