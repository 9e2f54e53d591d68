/* A trial: one loop by one strategy, or one chain, on a device, checked, counted and timed. */
#include "kernels/run/trial.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/progress.h"
#include "core/base/statistics.h"
#include "kernels/loops/loop_bytes.h"
#include "kernels/run/chain_execution.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tess_status check_result(const tess_trial_loop *loop, tess_trial *out) {
    tess_difference difference;
    TRY(loop->originals ? tess_originals_compare(loop->originals, out->store, &difference)
                        : tess_store_compare(out->store, loop->want, &difference));
    out->checked = true;
    out->difference = difference.largest;
    out->tolerance = difference.tolerance;
    out->passed = out->difference <= out->tolerance;
    snprintf(out->worst, sizeof out->worst, "%s", difference.dat ? difference.dat->name : "");
    if (out->passed && out->execution->peer)
        tess_peer_trust(out->execution->peer);
    return TESS_OK;
}

/* Whether a loop has an arg by which it changes a dat. */
static bool changes(const tess_loop *loop, const tess_store *store, const tess_dat *dat) {
    bool found = false;
    for (int a = 0; a < loop->n_args; a++)
        found |= loop->args[a].access != TESS_READ &&
                 tess_state_find(store->state, loop->args[a].dat, loop->args[a].set) == dat;
    return found;
}

/* Copies what the loop has changed to memory beside it. */
static tess_status keep_result(const tess_trial_loop *loop, tess_trial *out) {
    tess_store *store = out->store;
    const tess_device *device = store->device;
    for (int i = 0; i < store->n_stored; i++) {
        tess_stored *stored = &store->stored[i];
        if (stored->left_out || stored->bytes == 0 ||
            !changes(loop->bound->loop, store, stored->dat))
            continue;
        TRY(tess_store_double(store, stored));
        TRY(device->copy(store->target, stored->other, stored->address, stored->bytes));
    }
    out->keeps_result = true;
    return TESS_OK;
}

/* Lets a kept result change places with what is there now. */
static void swap_result(const tess_trial *trial) {
    for (int i = 0; i < trial->store->n_stored; i++)
        if (trial->store->stored[i].doubled)
            tess_stored_swap(&trial->store->stored[i]);
}

tess_status tess_trial_check(const tess_trial_loop *loop, tess_trial *trial) {
    if (!trial->keeps_result)
        return TESS_OK;
    const double copied = trial->store->copy_seconds;
    double clock = tess_clock_seconds();
    trial->keeps_result = false;
    swap_result(trial);
    const tess_status status = check_result(loop, trial);
    swap_result(trial);
    const double copying = trial->store->copy_seconds - copied;
    trial->copy_seconds += copying;
    trial->check_seconds += tess_clock_lap(&clock) - copying;
    return status;
}

/* Makes a graph of the launches where that is asked for, or helps. */
static tess_status choose_graph(const tess_device *device, tess_graph_use use, tess_execution *x) {
    if (use == TESS_GRAPH_ON && x->run)
        FAIL(TESS_ERROR_USAGE, "a chain is one launch, and its buffers change places: leave "
                               "--graph out");
    if (use == TESS_GRAPH_ON && x->peer)
        FAIL(TESS_ERROR_USAGE, "a peer launches what it likes: leave --graph out");
    if (use == TESS_GRAPH_ON && !device->graph_start)
        FAIL(TESS_ERROR_USAGE, "device %s has no graphs of launches: leave --graph out",
             device->name);
    const bool helps = device->graph_start && x->page.n_launches > 1 && !x->run;
    return use == TESS_GRAPH_ON || (use == TESS_GRAPH_AUTO && helps) ? tess_execution_use_graph(x)
                                                                     : TESS_OK;
}

static void measure_sizes(const tess_execution *x, tess_trial *out) {
    const tess_device *device = x->page.store->device;
    const tess_target *target = x->page.store->target;
    out->n_launches = x->page.n_launches;
    if (x->tables_there)
        snprintf(out->tables_place, sizeof out->tables_place, "%s",
                 device->model ? device->model(target) : device->name);
    memcpy(out->remark, x->remark, sizeof out->remark);
    for (int i = 0; i < x->page.n_launches; i++)
        if (x->page.launches[i].shared_bytes > out->shared_bytes)
            out->shared_bytes = x->page.launches[i].shared_bytes;
    if (x->run) /* a chain, which is measured */
        return;
    out->useful_bytes = tess_dat_bytes(x->page.bound) + tess_map_bytes(x->page.bound);
    out->flops = x->page.kernel->flops * x->page.bound->n_elements;
    out->moved_bytes_min = tess_dat_bytes(x->page.bound) + x->page.array_bytes;
}

