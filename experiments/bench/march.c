/* A march: all loops of an application on a device, step by step, by one process or by ranks. */
#include "experiments/bench/march.h"

#include "core/base/progress.h"

#include <stdlib.h>
#include <string.h>

void tess_march_close(tess_march *march) {
    tess_ranked_march_close(march->ranked);
    tess_marcher_close(march->marcher);
    tess_store_close(march->store);
    tess_march_plans_close(&march->plans);
    tess_state_free(march->state);
    tess_bench_close(&march->bench);
    free(march->device);
}

/* How a loop that is planned is executed. */
static tess_marcher_loop executed(const tess_march_plan *p) {
    const tess_experiment *x = p->experiment;
    return (tess_marcher_loop){.kernel = p->kernel,
                               .strategy = x->strategy.plugin,
                               .spec = x->strategy.spec,
                               .threads = x->threads == TESS_UNSAID ? 0 : (int)x->threads,
                               .arithmetic = (tess_arithmetic)x->arithmetic,
                               .bound = p->bound,
                               .plan = p->plan};
}

/* Opens the loops of a march without ranks. */
static tess_status open_marcher(tess_march *march, const tess_step *step,
                                const tess_march_setting *how) {
    tess_march_plans *plans = &march->plans;
    TRY(tess_march_plans_open(&march->bench, step, plans));
    TRY(tess_store_open(march->bench.device, march->bench.target, march->state,
                        tess_march_plans_first(plans)->renumbering,
                        &march->experiment.layout.layouts, &march->store));
    TRY(tess_march_plans_complete(plans, march->store));
    tess_marcher_loop loops[TESS_MOST_MARCHED];
    for (int i = 0; i < plans->n; i++)
        loops[i] = executed(&plans->items[i]);
    tess_marcher_setting setting = {.application = step->application,
                                    .n_loops = plans->n,
                                    .loops = loops,
                                    .keep_text = how->keep_text,
                                    .chains = step->chains};
    TRY(tess_bench_tables_page(&march->bench, &march->experiment, &setting.tables_page));
    return tess_marcher_open(&setting, march->store, &march->marcher);
}

tess_status tess_march_open(const tess_step *step, const tess_bench_options *options,
                            const tess_march_setting *setting, tess_march *out) {
    const tess_rank_setting *ranks = setting->ranks;
    const tess_experiment *experiment = &step->loops[step->first];
    *out = (tess_march){.experiment = *experiment, .times_loops = setting->times_loops};
    if (ranks) {
        TRY(tess_ranked_march_join(experiment, NULL, &out->ranked));
        TRY(tess_crew_name_device(out->ranked->crew, experiment->device, &out->device));
        out->experiment.device = out->device;
    }
    TRY(tess_bench_open(&out->experiment, options, NULL, &out->bench));
    /* The bench stands before its loop; a march begins at the start. */
    const tess_workload *load = &out->bench.load;
    TRY(tess_application_start(load->application, load->mesh, load->real, &out->state));
    const tess_ranked_place place = {
        .load = load,
        .device = out->bench.device,
        .target = out->bench.target,
        .step = step,
        .cutter = {&out->bench, tess_bench_cutter, tess_bench_planner, tess_bench_tables_page}};
    return ranks ? tess_ranked_march_open(out->ranked, &place, &out->experiment, ranks, out->state)
                 : open_marcher(out, step, setting);
}

/* Marches on while no other process works on the device; by_loops: each loop of a step alone. */
static tess_status run_locked(const tess_march *march, bool by_loops, int n, double *seconds) {
    tess_bench_lock(&march->bench);
    const tess_status status = by_loops ? tess_marcher_time(march->marcher, n, seconds)
                                        : tess_marcher_run(march->marcher, n, seconds);
    tess_bench_unlock(&march->bench);
    return status;
}

tess_status tess_march_run(const tess_march *march, int n, double *seconds) {
    return march->ranked ? tess_team_run(march->ranked->team, n, seconds)
                         : run_locked(march, march->times_loops, n, seconds);
}

