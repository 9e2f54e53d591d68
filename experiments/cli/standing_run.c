/* A standing run: one experiment that is made ready once, and timed whenever a line asks for it. */
#include "experiments/cli/standing_run.h"

#include "experiments/bench/experiment.h"
#include "experiments/bench/measuring.h"
#include "experiments/bench/recording.h"
#include "experiments/campaign/gate.h"
#include <stdio.h>

/* Its median time by data that are placed on the device anew: where they lie makes a difference. */
static tess_status time_anew(tess_bench *bench, tess_run *run, double *seconds) {
    tess_status status = TESS_OK;
    run->trial.n_samples = 0;
    CHECK(tess_run_execute(bench, run));
    for (int i = 0; i < tess_bench_samples(bench, run->experiment); i++)
        CHECK(tess_trial_take(&run->trial, i, 0));
    *seconds = tess_trial_median(&run->trial);
done:
    tess_run_close(run);
    return status;
}

static tess_status answer_lines(tess_bench *bench, tess_run *run) {
    char line[64];
    double seconds = 0;
    printf("%sready\n", TESS_STANDING_PREFIX);
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        tess_bench_lock(bench);
        const tess_status status = time_anew(bench, run, &seconds);
        tess_bench_unlock(bench);
        TRY(status);
        printf("%s%.9e\n", TESS_STANDING_PREFIX, seconds);
        fflush(stdout);
    }
    return TESS_OK;
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
    tess_run_close(run);
    CHECK(answer_lines(&bench, run));
done:
    tess_run_free(run);
    tess_bench_close(&bench);
    return status;
}
