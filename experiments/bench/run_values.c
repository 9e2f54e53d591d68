/* The values of a run: all that is known of it in numbers, by name. */
#include "experiments/bench/run_values.h"

#include "core/base/array.h"
#include "experiments/bench/derived_measures.h"
#include "experiments/bench/global_colours.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_KEPT_RANKS = 64 /* whose counters are kept one by one */ };

typedef struct named {
    const char *name;
    double value; /* NaN: absent */
} named;

#define PUT_ALL(values, metrics) put_all(values, sizeof(values) / sizeof *(values), metrics)

static tess_status put_all(const named *values, size_t n, tess_metrics *metrics) {
    for (size_t i = 0; i < n; i++)
        TRY(tess_metrics_put(metrics, values[i].name, values[i].value));
    return TESS_OK;
}

/* What the partitioner gave before the repair, and what it cost: measured where it is the run's
 * own, and nothing else worked meanwhile. */
static tess_status put_partition(const tess_planned *planned, tess_metrics *metrics) {
    const tess_partition *partition = planned->partition;
    const bool is_own = !planned->partition_run[0] && !isnan(partition->cpu_seconds);
    const bool has_worker = is_own && partition->peak_bytes > 0;
    const named values[] = {
        {"reuse_factor_before_repair", partition->reuse_factor_before},
        {"blocks_before_repair", (double)partition->n_blocks_before},
        {"largest_block_before_repair", (double)partition->largest_before},
        {"elements_moved_by_repair", (double)partition->n_moved},
        {"partition_seconds", is_own ? planned->partition_seconds : NAN},
        {"partition_cpu_seconds", is_own ? partition->cpu_seconds : NAN},
        {"partition_memory_bytes", is_own ? (double)partition->grown_bytes : NAN},
        {"worker_start_cpu_seconds", has_worker ? partition->start_cpu_seconds : NAN},
        {"partition_peak_bytes", has_worker ? (double)partition->peak_bytes : NAN},
        {"partition_device_seconds",
         is_own && partition->place[0] ? partition->place_seconds : NAN},
        {"plan_seconds", planned->plan_seconds},
    };
    return PUT_ALL(values, metrics);
}

/* The plan's metrics in the layout of the run, counted anew where sets differ in it. */
static tess_status put_plan(const tess_bench *bench, tess_run *run) {
    const tess_layouts *layouts = &run->experiment->layout.layouts;
    const tess_planned *planned = run->planned;
    const tess_mesh *mesh = bench->load.mesh;
    tess_status status = TESS_OK;
    tess_layout *of_set = NULL;
    tess_metrics *metrics = NULL;
    int32_t n_colours = 0;
    if (layouts->n_others > 0) {
        CHECK(TESS_ALLOC(mesh->n_sets, &of_set));
        for (int set = 0; set < mesh->n_sets; set++)
            of_set[set] = tess_layouts_of(layouts, mesh->sets[set].name);
        CHECK(tess_metrics_of_plan_by_set(bench->load.bound, planned->plan, planned->renumbering,
                                          of_set, &metrics));
    }
    CHECK(tess_metrics_append(run->values, metrics ? metrics : planned->metrics[layouts->layout]));
    CHECK(tess_global_colours_count(bench->load.bound, run, &n_colours));
    CHECK(tess_metrics_put(run->values, "global_colours", n_colours > 0 ? (double)n_colours : NAN));
    CHECK(put_partition(planned, run->values));
done:
    tess_metrics_free(metrics);
    free(of_set);
    return status;
}

static tess_status put_counters(const tess_counters *c, tess_metrics *metrics) {
    const tess_source source =
        tess_counters_estimated(c) ? TESS_SOURCE_SAMPLE : TESS_SOURCE_EMULATOR;
    const named counted[] = {
        {"read_sectors", (double)c->read_sectors},
        {"write_sectors", (double)c->write_sectors},
        {"atomic_sectors", (double)c->atomic_sectors},
        {"atomics", (double)c->atomics},
        {"atomic_repeats", (double)c->atomic_repeats},
        {"shared_wavefronts", (double)c->shared_wavefronts},
        {"shared_bank_conflicts", (double)c->shared_bank_conflicts},
        {"warp_efficiency", tess_counters_efficiency(c)},
        {"barriers", (double)c->barriers},
    };
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        if (!isnan(counted[i].value))
            TRY(tess_metrics_add(metrics, counted[i].name, source, counted[i].value));
    const named facts[] = {{"thread_steps", (double)c->thread_steps},
                           {"blocks_executed", (double)c->blocks_executed},
                           {"blocks_launched", (double)c->blocks_launched}};
    TRY(PUT_ALL(facts, metrics));
    tess_cache_counter caches[TESS_CACHE_COUNTERS];
    tess_counters_of_caches(c, caches);
    for (int i = 0; i < TESS_CACHE_COUNTERS && tess_counters_cached(c); i++)
        TRY(tess_metrics_add(metrics, caches[i].name, TESS_SOURCE_EMULATOR,
                             (double)caches[i].value));
    return TESS_OK;
}

static double non_negative(int count) {
    return count >= 0 ? (double)count : NAN;
}