tess_status tess_march_time_loops(const tess_march *march, int n) {
    double seconds = 0;
    if (march->ranked || march->bench.device->emulates || !tess_marcher_is_timeable(march->marcher))
        return TESS_OK;
    return run_locked(march, true, n, &seconds);
}

tess_status tess_march_fetch(const tess_march *march) {
    return march->ranked ? tess_team_gather(march->ranked->team, march->state)
                         : tess_store_download(march->store, march->state);
}

bool tess_march_sums(const tess_march *march, const tess_dat *dat) {
    const tess_application *application = march->bench.load.application;
    bool is_added_to = false, is_used = false;
    for (int k = 0; k < application->n_kernels; k++)
        for (int a = 0; a < application->kernels[k].n_args; a++) {
            const tess_kernel_arg *arg = &application->kernels[k].args[a];
            const bool is_of = !arg->set && strcmp(arg->dat, dat->name) == 0;
            is_added_to |= is_of && arg->access == TESS_INC;
            is_used |= is_of && arg->access != TESS_INC;
        }
    return dat->set == TESS_GLOBAL && is_added_to && !is_used;
}

tess_status tess_march_take_sum(const tess_march *march, const char *name, double *sum) {
    if (march->ranked)
        return tess_team_take_sum(march->ranked->team, name, sum);
    const tess_stored *stored = tess_store_find(march->store, name, "");
    double value[4] = {0};
    tess_dat dat = *stored->dat;
    const int64_t bytes = (int64_t)tess_type_size(dat.type);
    dat.values = value;
    TRY(march->bench.device->download(march->bench.target, value, stored->address, bytes));
    *sum = tess_dat_value(&dat, 0);
    tess_dat_set(&dat, 0, 0);
    return march->bench.device->upload(march->bench.target, stored->address, value, bytes);
}

const tess_chained_step *tess_march_chained(const tess_march *march) {
    return march->ranked && march->ranked->team ? tess_team_chained(march->ranked->team)
           : march->marcher                     ? tess_marcher_chained(march->marcher)
                                                : NULL;
}

/* Whether a dat is not compared: a global value, which was taken on the way, or one that chains do
 * not store, since no loop reads it. */
static bool is_left_out(const tess_march *march, const tess_dat *dat) {
    const tess_chained_step *chained = tess_march_chained(march);
    return dat->set == TESS_GLOBAL ||
           (chained &&
            tess_chained_step_drops(chained, dat->name, march->state->mesh->sets[dat->set].name));
}

/* Gives the state of the sequential loops after n steps; what is left out is as it was marched. */
static tess_status march_alone(const tess_march *march, int64_t n, tess_state **out) {
    const tess_workload *load = &march->bench.load;
    TRY(tess_application_start(load->application, load->mesh, TESS_DOUBLE, out));
    for (int64_t i = 0; i < n; i++) {
        TRY(tess_application_march(load->application, *out));
        tess_progress_add(1);
    }
    for (int d = 0; d < (*out)->n_dats; d++) {
        tess_dat *dat = &(*out)->dats[d];
        const int64_t n_values = tess_state_size(*out, dat) * dat->dim;
        for (int64_t i = 0; is_left_out(march, dat) && i < n_values; i++)
            tess_dat_set(dat, i, tess_dat_value(&march->state->dats[d], i));
    }
    return TESS_OK;
}

tess_status tess_march_check(const tess_march *march, int64_t n, tess_difference *out) {
    tess_status status = TESS_OK;
    tess_state *want = NULL;
    CHECK(tess_march_fetch(march));
    *out = (tess_difference){.largest = 0};
    if (!tess_ranked_march_reports(march->ranked))
        return TESS_OK;
    CHECK(march_alone(march, n, &want));
    *out = tess_state_compare(march->state, want);
    if (out->largest > out->tolerance)
        CHECK(tess_fail(
            TESS_ERROR_CHECK,
            "%s comes to another state than the sequential loops: %s differs by %.1e, "
            "over %.0e%s",
            march->bench.load.application->name, out->dat->name, out->largest, out->tolerance,
            march->state->real == TESS_FLOAT ? "; --precision double tells whether that is rounding"
                                             : ""));
done:
    out->dat = NULL; /* it was of `want` */
    tess_state_free(want);
    return status;
}