/* Runs it n times while no other process works on the device. */
static tess_status run_alone(tess_execution *x, int n, double *seconds) {
    const tess_device *device = x->page.store->device;
    if (device->lock)
        device->lock(x->page.store->target);
    const tess_status status = tess_execution_time(x, n, seconds);
    if (device->unlock)
        device->unlock(x->page.store->target);
    return status;
}

/* Runs it for the first time. A peer compiles and loads then, for which others need not wait. */
static tess_status run_once(tess_execution *x, double *seconds) {
    if (!x->peer)
        return run_alone(x, 1, seconds);
    TRY(tess_execution_time(x, 1, seconds));
    return tess_peer_save(x->peer);
}

/* The occupancy that a launch's threads and memory allow, where it is less than *least. */
static void find_occupancy(const tess_execution *x, const tess_launch *launch,
                           const tess_resources *resources, double *least) {
    const tess_device *device = x->page.store->device;
    if (!device->occupancy)
        return;
    const tess_block_needs needs = {.threads = launch->threads,
                                    .registers = resources->registers,
                                    .shared_bytes = launch->shared_bytes + resources->shared_bytes};
    *least = fmin(*least, device->occupancy(x->page.store->target, &needs));
}

/* The most that any kernel of the launches takes, and the least occupancy. */
static tess_status find_resources(const tess_execution *x, tess_trial *trial) {
    const tess_device *device = x->page.store->device;
    tess_resources *out = &trial->resources, one = {.registers = -1};
    for (int i = 0; i < x->page.n_launches; i++) {
        const tess_launch *launch = &x->page.launches[i];
        if (i == 0 || strcmp(launch->kernel, launch[-1].kernel) != 0)
            TRY(device->resources(x->page.store->target, x->module, launch->kernel, &one));
        find_occupancy(x, launch, &one, &trial->occupancy);
        out->registers = one.registers > out->registers ? one.registers : out->registers;
        out->spilled = one.spilled > out->spilled ? one.spilled : out->spilled;
        out->shared_bytes =
            one.shared_bytes > out->shared_bytes ? one.shared_bytes : out->shared_bytes;
    }
    return TESS_OK;
}

static void take_counters(const tess_device *device, tess_trial *out) {
    const tess_counters *counters =
        device->counters ? device->counters(out->execution->page.store->target) : NULL;
    out->counted = counters != NULL;
    if (counters)
        out->counters = *counters;
}

/* Counts a run after the first in place of that. */
static tess_status count_again(const tess_device *device, tess_trial *out) {
    double seconds = 0;
    device->reset_counters(out->execution->page.store->target);
    TRY(run_alone(out->execution, 1, &seconds));
    out->run_seconds += seconds;
    take_counters(device, out);
    return TESS_OK;
}

/* The first run, checked and counted, and the warm-up. */
static tess_status run_first(const tess_device *device, const tess_trial_setting *setting,
                             const tess_trial_loop *loop, tess_trial *out) {
    tess_execution *x = out->execution;
    tess_target *target = x->page.store->target;
    TRY(find_resources(x, out));
    if (device->compiles_only)
        return TESS_OK;
    if (device->reset_counters)
        device->reset_counters(target);
    double clock = tess_clock_seconds();
    TRY(run_once(x, &out->first_seconds));
    out->run_seconds += tess_clock_lap(&clock);
    take_counters(device, out);
    const bool checks = !device->is_sampled || !device->is_sampled(target);
    if (checks)
        TRY(setting->checked_later && !x->run && !x->peer ? keep_result(loop, out)
                                                          : check_result(loop, out));
    out->check_seconds += tess_clock_lap(&clock);
    if (device->is_warm && device->is_warm(target))
        TRY(count_again(device, out));
    if (!setting->timed)
        return TESS_OK;
    TRY(run_alone(x, TESS_TRIAL_WARM_UPS, &out->warm_seconds));
    out->run_seconds += tess_clock_lap(&clock);
    return TESS_OK;
}

static tess_status check_setting(const tess_device *device, const tess_trial_setting *setting) {
    if (setting->cold && !device->flush)
        FAIL(TESS_ERROR_USAGE, "device %s has no caches: --cache cold is for host and cuda",
             device->name);
    if (setting->chain && setting->strategy->elsewhere)
        FAIL(TESS_ERROR_USAGE, "a peer runs a loop, and no chain: leave --chain out");
    return TESS_OK;
}

/* Writes the page of a trial whose store is there. */
static tess_status write_page(const tess_trial_setting *setting, const tess_trial_loop *loop,
                              tess_trial *out) {
    const tess_execution_options options = {.kernel = setting->kernel,
                                            .strategy = setting->strategy,
                                            .spec = setting->spec,
                                            .threads = setting->threads,
                                            .arithmetic = setting->arithmetic,
                                            .peer = setting->peer,
                                            .tables_page = setting->tables_page,
                                            .keep_text = setting->keep_text};
    return tess_execution_draft(&options, out->store, loop->bound, loop->plan, &out->execution);
}