/* Of pages and kernels; each rank has its own, of which nothing is said. */
static tess_status put_trial(const tess_run *run, double copy_bandwidth, tess_metrics *metrics) {
    const tess_trial *trial = &run->trial;
    const double median = tess_trial_median(trial);
    const double bandwidth = (double)trial->useful_bytes / median;
    const double least = (double)trial->moved_bytes_min / median;
    const bool alone = !run->is_ranked;
    const named values[] = {
        {"launches", alone ? (double)trial->n_launches : NAN},
        {"useful_bytes", (double)trial->useful_bytes},
        {"flops", trial->flops > 0 ? (double)trial->flops : NAN},
        {"moved_bytes_min", alone ? (double)trial->moved_bytes_min : NAN},
        {"shared_bytes", alone ? (double)trial->shared_bytes : NAN},
        {"registers", non_negative(trial->resources.registers)},
        {"spilled_bytes", non_negative(trial->resources.spilled)},
        {"occupancy_theoretical", trial->occupancy},
        {"bandwidth", bandwidth},
        {"copy_bandwidth", alone && trial->n_samples > 0 ? copy_bandwidth : NAN},
        {"useful_fraction", alone ? bandwidth / copy_bandwidth : NAN},
        {"copy_fraction", alone ? least / copy_bandwidth : NAN},
        {"flop_rate", trial->flops > 0 ? (double)trial->flops / median : NAN},
    };
    return PUT_ALL(values, metrics);
}

tess_status tess_ranks_note_values(const tess_ranked_march *march, tess_metrics *values) {
    const tess_halo_metrics *halo = &march->halo;
    const tess_exchange_timing *timing = &march->timing;
    const tess_rank_blocks *blocks = &march->blocks;
    const int32_t n_ranks = march->crew->n_ranks;
    const named counted[] = {
        {"ranks", halo->n_ranks},
        {"rank_imbalance", halo->rank_imbalance},
        {"core_share", halo->core_share},
        {"exec_share", halo->exec_share},
        {"read_share", halo->read_share},
        {"neighbours_mean", halo->neighbours_mean},
        {"neighbours_max", halo->neighbours_max},
        {"exchange_bytes", (double)halo->exchange_bytes},
        {"exchange_messages", (double)halo->exchange_messages},
        {"exchange_rounds", timing->n_rounds},
        {"reuse_factor", blocks->reuse.points
                             ? (double)blocks->reuse.accesses / (double)blocks->reuse.points
                             : NAN},
        {"blocks", blocks->reuse.points ? (double)blocks->blocks : NAN},
    };
    const named timed[] = {
        {"step_seconds", timing->step},
        {"serial_seconds", timing->serial},
        {"unexchanged_seconds", timing->unexchanged},
        {"exchange_seconds", timing->exchange},
        {"pack_seconds", timing->pack},
        {"exposed_seconds", timing->exposed},
        {"hidden_share", timing->hidden},
    };
    TRY(PUT_ALL(counted, values));
    if (timing->n_rounds > 0)
        TRY(PUT_ALL(timed, values));
    for (int32_t r = 0; march->counters && r < n_ranks && n_ranks <= MOST_KEPT_RANKS; r++) {
        const tess_counters *c = &march->counters[r];
        const named of_rank[] = {{"read_sectors", (double)c->read_sectors},
                                 {"write_sectors", (double)c->write_sectors},
                                 {"atomic_sectors", (double)c->atomic_sectors},
                                 {"shared_bank_conflicts", (double)c->shared_bank_conflicts},
                                 {"barriers", (double)c->barriers}};
        for (size_t i = 0; i < sizeof of_rank / sizeof *of_rank; i++) {
            char name[TESS_METRIC_NAME_SIZE];
            snprintf(name, sizeof name, "%s/rank%d", of_rank[i].name, r);
            TRY(tess_metrics_add(values, name,
                                 tess_counters_estimated(c) ? TESS_SOURCE_SAMPLE
                                                            : TESS_SOURCE_EMULATOR,
                                 of_rank[i].value));
        }
    }
    return TESS_OK;
}

tess_status tess_run_note_values(const tess_bench *bench, const tess_hardware_counters *hardware,
                                 tess_run *run) {
    tess_metrics *values = run->values;
    const bool has_blocks = run->planned && run->planned->partition;
    if (has_blocks && tess_bench_reports(bench))
        TRY(put_plan(bench, run));
    else if (run->planned && run->planned->plan)
        TRY(tess_metrics_put(values, "redundancy",
                             (double)run->planned->plan->n_executed /
                                 (double)run->planned->plan->n_elements));
    if (run->experiment->kind == TESS_CUTTING)
        return TESS_OK;
    if (run->ranked) {
        TRY(tess_ranks_note_values(run->ranked, values));
        TRY(tess_metrics_put(values, "redundancy", 1 + run->ranked->halo.exec_share));
    }
    if (run->trial.counted)
        TRY(put_counters(&run->trial.counters, values));
    TRY(put_trial(run, bench->copy_bandwidth, values));
    for (int i = 0; hardware && i < hardware->n; i++)
        TRY(tess_metrics_add(values, hardware->values[i].name, TESS_SOURCE_COUNTER,
                             hardware->values[i].value));
    return tess_derive_measures(tess_workload_size(&bench->load), values);
}
