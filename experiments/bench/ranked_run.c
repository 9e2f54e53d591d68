/* A ranked run: the loop of an experiment on ranks, with its exchange. */
#include "experiments/bench/ranked_run.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/progress.h"
#include "experiments/bench/rank_record.h"
#include "experiments/bench/recording.h"
#include "kernels/loops/loop_bytes.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void watch(const tess_bench *bench, bool watched) {
    if (bench->job.watch)
        bench->job.watch(bench->job.context, watched);
}

/* Gives each process of a job the failure of any, so that all go on alike. */
static tess_status agree(tess_run *run, tess_status own) {
    tess_status status = TESS_OK;
    tess_crew *crew = run->ranked->crew;
    const int n = crew->n_ranks / crew->n_here, code = (int)own;
    int *of_all = NULL;
    run->is_agreed = true;
    if (n == 1)
        return own;
    CHECK(TESS_ALLOC(n, &of_all));
    status = tess_crew_gather(crew, &code, of_all, sizeof code);
    if (own != TESS_OK) /* with its own message */
        status = own;
    for (int r = 0; r < n && status == TESS_OK; r++)
        if (of_all[r] != TESS_OK)
            status = tess_fail((tess_status)of_all[r], "rank %d failed, which says why", r);
done:
    free(of_all);
    return status;
}

static tess_status check_setting(const tess_bench *bench, const tess_experiment *x) {
    const tess_crew *crew = bench->job.crew;
    if (x->counters == TESS_COUNTERS_YES && bench->device->profiled)
        FAIL(TESS_ERROR_USAGE,
             "--counters of the hardware are read by ncu in a process of its own, "
             "which has no other ranks: leave --counters or --ranks out; --device "
             "emulator counts what ranks do");
    if (bench->device->is_warm && bench->device->is_warm(bench->target))
        FAIL(TESS_ERROR_USAGE, "emulator:profiled=warm counts what one rank does: leave it or "
                               "--ranks out");
    if (x->cache == TESS_CACHE_COLD && !bench->device->flush)
        FAIL(TESS_ERROR_USAGE, "device %s has no caches: --cache cold is for host and cuda",
             bench->device->name);
    if (crew && x->ranks > 0 && x->ranks != crew->n_ranks)
        FAIL(TESS_ERROR_USAGE, "--ranks %lld, but there are %d processes", (long long)x->ranks,
             crew->n_ranks);
    return TESS_OK;
}

/* What was counted of each rank in the first run, exchanges left out, and of all. */
static tess_status take_counters(const tess_bench *bench, tess_run *run) {
    tess_ranked_march *march = run->ranked;
    const tess_device *device = bench->device;
    if (!device->counters || !device->counters(bench->target))
        return TESS_OK;
    TRY(TESS_ZEROS(march->crew->n_ranks, &march->counters));
    TRY(tess_team_gather_counters(march->team, march->counters));
    for (int32_t r = 0; r < march->crew->n_ranks; r++)
        tess_counters_add(&run->trial.counters, &march->counters[r]);
    run->trial.counted = true;
    return TESS_OK;
}

/* The loop once, and what it comes to. Every process has the whole state then. */
static tess_status run_first(const tess_bench *bench, tess_run *run) {
    tess_status status = TESS_OK;
    tess_trial *trial = &run->trial;
    tess_state *got = NULL;
    CHECK(tess_team_spoil(run->ranked->team));
    CHECK(tess_team_count(run->ranked->team, &trial->first_seconds));
    CHECK(take_counters(bench, run));
    if (tess_counters_estimated(&trial->counters)) /* of a sample of blocks: there is no result */
        goto done;
    CHECK(tess_state_copy(bench->load.start, false, &got));
    CHECK(tess_team_gather(run->ranked->team, got));
    if (run->experiment->same_bits > TESS_BITS_VARY)
        CHECK(tess_record_result_bits(run->record, bench, run->experiment, got));
    const tess_difference difference = tess_state_compare(got, bench->load.want);
    trial->checked = true;
    trial->difference = difference.largest;
    trial->tolerance = difference.tolerance;
    trial->passed = difference.largest <= difference.tolerance;
    snprintf(trial->worst, sizeof trial->worst, "%s", difference.dat ? difference.dat->name : "");
done:
    tess_state_free(got);
    return status;
}

