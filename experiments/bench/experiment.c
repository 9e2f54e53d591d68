/* The straight line: what becomes of an experiment, step by step. */
#include "experiments/bench/experiment.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/interrupt.h"
#include "core/base/progress.h"
#include "experiments/bench/measuring.h"
#include "experiments/bench/ranked_run.h"
#include "experiments/bench/recording.h"
#include <math.h>
#include <stdlib.h>

/* Puts the data of a loop's points and elements in order, by a method that needs a plan or by one
 * that needs none. */
static tess_status renumber(const tess_bench *bench, const tess_experiment *x, bool owns_points,
                            tess_planned *planned) {
    const tess_renumber_method method = tess_experiment_renumber(x);
    const bool is_ready = planned->plan || !tess_renumber_needs_plan(method);
    if (method == TESS_RENUMBER_NONE || planned->renumbering || !is_ready)
        return TESS_OK;
    tess_progress_begin("renumbering");
    tess_status status =
        tess_renumber_build(bench->load.bound, planned->plan, method,
                            owns_points || x->pairs == TESS_PAIRS_BY_ROWS, &planned->renumbering);
    if (status == TESS_OK)
        status = tess_renumbering_check(bench->load.mesh, planned->renumbering);
    tess_progress_end();
    return status;
}

/* As tess_experiment_plan; the plan's colours may come later (tess_planned_await). */
static tess_status plan(tess_bench *bench, const tess_run *run, bool coloured_later,
                        tess_planned **out) {
    tess_status status = TESS_OK;
    const tess_bound_loop *bound = bench->load.bound;
    const char *owned_set = tess_bench_owned_set(bench, run->experiment);
    const int set = owned_set ? tess_mesh_find_set(bound->mesh, owned_set) : -1;
    tess_planning how = {.owned_set = set, .coloured_beside = coloured_later};
    tess_planned *planned = NULL;
    CHECK(tess_planned_new(&planned));
    if (bound->n_targets == 0) { /* without maps blocks are of neighbours, whoever cuts them */
        const int32_t block_size = (int32_t)run->experiment->block_size;
        CHECK(tess_kernel_plan_direct(bound, NULL, block_size, &planned->plan));
        *out = tess_planned_share(planned);
        goto done;
    }

    /* Which block each element belongs to, by the partitioner or as cut before. */
    CHECK(tess_bench_partition(bench, run, planned));

    CHECK(tess_interrupt_check());

    /* The partition made executable: order, staged points, local indices, colours. */
    CHECK(renumber(bench, run->experiment, set >= 0, planned)); /* by what needs no plan */
    double clock = tess_clock_seconds();
    CHECK(tess_bench_planner(bench, run->experiment, &how.planner));
    CHECK(tess_planned_build(planned, run->experiment, bound, &how));
    planned->plan_seconds = tess_clock_lap(&clock);
    CHECK(tess_interrupt_check());

    /* Its proof, which shares no code with the builder. */
    if (!bench->options.unexecuted)
        CHECK(tess_planned_prove(planned, run->experiment, bound));

    /* Where the points' data lie in memory, by what follows from the blocks. */
    CHECK(renumber(bench, run->experiment, set >= 0, planned));
    *out = tess_planned_share(planned);
done:
    tess_planned_release(planned);
    return status;
}

tess_status tess_experiment_plan(tess_bench *bench, const tess_run *run, tess_planned **out) {
    return plan(bench, run, false, out);
}

static tess_status plan_beside(tess_bench *bench, tess_run *run, tess_planned **out) {
    TRY(tess_experiment_plan(bench, run, out));
    if ((*out)->partition && !run->experiment->partitioner.plugin->third_party)
        (*out)->partition->cpu_seconds = NAN; /* that of the whole program */
    return TESS_OK;
}

tess_status tess_experiment_plan_beside(tess_bench *bench, tess_run *run, tess_planned **out) {
    char *key = NULL;
    TRY(tess_shared_plans_key(run->experiment, &key));
    *out = tess_bench_begin_plan(bench, key);
    tess_status status = TESS_OK;
    if (!*out) {
        status = plan_beside(bench, run, out);
        tess_bench_end_plan(bench, key, status == TESS_OK ? *out : NULL);
    }
    free(key);
    return status;
}

/* Whether samples are taken before the plan's colours and metrics are there: of a large plan, which
 * no other thread uses. */
static bool completes_later(const tess_bench *bench, const tess_experiment *x) {
    return bench->job.is_early && !bench->ahead && x->kind == TESS_RUNNING &&
           tess_experiment_samples(x) > 0 &&
           !tess_experiment_proves(x, bench->load.bound->n_elements);
}

