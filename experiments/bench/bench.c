/* A bench: where experiments on one mesh and loop are made. */
#include "experiments/bench/bench.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/interrupt.h"
#include "core/base/progress.h"
#include "experiments/archive/digest.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Writes to the device's memory and reads it. */
static tess_status try_device(const tess_bench *bench) {
    tess_address address = 0;
    char words[64];
    TRY(bench->device->alloc(bench->target, "a try", sizeof words, &address));
    const tess_status status = bench->device->download(bench->target, words, address, sizeof words);
    bench->device->free(bench->target, address);
    return status;
}

/* Ranks would wait for each other for ever where two jobs lock the same devices, run by run. */
static bool locks(const tess_bench *bench) {
    return bench->target && !bench->job.crew;
}

void tess_bench_lock(const tess_bench *bench) {
    if (locks(bench) && bench->device->lock)
        bench->device->lock(bench->target);
}

void tess_bench_unlock(const tess_bench *bench) {
    if (locks(bench) && bench->device->unlock)
        bench->device->unlock(bench->target);
}

bool tess_bench_is_broken(const tess_bench *bench) {
    if (!bench->target)
        return bench->lost;
    return bench->device->is_broken && bench->device->is_broken(bench->target);
}

void tess_bench_drop_started(tess_bench *bench) {
    tess_originals_close(bench->started);
    bench->started = NULL;
}

static void drop_originals(tess_bench *bench) {
    if (tess_workload_await_start(&bench->load) == TESS_OK) /* whose thread may be bringing it */
        tess_bench_drop_started(bench);
    tess_originals_close(bench->originals);
    bench->originals = NULL;
    bench->has_tried_originals = false;
}

/* Whether the device has room for a state twice, and as much for a loop's tables. */
static bool has_room(const tess_bench *bench, const tess_state *state) {
    int64_t bytes = 0;
    for (int i = 0; i < state->n_dats; i++)
        bytes += tess_state_size(state, &state->dats[i]) * state->dats[i].dim *
                 (int64_t)tess_type_size(state->dats[i].type);
    return bench->device->free_bytes && bench->device->free_bytes(bench->target) / 4 > bytes;
}

/* Brings the data before the loop to the device, beside what is cut and planned; where that fails
 * they are brought later. */
static void send_start(void *context, const tess_workload *load) {
    tess_bench *bench = context;
    const tess_original_states states = {.start = load->start, .loop = load->bound->loop};
    if (load->chained || !bench->device->enter || bench->device->enter(bench->target) != TESS_OK ||
        !has_room(bench, load->start) ||
        tess_originals_open(bench->device, bench->target, &states, &bench->started) != TESS_OK)
        bench->started = NULL;
}

tess_status tess_bench_keep_originals(tess_bench *bench) {
    const tess_original_states states = {
        .start = bench->load.start, .want = bench->load.want, .loop = bench->load.bound->loop};
    if (bench->load.chained || !bench->ahead || !bench->device->apart || bench->has_tried_originals)
        return TESS_OK;
    bench->has_tried_originals = true;
    double clock = tess_clock_seconds();
    const tess_status status =
        tess_originals_open(bench->device, bench->target, &states, &bench->originals);
    bench->spent.open += tess_clock_lap(&clock);
    return status == TESS_ERROR_MEMORY ? TESS_OK : status; /* it goes without */
}

tess_status tess_bench_reopen(tess_bench *bench) {
    drop_originals(bench);
    bench->device->close(bench->target);
    bench->target = NULL;
    if (tess_device_open(bench->device_name, &bench->device, &bench->target) == TESS_OK &&
        try_device(bench) == TESS_OK)
        return TESS_OK;
    if (bench->target)
        bench->device->close(bench->target);
    bench->target = NULL;
    bench->lost = true;
    FAIL(TESS_ERROR_CHECK,
         "the device stays broken after a run that failed, and what comes after it was not made: "
         "leave that run out (%.200s)",
         tess_message());
}

bool tess_bench_reports(const tess_bench *bench) {
    return !bench->job.crew || bench->job.crew->first == 0;
}

tess_status tess_bench_measure_copies(tess_bench *bench) {
    if (bench->copy_bandwidth > 0)
        return TESS_OK;
    tess_bench_lock(bench);
    tess_progress_begin("timing copies");
    const tess_status status =
        tess_trial_copy_bandwidth(bench->device, bench->target, &bench->copy_bandwidth);
    tess_progress_end();
    tess_bench_unlock(bench);
    return status;
}