/* Writes the page where that is not done, and makes it ready. */
static tess_status place_loop(const tess_trial_setting *setting, const tess_trial_loop *loop,
                              tess_trial *out) {
    if (!out->execution)
        TRY(write_page(setting, loop, out));
    return tess_execution_place(out->execution);
}

/* What it loads and stores, and its maps; what its loops compute, each element once. */
static void measure_chain(const tess_chained_step *step, int first, tess_trial *out) {
    const tess_chain *chain = tess_chained_step_chain(step, first);
    const tess_mesh *mesh = out->store->state->mesh;
    out->useful_bytes = tess_chain_bytes(chain, mesh);
    out->moved_bytes_min = tess_chain_dat_bytes(chain, mesh) + out->execution->page.array_bytes;
    for (int k = 0; k < chain->n_loops; k++)
        out->flops += tess_chained_step_kernels(step)[first + k]->flops *
                      tess_mesh_set_size(mesh, chain->loops[k].loop->set);
}

tess_status tess_trial_chain_open(const tess_trial_setting *setting, const tess_trial_loop *loop,
                                  tess_store *store, bool on_paper, tess_chained_step **out,
                                  int *first) {
    tess_status status = TESS_OK;
    tess_chained_step *step = NULL;
    int n = 0;
    tess_chain_way *ways = NULL;
    const tess_state *start = loop->start;
    CHECK(tess_chained_step_new_one(setting->application, start->mesh, start->real, setting->chain,
                                    &step, first));
    CHECK(TESS_ALLOC(tess_chained_step_length(step, *first), &ways));
    for (; n < tess_chained_step_length(step, *first); n++)
        ways[n] = (tess_chain_way){.kernel = tess_chained_step_kernels(step)[*first + n],
                                   .plan = loop->plan,
                                   .threads = setting->threads,
                                   .registers = tess_chain_registers(setting->spec)};
    const tess_chains_setting chains = {.store = store,
                                        .n_ways = n,
                                        .ways = ways,
                                        .arithmetic = setting->arithmetic,
                                        .keep_text = setting->keep_text,
                                        .on_paper = on_paper};
    CHECK(tess_chained_step_open(step, &chains));
    *out = TESS_TAKE(step);
done:
    free(ways);
    tess_chained_step_free(step);
    return status;
}

static tess_status open_chain(const tess_trial_setting *setting, const tess_trial_loop *loop,
                              tess_trial *out) {
    tess_chained_step *step = NULL;
    int first = 0;
    TRY(tess_trial_chain_open(setting, loop, out->store, false, &step, &first));
    TRY(tess_chain_execution_new(step, first, &out->execution));
    measure_chain(step, first, out);
    return TESS_OK;
}

/* A store of the dats that the loop has args of; all where a chain may have them. */
static tess_status draft_store(const tess_device *device, tess_target *target,
                               const tess_trial_setting *setting, const tess_trial_loop *loop,
                               tess_store **out) {
    TRY(tess_store_draft(device, target, loop->start, loop->renumbering, &setting->layouts, out));
    if (!setting->chain)
        tess_store_leave_out(*out, loop->bound->loop);
    return TESS_OK;
}

static const tess_trial nothing = {
    .resources = {.registers = -1, .spilled = -1, .shared_bytes = -1}, .occupancy = NAN};

tess_status tess_trial_draft(const tess_device *device, tess_target *target,
                             const tess_trial_setting *setting, const tess_trial_loop *loop,
                             tess_trial *out) {
    tess_status status = TESS_OK;
    *out = nothing;
    CHECK(check_setting(device, setting));
    if (setting->chain) /* its page needs what is placed */
        goto done;
    CHECK(draft_store(device, target, setting, loop, &out->store));
    CHECK(write_page(setting, loop, out));
    if (!setting->strategy->elsewhere)
        CHECK(tess_device_compile_ahead(device, target, out->execution->page.text.text));
done:
    if (status != TESS_OK)
        tess_trial_clear(out);
    return status;
}

tess_status tess_trial_open(const tess_device *device, tess_target *target,
                            const tess_trial_setting *setting, const tess_trial_loop *loop,
                            tess_trial *out) {
    tess_status status = TESS_OK;
    double clock = tess_clock_seconds();
    tess_progress_begin("placing data");
    if (!out->execution) {
        *out = nothing;
        CHECK(check_setting(device, setting));
        CHECK(draft_store(device, target, setting, loop, &out->store));
    }
    tess_originals *const there = loop->originals ? loop->originals : loop->started;
    CHECK(there ? tess_originals_place(there, out->store) : tess_store_place(out->store));
    out->check_seconds = tess_clock_lap(&clock);
    tess_progress_set(0, 0, "making tables and compiling");
    if (setting->chain)
        CHECK(open_chain(setting, loop, out));
    else
        CHECK(place_loop(setting, loop, out));
    out->compile_seconds = tess_clock_lap(&clock);
    measure_sizes(out->execution, out);
    CHECK(choose_graph(device, setting->graph, out->execution));
    out->cold = setting->cold;
    tess_progress_set(0, 0, "executing and checking");
    CHECK(run_first(device, setting, loop, out));
    out->copy_seconds = out->store->copy_seconds;
    out->check_seconds -= out->copy_seconds;
done:
    tess_progress_end();
    if (status != TESS_OK)
        tess_trial_clear(out);
    return status;
}