static bool looks_at_colours(const tess_experiment *x) {
    const tess_strategy *strategy = x->strategy.plugin;
    return !strategy->colourless ||
           tess_spec_is(x->strategy.spec, strategy->options, "sum", "thread-colours");
}

tess_status tess_experiment_start(tess_bench *bench, tess_run *run) {
    double clock = tess_clock_seconds(), cut = 0;
    TRY(tess_record_workload(run->record, bench));
    if (run->experiment->kind == TESS_RUNNING)
        TRY(tess_record_same_bits(run->record, bench, run->experiment));
    if (tess_experiment_is_ranked(run->experiment)) { /* each rank plans what it has */
        TRY(tess_run_execute(bench, run));
        return tess_run_prove_bits(bench, run);
    }
    const bool later = completes_later(bench, run->experiment);
    TRY(tess_bench_find_plan(bench, run)); /* of an experiment before it on the same blocks */
    if (!run->planned) {
        TRY(plan(bench, run, later, &run->planned));
        TRY(tess_bench_keep_plan(bench, run));
        cut = tess_planned_cut_seconds(run->planned);
    }
    if (!later) /* an interrupt finds it complete */
        TRY(tess_experiment_complete(bench, run));
    else if (bench->load.chained || looks_at_colours(run->experiment))
        TRY(tess_planned_await(run->planned));
    bench->spent.cut += cut;
    bench->spent.plan += tess_clock_lap(&clock) - cut;
    if (run->experiment->kind == TESS_CUTTING)
        return TESS_OK;
    TRY(tess_run_execute(bench, run)); /* page, compiler, upload, first execution, check */
    return tess_run_prove_bits(bench, run);
}

tess_status tess_experiment_complete_plan(const tess_bench *bench, const tess_run *run) {
    if (!run->planned)
        return TESS_OK;
    TRY(tess_planned_await(run->planned));
    return bench->options.times_alone
               ? TESS_OK
               : tess_planned_measure(run->planned, bench->load.bound,
                                      run->experiment->layout.layouts.layout);
}

tess_status tess_experiment_complete(tess_bench *bench, tess_run *run) {
    TRY(tess_run_check_kept(bench, run));
    return tess_experiment_complete_plan(bench, run);
}

/* Its samples are kept, also where they were interrupted. */
static tess_status complete_for_sure(tess_bench *bench, tess_run *run) {
    tess_interrupt_hold_begin();
    const tess_status status = tess_experiment_complete(bench, run);
    tess_interrupt_hold_end();
    return status;
}

tess_status tess_experiment_finish(tess_bench *bench, tess_run *run) {
    TRY(complete_for_sure(bench, run));
    TRY(tess_run_conclude(bench, run)); /* median, bandwidth, the hardware's counters */
    double clock = tess_clock_seconds();
    TRY(tess_bench_file(bench));
    TRY(tess_run_archive(bench, run));
    bench->spent.store += tess_clock_lap(&clock);
    return TESS_OK;
}

tess_status tess_experiment_run(const tess_experiment *experiment,
                                const tess_bench_options *options, tess_run **out) {
    tess_status status = TESS_OK;
    tess_bench bench = {.opened = NULL};
    tess_run *run = NULL;
    char name[TESS_NAME_SIZE];
    CHECK(tess_experiment_check_whole(experiment));
    if (options->emit && experiment->kind != TESS_RUNNING)
        CHECK(tess_fail(TESS_ERROR_USAGE, "only an experiment that runs a loop is emitted"));
    CHECK(tess_run_new(experiment, 0, &run));
    CHECK(tess_record_new(options->argc, options->argv, &run->record));
    CHECK(tess_record_experiment(run->record, experiment));
    CHECK(tess_bench_open(experiment, options, NULL, &bench)); /* device, mesh, loop, reference */
    if (options->emit) {
        CHECK(tess_experiment_plan(&bench, run, &run->planned));
        CHECK(tess_run_emit(&bench, run, options->emit, name));
        *out = TESS_TAKE(run);
        goto done;
    }
    CHECK(tess_experiment_start(&bench, run));
    for (int i = 0; i < tess_experiment_samples(experiment); i++)
        CHECK(run->ranked ? tess_ranked_run_take(run, i, 0) : tess_trial_take(&run->trial, i, 0));
    CHECK(tess_experiment_finish(&bench, run));
    CHECK(tess_text_copy(run->record->id, &run->run));
    tess_run_settle(run);
    *out = TESS_TAKE(run);
done:
    tess_run_free(run);
    tess_bench_close(&bench);
    return status;
}