tess_status tess_ranked_run_open(tess_bench *bench, tess_run *run) {
    const tess_experiment *x = run->experiment;
    const tess_bench_job *job = &bench->job;
    const tess_rank_setting setting = {.counted = true,
                                       .keep_text = bench->options.keep_text,
                                       .graph = x->graph == TESS_GRAPH_ON,
                                       .pulse = job->pulse};
    const tess_ranked_place place = {
        .load = &bench->load,
        .device = bench->device,
        .target = bench->target,
        .cutter = {bench, tess_bench_cutter, tess_bench_planner, tess_bench_tables_page}};
    double clock = tess_clock_seconds(), warm_up = 0;
    run->is_ranked = run->is_agreed = true;
    run->trial.resources.registers = -1;
    run->trial.occupancy = NAN;
    TRY(check_setting(bench, x));
    TRY(tess_ranked_march_join(x, job->crew, &run->ranked));
    tess_progress_begin("cutting, compiling, executing and checking ranks");
    const tess_status opened =
        agree(run, tess_ranked_march_open(run->ranked, &place, x, &setting, NULL));
    tess_progress_end();
    TRY(opened);
    run->trial.compile_seconds = tess_clock_lap(&clock);
    run->trial.useful_bytes = tess_dat_bytes(bench->load.bound) + tess_map_bytes(bench->load.bound);
    run->trial.flops = bench->load.kernel->flops * bench->load.bound->n_elements;
    run->is_agreed = false;
    watch(bench, true);
    TRY(run_first(bench, run));
    if (tess_experiment_samples(x) > 0)
        TRY(tess_team_run(run->ranked->team, TESS_TRIAL_WARM_UPS, &warm_up));
    watch(bench, false);
    run->is_agreed = true; /* all compare the same state */
    run->trial.run_seconds = tess_clock_lap(&clock);
    return TESS_OK;
}

tess_status tess_ranked_run_take(tess_run *run, int round, double start) {
    tess_trial *trial = &run->trial;
    const tess_ranked_march *march = run->ranked;
    const tess_ranked_place *place = &march->place;
    const double began = tess_clock_seconds();
    double seconds = 0;
    run->is_agreed = false;
    TRY(tess_team_time(march->team, TESS_OVERLAPPED, TESS_TURN_WARM_UPS, &seconds));
    if (run->experiment->cache == TESS_CACHE_COLD)
        TRY(place->device->flush(place->target));
    TRY(tess_team_time(march->team, TESS_OVERLAPPED, 1, &seconds));
    trial->run_seconds += tess_clock_seconds() - began;
    return tess_trial_add(trial, place->device, place->target,
                          (tess_trial_sample){.seconds = seconds, .start = start, .round = round});
}

int64_t tess_ranked_run_bytes(const tess_bench *bench, const tess_run *run) {
    const tess_state *state = bench->load.start;
    int64_t bytes = 0;
    for (int d = 0; d < state->n_dats; d++)
        bytes += tess_state_size(state, &state->dats[d]) * state->dats[d].dim *
                 (int64_t)tess_type_size(state->dats[d].type);
    return bytes / run->ranked->crew->n_ranks * run->ranked->crew->n_here;
}

tess_status tess_ranked_run_conclude(const tess_bench *bench, tess_run *run) {
    tess_ranked_march *march = run->ranked;
    if (bench->job.exchange_rounds > 0) {
        watch(bench, true);
        TRY(tess_exchange_timing_take(march->team, bench->job.exchange_rounds, &march->timing));
        watch(bench, false);
    }
    return tess_record_ranks(bench->load.mesh, march, run->record);
}
