/* Trials that are checked after their samples: what they say is what a check before them says. */
#include "kernels/run/reference.h"
#include "kernels/run/trial.h"
#include "strategy_bench.h"

static tess_device copying; /* the emulator, with copies */
static int n_copies;

/* By way of the host. */
static tess_status copy(tess_target *target, tess_address to, tess_address from, int64_t size) {
    void *values = NULL;
    OK(tess_array_alloc(size, 1, &values));
    OK(copying.download(target, values, from, size));
    OK(copying.upload(target, to, values, size));
    free(values);
    n_copies++;
    return TESS_OK;
}

/* What a trial with two samples says of its first run. */
static tess_trial try_strategy(const bench_scene *scene, const tess_state *want, const char *text,
                               bool later) {
    const tess_device *emulator = NULL;
    tess_target *target = NULL;
    tess_spec *spec = NULL;
    tess_loop *loop = NULL;
    tess_bound_loop *bound = NULL;
    tess_partition *partition = NULL;
    tess_plan *plan = NULL;
    tess_trial_setting setting = {.kernel = scene->kernel,
                                  .layouts = {.layout = TESS_SOA},
                                  .graph = TESS_GRAPH_OFF,
                                  .timed = true,
                                  .checked_later = later};
    OK(tess_device_open("emulator", &emulator, &target));
    copying = *emulator;
    copying.copy = copy;
    OK(tess_spec_parse_one(text, "strategy", &spec));
    OK(tess_strategy_find(spec->name, &setting.strategy));
    setting.spec = spec;
    OK(tess_kernel_loop(scene->kernel, scene->real, &loop));
    OK(tess_loop_bind(loop, scene->mesh, &bound));
    OK(tess_partition_in_order(bound, NULL, 16, &partition));
    OK(tess_plan_build(bound, partition, NULL, &plan));
    const tess_trial_loop of = {
        .bound = bound, .plan = plan, .start = scene->start, .want = later ? NULL : want};
    tess_trial trial = {.store = NULL};
    n_copies = 0;
    OK(tess_trial_open(&copying, target, &setting, &of, &trial));
    assert_true(trial.keeps_result == later && trial.checked == !later);
    assert_int_equal(n_copies, later); /* of what the loop adds to */
    for (int round = 0; round < 2; round++)
        OK(tess_trial_take(&trial, round, 0));
    tess_trial_loop known = of;
    known.want = want;
    OK(tess_trial_check(&known, &trial));
    assert_true(trial.checked && !trial.keeps_result);
    OK(tess_trial_check(&known, &trial)); /* nothing is left to be checked */
    tess_trial_clear(&trial);
    tess_plan_free(plan);
    tess_partition_free(partition);
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
    tess_spec_list_free(spec, 1);
    emulator->close(target);
    return trial;
}

static void assert_same_words(const tess_trial *a, const tess_trial *b) {
    assert_int_equal(a->passed, b->passed);
    assert_true(a->difference == b->difference && a->tolerance == b->tolerance);
    assert_string_equal(a->worst, b->worst);
}

static void a_check_after_the_samples_is_of_the_first_run(void **state) {
    static const char *const strategies[] = {"atomics", "halo-atomics"};
    bench_scene scene = bench_scene_open("airfoil", NULL, "quads:nx=9:ny=7");
    tess_state *want = NULL;
    OK(tess_reference_run(scene.kernel, scene.start, &want));
    tess_dat *res = tess_state_find(want, "res", "cells");
    for (int wrong = 0; wrong < 2; wrong++) {
        for (int s = 0; s < 2; s++) {
            const tess_trial before = try_strategy(&scene, want, strategies[s], false),
                             after = try_strategy(&scene, want, strategies[s], true);
            assert_int_equal(after.passed, !wrong);
            assert_same_words(&before, &after);
        }
        tess_dat_set(res, 5, tess_dat_value(res, 5) + 1);
    }
    tess_state_free(want);
    bench_scene_close(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_check_after_the_samples_is_of_the_first_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