const char *tess_bench_owned_set(const tess_bench *bench, const tess_experiment *experiment) {
    const tess_strategy *strategy = experiment->strategy.plugin;
    return strategy && strategy->owns_points ? tess_workload_points(&bench->load) : NULL;
}

/* The device that blocks are cut on where an experiment says so: that of the loops, or the one that
 * is named where none are executed. */
static const char *cutting_device(const tess_bench *bench, const tess_experiment *x) {
    return bench->device_name ? bench->device_name : x->device ? x->device : "";
}

/* Whether that is a GPU. */
static bool cuts_apart(const tess_bench *bench, const tess_experiment *x) {
    const tess_device *device = bench->device;
    char name[TESS_NAME_SIZE];
    const char *text = cutting_device(bench, x);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
    return (device || (*name && tess_device_find(name, &device) == TESS_OK)) && device->apart;
}

/* What a device ends a cut by, plans by, and makes tables by. */
static unsigned kernels_after_cut(const tess_experiment *x) {
    const tess_strategy *strategy = x->strategy.plugin;
    return TESS_CUT_ENDS | TESS_CUT_PLANS |
           (strategy && strategy->tables_there ? TESS_CUT_TABLES : 0);
}

tess_status tess_bench_cutter(tess_bench *bench, const tess_experiment *experiment,
                              tess_cutter *out) {
    enum { FEW = 100000 }; /* elements, which the host cuts in the time that a GPU is asked */
    const tess_experiment *x = experiment;
    const bool is_auto = x->partition_on == TESS_PARTITION_ON_AUTO;
    const char *device = cutting_device(bench, x);
    *out = (tess_cutter){.cut = NULL};
    if (x->partition_on == TESS_PARTITION_ON_HOST || bench->lost)
        return TESS_OK;
    if (is_auto &&
        (!cuts_apart(bench, x) || !x->partitioner.plugin->cut_rule || getpid() != gettid()))
        return TESS_OK; /* beside the thread that runs samples may be taken */
    pthread_mutex_lock(&bench->lock);
    const tess_status status =
        bench->cutter ? TESS_OK : tess_device_cutter_open(device, &bench->cutter);
    pthread_mutex_unlock(&bench->lock);
    TRY(status);
    tess_device_cutter_expect(bench->cutter, kernels_after_cut(x));
    *out = *tess_device_cutter_face(bench->cutter);
    out->least = is_auto ? FEW : 0;
    return TESS_OK;
}

tess_status tess_bench_planner(tess_bench *bench, const tess_experiment *experiment,
                               const tess_planner **out) {
    tess_cutter cutter;
    TRY(tess_bench_cutter(bench, experiment, &cutter));
    const bool plans = cutter.cut && bench->load.bound->n_elements >= cutter.least;
    *out = plans ? tess_device_cutter_planner(bench->cutter) : NULL;
    return TESS_OK;
}

tess_status tess_bench_plans_at_once(tess_bench *bench, const tess_experiment *experiment,
                                     bool *out) {
    const tess_experiment *x = experiment;
    const tess_planner *planner = NULL;
    *out = false;
    TRY(tess_bench_planner(bench, x, &planner));
    if (!planner || !x->partitioner.plugin->cut_rule || x->refine > 0 || bench->texts_lacking ||
        bench->load.bound->n_targets == 0)
        return TESS_OK;
    TRY(tess_cut_uncompiled(bench->device, bench->target, TESS_CUT_BLOCKS | kernels_after_cut(x),
                            &bench->texts_lacking));
    *out = !bench->texts_lacking;
    return TESS_OK;
}

tess_status tess_bench_tables_page(tess_bench *bench, const tess_experiment *experiment,
                                   const char **out) {
    const tess_planner *planner = NULL;
    *out = NULL;
    TRY(tess_bench_planner(bench, experiment, &planner));
    if (!planner)
        return TESS_OK;
    pthread_mutex_lock(&bench->lock);
    const tess_status status =
        bench->tables_page ? TESS_OK : tess_cut_page(TESS_CUT_TABLES, &bench->tables_page);
    *out = bench->tables_page;
    pthread_mutex_unlock(&bench->lock);
    return status;
}

/* Whether runs wait for a device that leaves the processor to others. */
static bool runs_apart(const tess_bench *bench) {
    return bench->target && bench->device->apart;
}

/* Cuts anew. */
static tess_status cut(const tess_run *run, const tess_partition_wanted *want,
                       const tess_cutter *cutter, tess_planned *planned) {
    return tess_planned_cut(planned, want->experiment, want->bound, want->owned_set, run->observer,
                            cutter->cut ? cutter : NULL);
}

