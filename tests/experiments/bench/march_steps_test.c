/* The steps of a march: from first to last a device is given work alone; it is neither waited for
 * nor read between them. */
#include "experiments/bench/march.h"
#include "tests/unit.h"

/* What a march asks of its device, counted on the way there. */
static const tess_device *real;
static int launched, awaited, moved;

static tess_status launch(tess_target *target, const tess_device_module *module,
                          const tess_launch *what, const uint64_t *params, int n_words) {
    launched++;
    return real->launch(target, module, what, params, n_words);
}

static tess_status flush(tess_target *target) {
    awaited++;
    return real->flush(target);
}

static tess_status timer_stop(tess_target *target, double *seconds) {
    awaited++;
    return real->timer_stop(target, seconds);
}

static tess_status upload(tess_target *target, tess_address to, const void *from, int64_t size) {
    moved++;
    return real->upload(target, to, from, size);
}

static tess_status download(tess_target *target, void *to, tess_address from, int64_t size) {
    moved++;
    return real->download(target, to, from, size);
}

static tess_status copy(tess_target *target, tess_address to, tess_address from, int64_t size) {
    moved++;
    return real->copy(target, to, from, size);
}

static void steps_are_launches_alone(void **state) {
    tess_experiment x;
    tess_march march;
    tess_step step;
    const tess_bench_options options = {.argc = 0};
    const tess_march_setting setting = {.times_loops = false};
    double seconds = 0;
    OK(tess_experiment_init(TESS_RUNNING, &x));
    OK(tess_experiment_set(&x, TESS_FIELD_application, "airfoil"));
    OK(tess_experiment_set(&x, TESS_FIELD_mesh, "airfoil:i=8:j=12"));
    OK(tess_experiment_set(&x, TESS_FIELD_device, "emulator:check=no"));
    OK(tess_experiment_set(&x, TESS_FIELD_partitioner, "file-order"));
    OK(tess_experiment_set(&x, TESS_FIELD_strategy, "atomics"));
    OK(tess_step_build(&x, &step));
    OK(tess_march_open(&step, &options, &setting, &march));
    real = march.store->device;
    tess_device counted = *real;
    counted.launch = launch;
    counted.flush = flush;
    counted.timer_stop = timer_stop;
    counted.upload = upload;
    counted.download = download;
    counted.copy = copy;
    march.store->device = &counted;
    OK(tess_march_run(&march, 5, &seconds));
    assert_int_equal(launched, 5 * 9); /* save_soln, and four loops twice */
    assert_int_equal(awaited, 1);      /* for the time of all */
    assert_int_equal(moved, 0);
    march.store->device = real;
    tess_march_close(&march);
    tess_step_clear(&step);
    tess_experiment_clear(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps_are_launches_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
