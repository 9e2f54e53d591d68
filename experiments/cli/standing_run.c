/* A standing run: one experiment that is made ready once, and timed whenever a line asks for it. */
#include "experiments/cli/standing_run.h"

#include "experiments/bench/experiment.h"
#include "experiments/bench/measuring.h"
#include "experiments/bench/recording.h"
#include "experiments/campaign/gate.h"
#include "kernels/run/trial_move.h"
#include <stdio.h>
#include <string.h>

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
    for (int i = 0; i < tess_experiment_samples(run->experiment); i++)
        TRY(tess_trial_take(&run->trial, i, 0));
    *seconds = tess_trial_median(&run->trial);
    return TESS_OK;
}

static void give_back(tess_bench *bench, kept_memory *kept) {
    while (kept->n > 0)
        bench->device->free(bench->target, kept->address[--kept->n]);
}

/* Opens the device anew, with nothing left of what it was before. */
static tess_status open_anew(tess_bench *bench, tess_run *run, kept_memory *kept) {
    give_back(bench, kept);
    tess_run_close(run);
    tess_device_cutter_close(bench->cutter);
    bench->cutter = NULL;
    TRY(tess_bench_reopen(bench));
    return tess_run_execute(bench, run);
}

static tess_status answer_line(tess_bench *bench, tess_run *run, const char *line,
                               kept_memory *kept) {
    double seconds = 0;
    if (strcmp(line, TESS_STANDING_ANEW "\n") == 0) {
        TRY(open_anew(bench, run, kept));
        printf("%s%s\n", TESS_STANDING_PREFIX, TESS_STANDING_RENEWS);
        return TESS_OK;
    }
    tess_bench_lock(bench);
    const tess_status status = time_anew(bench, run, kept, &seconds);
    tess_bench_unlock(bench);
    TRY(status);
    printf("%s%.9e\n", TESS_STANDING_PREFIX, seconds);
    return TESS_OK;
}

static tess_status answer_lines(tess_bench *bench, tess_run *run) {
    tess_status status = TESS_OK;
    char line[64];
    kept_memory kept = {.n = 0};
    printf("%s%s\n", TESS_STANDING_PREFIX,
           bench->device->apart     ? TESS_STANDING_RENEWS
           : bench->device->shuffle ? TESS_STANDING_MOVES
                                    : TESS_STANDING_READY);
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        CHECK(answer_line(bench, run, line, &kept));
        fflush(stdout);
    }
done:
    give_back(bench, &kept);
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
    if (bench.device->shuffle)
        bench.device->shuffle(bench.target);
    CHECK(tess_experiment_start(&bench, run));
    CHECK(answer_lines(&bench, run));
done:
    tess_run_free(run);
    tess_bench_close(&bench);
    return status;
}