/* Whether a GPU cuts sooner than a lab's partition is read. */
static bool is_quick(const tess_bench *bench, const tess_experiment *x, const tess_cutter *cutter) {
    return cutter->cut && x->partitioner.plugin->cut_rule && x->refine == 0 && runs_apart(bench) &&
           bench->load.bound->n_elements >= cutter->least;
}

tess_status tess_bench_partition(tess_bench *bench, const tess_run *run, tess_planned *planned) {
    const tess_partition_wanted want = {.experiment = run->experiment,
                                        .bound = bench->load.bound,
                                        .owned_set = tess_bench_owned_set(bench, run->experiment),
                                        .record = run->record};
    tess_cutter cutter;
    TRY(tess_bench_cutter(bench, run->experiment, &cutter));
    const bool again = run->record && run->experiment->kind == TESS_RUNNING;
    if (!again || is_quick(bench, run->experiment, &cutter))
        return cut(run, &want, &cutter, planned);
    pthread_mutex_lock(&bench->lock);
    const tess_status taken = tess_partition_cache_take(&bench->partitions, &want, planned);
    pthread_mutex_unlock(&bench->lock);
    if (taken != TESS_OK || planned->partition)
        return taken;
    TRY(cut(run, &want, &cutter, planned));
    pthread_mutex_lock(&bench->lock);
    const tess_status kept = tess_partition_cache_keep(&bench->partitions, &want, planned);
    pthread_mutex_unlock(&bench->lock);
    return kept;
}

tess_status tess_bench_find_plan(tess_bench *bench, tess_run *run) {
    char *key = NULL;
    if (run->planned || run->experiment->kind == TESS_CUTTING)
        return TESS_OK;
    TRY(tess_shared_plans_key(run->experiment, &key));
    pthread_mutex_lock(&bench->lock);
    run->planned = tess_shared_plans_find(&bench->plans, key);
    pthread_mutex_unlock(&bench->lock);
    free(key);
    return TESS_OK;
}

tess_status tess_bench_keep_plan(tess_bench *bench, const tess_run *run) {
    char *key = NULL;
    if (run->experiment->kind == TESS_CUTTING)
        return TESS_OK;
    TRY(tess_shared_plans_key(run->experiment, &key));
    pthread_mutex_lock(&bench->lock);
    tess_shared_plans_keep(&bench->plans, key, run->planned);
    pthread_mutex_unlock(&bench->lock);
    return TESS_OK;
}

tess_planned *tess_bench_begin_plan(tess_bench *bench, const char *key) {
    tess_making_begin(&bench->planning, key);
    pthread_mutex_lock(&bench->lock);
    tess_planned *planned = tess_shared_plans_find(&bench->plans, key);
    pthread_mutex_unlock(&bench->lock);
    if (planned)
        tess_making_end(&bench->planning, key);
    return planned;
}

void tess_bench_end_plan(tess_bench *bench, const char *key, tess_planned *planned) {
    char *kept = NULL;
    const bool keeps = bench->plans.most > 0 || bench->options.unexecuted;
    if (planned && keeps && tess_text_copy(key, &kept) == TESS_OK) {
        pthread_mutex_lock(&bench->lock);
        tess_shared_plans_keep(&bench->plans, kept, planned);
        pthread_mutex_unlock(&bench->lock);
    }
    tess_making_end(&bench->planning, key);
}

bool tess_bench_fits(const tess_bench *bench, const tess_experiment *experiment) {
    bool fits = bench->opened && bench->opened->kind == experiment->kind;
    for (tess_field field = 0; fits && field < TESS_N_FIELDS; field++)
        if (tess_fields[field].decides == TESS_DECIDES_MESH)
            fits = tess_experiment_agrees(bench->opened, experiment, field);
    return fits;
}

/* Opens the device that a text names; of a job's processes each has its own. */
static tess_status open_device(const char *text, tess_bench *bench) {
    tess_crew *crew = bench->job.crew;
    TRY(crew ? tess_crew_name_device(crew, text, &bench->device_name)
             : tess_text_copy(text, &bench->device_name));
    TRY(tess_device_open(bench->device_name, &bench->device, &bench->target));
    return crew ? tess_crew_take_device(crew, bench->device, bench->target) : TESS_OK;
}

/* From now on partitions of earlier runs on this mesh are found. */
static void take_digest(tess_bench *bench) {
    if (bench->options.fresh)
        return;
    bench->partitions.lab = bench->options.lab;
    memcpy(bench->partitions.mesh, bench->mesh_digest, sizeof bench->partitions.mesh);
}

