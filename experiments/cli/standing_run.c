/* A standing run: one experiment that is made ready once, and timed whenever a line asks for it. */
#include "experiments/cli/standing_run.h"

#include "experiments/bench/experiment.h"
#include "experiments/bench/measuring.h"
#include "experiments/bench/recording.h"
#include "experiments/campaign/gate.h"
#include "kernels/run/trial_move.h"
#include <stdio.h>

/* Memory of the device that is kept, so that what is placed next lies elsewhere. */
typedef struct kept_memory {
    int n;
    tess_address address[16];
} kept_memory;

/* Keeps as much as a run just had, where there is plenty: what that gave back is taken first. */
static void keep_memory(tess_bench *bench, int64_t bytes, kept_memory *kept) {
    const int most = (int)(sizeof kept->address / sizeof kept->address[0]);
    if (!bench->device->free_bytes || kept->n >= most ||
        bench->device->free_bytes(bench->target) / 64 < bytes)
        return;
    if (bench->device->alloc(bench->target, "kept", bytes, &kept->address[kept->n]) == TESS_OK)
        kept->n++;
}

/* Places its data on the device anew: where they lie makes a difference. */
static tess_status place_anew(tess_bench *bench, tess_run *run) {
    if (tess_trial_can_move(&run->trial))
        return tess_trial_move(&run->trial);
    tess_run_close(run);
    return tess_run_execute(bench, run);
}

/* Its median time by data that lie where they did not before. */
static tess_status time_anew(tess_bench *bench, tess_run *run, kept_memory *kept, double *seconds) {
    run->trial.n_samples = 0;
    TRY(place_anew(bench, run));
    keep_memory(bench, tess_run_bytes(bench, run), kept);
    for (int i = 0; i < tess_bench_samples(bench, run->experiment); i++)
        TRY(tess_trial_take(&run->trial, i, 0));
    *seconds = tess_trial_median(&run->trial);
    return TESS_OK;
}

static tess_status answer_lines(tess_bench *bench, tess_run *run) {
    tess_status status = TESS_OK;
    char line[64];
    double seconds = 0;
    kept_memory kept = {.n = 0};
    printf("%sready\n", TESS_STANDING_PREFIX);
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        tess_bench_lock(bench);
        status = time_anew(bench, run, &kept, &seconds);
        tess_bench_unlock(bench);
        CHECK(status);
        printf("%s%.9e\n", TESS_STANDING_PREFIX, seconds);
        fflush(stdout);
    }
done:
    while (kept.n > 0)
        bench->device->free(bench->target, kept.address[--kept.n]);
    return status;
}

tess_status tess_standing_run(const tess_experiment *experiment,
                              const tess_bench_options *options) {
    tess_status status = TESS_OK;
    tess_bench bench = {.opened = NULL};
    tess_run *run = NULL;
    tess_bench_options alone = *options;
    alone.times_alone = true;
    CHECK(tess_experiment_check_whole(experiment));
    CHECK(tess_run_new(experiment, 0, &run));
    CHECK(tess_record_new(alone.argc, alone.argv, &run->record));
    CHECK(tess_record_experiment(run->record, experiment));
    CHECK(tess_bench_open(experiment, &alone, NULL, &bench));
    CHECK(tess_experiment_start(&bench, run));
    CHECK(answer_lines(&bench, run));
done:
    tess_run_free(run);
    tess_bench_close(&bench);
    return status;
}