tess_status tess_trial_add(tess_trial *trial, const tess_device *device, tess_target *target,
                           tess_trial_sample sample) {
    const tess_clocks unknown = {NAN, NAN};
    sample.clocks = device->clocks ? device->clocks(target) : unknown;
    TRY(TESS_RESERVE(trial->n_samples + 1, &trial->capacity, &trial->samples));
    trial->samples[trial->n_samples++] = sample;
    return TESS_OK;
}

/* Runs before a sample, which a device is left with: it has the next one's launches when it is
 * done, so that no sample includes the way there. */
static tess_status warm_up(tess_execution *x) {
    double seconds = 0;
    if (x->peer)
        return tess_execution_time(x, TESS_TURN_WARM_UPS, &seconds);
    for (int i = 0; i < TESS_TURN_WARM_UPS; i++)
        TRY(tess_execution_run(x));
    return TESS_OK;
}

tess_status tess_trial_take(tess_trial *trial, int round, double start) {
    double seconds = 0;
    const double began = tess_clock_seconds();
    const tess_device *device = trial->store->device;
    TRY(warm_up(trial->execution));
    if (trial->cold)
        TRY(device->flush(trial->store->target));
    TRY(tess_execution_time(trial->execution, 1, &seconds));
    trial->run_seconds += tess_clock_seconds() - began;
    return tess_trial_add(trial, device, trial->store->target,
                          (tess_trial_sample){.seconds = seconds, .start = start, .round = round});
}

int64_t tess_trial_bytes(const tess_trial *trial) {
    int64_t bytes = trial->execution ? trial->execution->page.array_bytes : 0;
    for (int i = 0; trial->store && i < trial->store->n_stored; i++)
        bytes += trial->store->stored[i].left_out
                     ? 0
                     : trial->store->stored[i].bytes * (1 + trial->store->stored[i].doubled);
    return bytes;
}

void tess_trial_close(tess_trial *trial) {
    tess_execution_close(trial->execution);
    tess_store_close(trial->store);
    trial->execution = NULL;
    trial->store = NULL;
}

void tess_trial_clear(tess_trial *trial) {
    tess_trial_close(trial);
    free(trial->samples);
    trial->samples = NULL;
    trial->n_samples = trial->capacity = 0;
}

double tess_trial_median(const tess_trial *trial) {
    const int64_t n = trial->n_samples;
    double *seconds = NULL;
    if (TESS_ALLOC(n, &seconds) != TESS_OK)
        return NAN;
    for (int64_t i = 0; i < n; i++)
        seconds[i] = trial->samples[i].seconds;
    const double median = tess_median(seconds, n);
    free(seconds);
    return median;
}

/* More than the device's caches hold. */
static int64_t bytes_of_a_copy(const tess_device *device) {
    const char *said = getenv("TESS_COPY_MIB");
    const long mebibytes = said ? strtol(said, NULL, 10) : 0;
    if (mebibytes > 0 && mebibytes < 1 << 20)
        return (int64_t)mebibytes << 20;
    return device->apart ? 1 << 28 : 1 << 27;
}

tess_status tess_trial_copy_bandwidth(const tess_device *device, tess_target *target, double *out) {
    enum { MOST = 10 };
    const double enough = 0.05; /* seconds of copying */
    const int64_t bytes = bytes_of_a_copy(device);
    *out = 0;
    if (!device->copy)
        return TESS_OK;
    tess_status status = TESS_OK;
    tess_address from = 0, to = 0;
    double seconds = 0;
    CHECK(device->alloc(target, "a copy", bytes, &from));
    CHECK(device->alloc(target, "a copy", bytes, &to));
    CHECK(device->timer_start(target));
    CHECK(device->copy(target, to, from, bytes));
    CHECK(device->timer_stop(target, &seconds));
    const int n = MOST * seconds > enough ? 1 + (int)(enough / seconds) : MOST;
    CHECK(device->timer_start(target));
    for (int i = 0; i < n; i++)
        CHECK(device->copy(target, to, from, bytes));
    CHECK(device->timer_stop(target, &seconds));
    *out = 2.0 * n * (double)bytes / seconds;
done:
    if (to)
        device->free(target, to);
    if (from)
        device->free(target, from);
    return status;
}