/* Stores the mesh in the lab: beside, where it is a large one and that is asked for, or runs are
 * elsewhere; by its digest partitions are found at once. */
static tess_status store_mesh(const tess_workload_names *names, tess_bench *bench) {
    enum { LARGE = 500000 }; /* elements: more take seconds */
    const tess_bench_options *options = &bench->options;
    const bool large = bench->load.bound->n_elements >= LARGE;
    if (!options->lab || !tess_bench_reports(bench))
        return TESS_OK;
    if (names->all_maps && large && runs_apart(bench)) {
        TRY(tess_digest_of_mesh(bench->load.mesh, bench->mesh_digest));
        TRY(tess_filing_begin(names, bench->load.mesh, options->lab, &bench->filing));
    } else if (names->all_maps)
        TRY(tess_lab_store_mesh(options->lab, bench->load.mesh, bench->mesh_digest));
    else
        TRY(tess_filing_begin(names, NULL, options->lab, &bench->filing));
    if (bench->filing && !large)
        return tess_bench_file(bench);
    if (bench->mesh_digest[0])
        take_digest(bench);
    return TESS_OK;
}

bool tess_bench_is_late(const tess_bench *bench) {
    return bench->stores_until > 0 &&
           (tess_clock_seconds() > bench->stores_until || tess_interrupted());
}

bool tess_bench_is_filed(const tess_bench *bench) {
    return !bench->filing || tess_filing_is_over(bench->filing);
}

tess_status tess_bench_file(tess_bench *bench) {
    const bool over = tess_bench_is_filed(bench);
    if (!bench->filing || bench->is_filed || (!over && tess_bench_is_late(bench)))
        return TESS_OK;
    if (!over)
        tess_progress_begin("storing the mesh");
    pthread_mutex_lock(&bench->lock);
    const tess_status status = tess_filing_wait(bench->filing, bench->mesh_digest);
    bench->is_filed = status == TESS_OK;
    if (status == TESS_OK)
        take_digest(bench);
    pthread_mutex_unlock(&bench->lock);
    if (!over)
        tess_progress_end();
    return status;
}

static tess_status open_workload(const tess_experiment *x, bool runs, tess_bench *bench) {
    const tess_bench_options *options = &bench->options;
    const bool files = options->lab && (!options->files_beside || options->mesh);
    const tess_workload_names names = {.mesh = x->mesh,
                                       .given = options->mesh,
                                       .map = x->map,
                                       .dat = x->dat,
                                       .application = x->application,
                                       .kernel = x->kernel,
                                       .loop = x->loop,
                                       .chain = x->chain,
                                       .precision = (tess_precision)x->precision,
                                       .all_maps = files || (runs && options->shown),
                                       .to_be_seen = options->shown,
                                       .most_cells = options->most_cells,
                                       .reference_beside =
                                           options->files_beside || runs_apart(bench),
                                       .reference_soon = options->files_beside,
                                       .start_beside = bench->job.is_early && runs_apart(bench),
                                       .unexecuted = options->unexecuted,
                                       .started = send_start,
                                       .context = bench};
    TRY(tess_workload_open(&names, &bench->load));
    return store_mesh(&names, bench);
}

tess_status tess_bench_open(const tess_experiment *experiment, const tess_bench_options *options,
                            const tess_bench_job *job, tess_bench *bench) {
    const tess_experiment *x = experiment;
    const double began = tess_clock_seconds();
    *bench = (tess_bench){.options = *options,
                          .opened = experiment,
                          .lock = PTHREAD_MUTEX_INITIALIZER,
                          .planning = TESS_MAKING_INIT};
    if (job)
        bench->job = *job;
    const bool runs = x->kind == TESS_RUNNING;
    if (runs)
        TRY(open_device(x->device, bench));
    if (runs && x->counters == TESS_COUNTERS_YES && !bench->device->counters &&
        !bench->device->profiled)
        FAIL(TESS_ERROR_USAGE, "device %s has no counters: --counters is for emulator and cuda",
             bench->device->name);
    TRY(open_workload(x, runs, bench));
    bench->spent.open = tess_clock_seconds() - began;
    return TESS_OK;
}

void tess_bench_close(tess_bench *bench) {
    tess_filing_end(bench->filing);
    drop_originals(bench);
    free(bench->tables_page);
    tess_device_cutter_close(bench->cutter);
    if (bench->target)
        bench->device->close(bench->target);
    tess_partition_cache_clear(&bench->partitions);
    tess_shared_plans_clear(&bench->plans);
    tess_workload_clear(&bench->load);
    free(bench->device_name);
    *bench = (tess_bench){.opened = NULL};
}
