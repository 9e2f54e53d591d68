/* Plan updates: after random changes of a mesh blocks that have lost nothing are taken over, the
 * plan is proved, and equal to one that is built anew where nothing changed its order. */
#include "core/plan/plan_update.h"

#include "core/plan/plan_check.h"
#include "tests/core/changed_mesh.h"

enum { MOST_ELEMENTS = 128 };

/* Elements of a block from the last to the first. */
static int32_t backward[MOST_ELEMENTS];

static const tess_plan_options all_options[] = {
    {TESS_ORDER_ELEMENT, TESS_COLOUR_FEWEST, false, backward},
    {TESS_ORDER_ELEMENT, TESS_COLOUR_FEWEST, false, NULL},
    {TESS_ORDER_COLOUR, TESS_COLOUR_GREEDY, false, NULL},
    {TESS_ORDER_LINES, TESS_COLOUR_DSATUR, false, NULL},
};

/* Changes a random mesh and updates its plan; gives how many blocks were kept. */
static int32_t try_change(uint64_t *seed, const change *how, const tess_plan_options *options) {
    small_plan made = random_plan(seed, options, -1);
    const int64_t n_before = made.bound->n_elements;
    int32_t *was = NULL, n_untouched = 0;
    tess_bound_loop *bound = NULL;
    tess_plan *plan = NULL, *anew = NULL;
    OK(TESS_ALLOC(2 * n_before, &was));
    const int64_t n = change_elements(how, seed, n_before, was);
    tess_mesh *mesh = changed_mesh(how, seed, made.mesh, made.bound->set, n, was);
    OK(tess_loop_bind(made.loop, mesh, &bound));
    tess_partition *partition = cut_again(&made.partition, was, n, &n_untouched);
    OK(tess_plan_update(bound, partition, made.plan, was, options, &plan));
    OK(tess_plan_check(bound, partition->block_of, plan));
    if (how->points < 2 && how->refreshed == 0)
        assert_int_equal(plan->n_kept, n_untouched);
    assert_in_range(plan->n_kept, 0, n_untouched);
    OK(tess_plan_build(bound, partition, options, &anew));
    if (!how->shuffled && how->points < 2 && how->refreshed == 0 &&
        options->thread_order != TESS_ORDER_LINES)
        assert_null(differing_array(anew, plan));
    const int32_t n_kept = plan->n_kept;
    tess_plan_free(anew);
    tess_plan_free(plan);
    tess_partition_free(partition);
    tess_bound_loop_free(bound);
    tess_mesh_free(mesh);
    free(was);
    small_plan_free(&made);
    return n_kept;
}

static void plans_follow_changes(void **state) {
    static const change changes[] = {
        {0, 0, false, 0, 0},  {4, 4, false, 0, 0}, {4, 0, false, 1, 0},    {0, 5, true, 1, 0},
        {10, 5, false, 2, 0}, {3, 3, true, 0, 10}, {100, 50, false, 0, 0}, {30, 60, true, 1, 3},
    };
    enum { N_CHANGES = sizeof changes / sizeof changes[0] };
    uint64_t seed = 3;
    for (int i = 0; i < MOST_ELEMENTS; i++)
        backward[i] = MOST_ELEMENTS - i;
    int64_t n_kept[N_CHANGES] = {0};
    for (int trial = 0; trial < 100 * N_CHANGES; trial++)
        n_kept[trial % N_CHANGES] +=
            try_change(&seed, &changes[trial % N_CHANGES], &all_options[trial / N_CHANGES % 4]);
    for (int c = 0; c < N_CHANGES; c++)
        assert_int_equal(n_kept[c] > 0, changes[c].gone < 100);
}

/* Blocks that others are put into are other blocks. */
static void merged_blocks_are_planned_anew(void **state) {
    small_plan made = quad_plan(6, 6, 4);
    const int64_t n = made.bound->n_elements;
    tess_partition twice = natural_partition(n, 8);
    tess_plan *plan = NULL;
    int32_t *was = NULL;
    OK(TESS_ALLOC(n, &was));
    for (int64_t e = 0; e < n; e++)
        was[e] = (int32_t)e;
    OK(tess_plan_update(made.bound, &twice, made.plan, was, NULL, &plan));
    OK(tess_plan_check(made.bound, twice.block_of, plan));
    assert_int_equal(plan->n_kept, n % 8 > 0 && n % 8 <= 4);
    tess_plan_free(plan);
    free(twice.block_of);
    free(was);
    small_plan_free(&made);
}

/* Half a mesh that is refined keeps the other half: edges:cells of quads, in numbers that shift. */
static void colours_of_kept_blocks_stay(void **state) {
    small_plan made = quad_plan(16, 16, 8);
    tess_plan *plan = NULL;
    tess_partition *partition = NULL;
    int32_t *was = NULL, n_untouched = 0;
    const int64_t n = made.bound->n_elements;
    OK(TESS_ALLOC(n, &was));
    for (int64_t e = 0; e < n; e++)
        was[e] = e < n / 2 ? -1 : (int32_t)e;
    partition = cut_again(&made.partition, was, n, &n_untouched);
    OK(tess_plan_update(made.bound, partition, made.plan, was, NULL, &plan));
    OK(tess_plan_check(made.bound, partition->block_of, plan));
    assert_int_equal(plan->n_kept, n / 8 - n / 16);
    for (int64_t e = n / 2 + 8; e < n; e++)
        assert_int_equal(plan->block_colour[partition->block_of[e]],
                         made.plan->block_colour[made.partition.block_of[e]]);
    assert_in_range(plan->n_block_colours, 2, made.plan->n_block_colours + 2);
    tess_plan_free(plan);
    tess_partition_free(partition);
    free(was);
    small_plan_free(&made);
}

static void wrong_numbers_and_plans_are_refused(void **state) {
    small_plan made = quad_plan(2, 2, 2);
    tess_recut recut;
    tess_plan *plan = NULL;
    tess_loop *nodes = NULL;
    tess_bound_loop *bound = NULL;
    static const struct {
        int32_t was[4];
        const char *words;
    } cases[] = {{{0, 1, 4, 2}, "element 2 was number 4: there were 4, from 0"},
                 {{-2, 1, 0, 2}, "element 0 was number -2: there were 4, from 0"},
                 {{3, -1, 3, 2}, "elements 0 and 2 were both number 3"}};
    for (int c = 0; c < 3; c++) {
        assert_int_equal(tess_recut_open(&made.partition, cases[c].was, 4, &recut),
                         TESS_ERROR_INPUT);
        tess_recut_close(&recut);
        assert_non_null(strstr(tess_message(), cases[c].words));
        assert_int_equal(
            tess_plan_update(made.bound, &made.partition, made.plan, cases[c].was, NULL, &plan),
            TESS_ERROR_INPUT);
    }
    OK(tess_loop_of_map("edges:nodes", NULL, &nodes));
    OK(tess_loop_bind(nodes, made.mesh, &bound));
    static const int32_t all[] = {0, 1, 2, 3};
    assert_int_equal(tess_plan_update(bound, &made.partition, made.plan, all, NULL, &plan),
                     TESS_ERROR_USAGE);
    assert_null(plan);
    tess_bound_loop_free(bound);
    tess_loop_free(nodes);
    small_plan_free(&made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_follow_changes),
        cmocka_unit_test(merged_blocks_are_planned_anew),
        cmocka_unit_test(colours_of_kept_blocks_stay),
        cmocka_unit_test(wrong_numbers_and_plans_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
