/* The loops of a march: each goes through its elements as they lie in memory, the primary one
 * within each block. */
#include "experiments/bench/march.h"
#include "tests/unit.h"

static void set(tess_experiment *x, tess_field field, const char *text) {
    OK(tess_experiment_set(x, field, text));
}

/* How many elements lie before the one that their block executes before them. */
static int64_t steps_back(const tess_plan *plan, const int32_t *position) {
    int64_t back = 0;
    for (int32_t b = 0; b < plan->n_blocks; b++)
        for (int64_t i = plan->block_offset[b] + 1; i < plan->block_offset[b + 1]; i++)
            back += position ? position[plan->executed[i]] < position[plan->executed[i - 1]]
                             : plan->executed[i] < plan->executed[i - 1];
    return back;
}

/* airfoil on the host: loops with maps and without, over sets that are renumbered, and one, bedges,
 * that is not. */
static void loops_run_in_the_order_of_storage(void **state) {
    const char *const orders[][2] = {
        {"gps", "gps"}, {"metis", "rcm"}, {"rcb", "blocks"}, {"file-order", "none"}};
    for (int o = 0; o < 4; o++) {
        tess_experiment x;
        tess_march march;
        tess_step step;
        tess_marched_loop loops[TESS_MOST_MARCHED];
        const tess_bench_options options = {.argc = 0};
        const tess_march_setting setting = {.times_loops = false};
        OK(tess_experiment_init(TESS_RUNNING, &x));
        set(&x, TESS_FIELD_application, "airfoil");
        set(&x, TESS_FIELD_mesh, "airfoil:i=20:j=30");
        set(&x, TESS_FIELD_device, "host");
        set(&x, TESS_FIELD_strategy, "sequential");
        set(&x, TESS_FIELD_block_size, "64");
        set(&x, TESS_FIELD_partitioner, orders[o][0]);
        set(&x, TESS_FIELD_renumber, orders[o][1]);
        OK(tess_step_build(&x, &step));
        OK(tess_march_open(&step, &options, &setting, &march));
        const int n = tess_marcher_loops(march.marcher, loops);
        assert_int_equal(n, 5);
        for (int i = 0; i < n; i++) {
            const tess_plan *plan = loops[i].plan;
            const int32_t *position = tess_store_order(march.store, loops[i].bound->set);
            for (int64_t k = 0;
                 plan != tess_march_plans_first(&march.plans)->plan && k < plan->n_executed; k++)
                assert_int_equal(position ? position[plan->executed[k]] : plan->executed[k], k);
            assert_int_equal(steps_back(plan, position), 0);
        }
        tess_march_close(&march);
        tess_step_clear(&step);
        tess_experiment_clear(&x);
    }
}

/* Loops with partitioners of their own: what the first loop does not reach lies as they execute it.
 */
static void other_sets_follow_the_plans_of_their_loops(void **state) {
    tess_experiment x;
    tess_step step;
    tess_march march;
    tess_marched_loop loops[TESS_MOST_MARCHED];
    const tess_bench_options options = {.argc = 0};
    const tess_march_setting setting = {.times_loops = false};
    int bres = 0;
    OK(tess_experiment_init(TESS_RUNNING, &x));
    set(&x, TESS_FIELD_application, "airfoil");
    set(&x, TESS_FIELD_mesh, "airfoil:i=20:j=30");
    set(&x, TESS_FIELD_device, "host");
    set(&x, TESS_FIELD_strategy, "sequential");
    OK(tess_step_build(&x, &step));
    OK(tess_step_find(&step, "bres_calc", &bres));
    OK(tess_step_set(&step, bres, TESS_FIELD_partitioner, "random"));
    OK(tess_step_set(&step, bres, TESS_FIELD_block_size, "16"));
    OK(tess_march_open(&step, &options, &setting, &march));
    assert_int_equal(tess_marcher_loops(march.marcher, loops), 5);
    const tess_plan *plan = loops[3].plan;
    const int32_t *position = tess_store_order(march.store, loops[3].bound->set);
    assert_string_equal(loops[3].kernel->name, "bres_calc");
    assert_int_equal(plan->block_size, 16);
    assert_non_null(position);
    for (int64_t k = 0; k < plan->n_executed; k++)
        assert_int_equal(position[plan->executed[k]], k);
    tess_march_close(&march);
    tess_step_clear(&step);
    tess_experiment_clear(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_run_in_the_order_of_storage),
        cmocka_unit_test(other_sets_follow_the_plans_of_their_loops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
