/* Measuring: a run's loop executed and checked, and what its samples and counters say. */
#include "experiments/bench/measuring.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/interrupt.h"
#include "core/base/own_file.h"
#include "core/base/progress.h"
#include "core/base/stream_text.h"
#include "experiments/bench/chain_record.h"
#include "experiments/bench/ranked_run.h"
#include "experiments/bench/recording.h"
#include "experiments/bench/run_values.h"
#include "kernels/run/chain_execution.h"
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Words for a loop that may be at fault itself, "" for others. */
static const char *order_words(const tess_loop *loop) {
    return tess_loop_writes_points(loop) ? "; what is write or rw through a map must come out the "
                                           "same in any order of elements"
                                         : "";
}

static tess_trial_setting setting_of(const tess_bench *bench, const tess_experiment *x) {
    return (tess_trial_setting){
        .kernel = bench->load.kernel,
        .strategy = x->strategy.plugin,
        .spec = x->strategy.spec,
        .application = bench->load.application,
        .chain = x->chain,
        .layouts = x->layout.layouts,
        .threads = x->threads == TESS_UNSAID ? 0 : (int)x->threads,
        .arithmetic = (tess_arithmetic)x->arithmetic,
        .timed = tess_experiment_samples(x) > 0,
        .cold = x->cache == TESS_CACHE_COLD,
        .graph = (tess_graph_use)x->graph,
        .peer = {.device = bench->device_name, .time_limit = x->time_limit, .pool = bench->peers},
        .keep_text = bench->options.keep_text};
}

static tess_trial_loop loop_of(const tess_bench *bench, const tess_run *run) {
    return (tess_trial_loop){.bound = bench->load.bound,
                             .plan = run->planned->plan,
                             .renumbering = run->planned->renumbering,
                             .start = bench->load.start,
                             .want = bench->load.want,
                             .originals = bench->originals};
}

tess_status tess_run_draft(const tess_bench *bench, tess_run *run) {
    const tess_trial_setting setting = setting_of(bench, run->experiment);
    const tess_trial_loop loop = loop_of(bench, run);
    return tess_trial_draft(bench->device, bench->target, &setting, &loop, &run->trial);
}

/* A text of C, and within quotes. Files of a user's are found from any folder. */
static void print_setting(tess_field field, const char *text, FILE *out) {
    const bool is_file = field == TESS_FIELD_kernel || field == TESS_FIELD_loop;
    char *whole = is_file ? realpath(text, NULL) : NULL;
    fprintf(out, "    {\"%s\", \"", tess_fields[field].name);
    for (const char *at = whole ? whole : text; *at; at++)
        fprintf(out, "%s%c", *at == '"' || *at == '\\' ? "\\" : "", *at);
    fprintf(out, "\"},\n");
    free(whole);
}

/* Gives all but the mesh that is not as by default, a line each. The caller frees it. */
static tess_status print_settings(const tess_experiment *x, char **out) {
    tess_status status = TESS_OK;
    char *text = NULL, *usual = NULL;
    tess_printed settings;
    tess_experiment none;
    TRY(tess_experiment_init(x->kind, &none));
    TRY(tess_printed_open(&settings));
    for (tess_field field = 0; field < TESS_N_FIELDS; field++) {
        if (!tess_field_is_of(field, x->kind) || field == TESS_FIELD_mesh)
            continue;
        CHECK(tess_experiment_text(x, field, &text));
        CHECK(tess_experiment_text(&none, field, &usual));
        if (strcmp(text, usual) != 0)
            print_setting(field, text, settings.stream);
        free(text);
        free(usual);
        text = usual = NULL;
    }
done:
    free(text);
    free(usual);
    tess_experiment_clear(&none);
    return tess_printed_close(&settings, status, out);
}

tess_status tess_run_emit(const tess_bench *bench, const tess_run *run,
                          const tess_emit_setting *setting, char name[static TESS_NAME_SIZE]) {
    const tess_experiment *x = run->experiment;
    const tess_trial_setting trial = setting_of(bench, x);
    const tess_trial_loop loop = loop_of(bench, run);
    char *settings = NULL;
    tess_status status = print_settings(x, &settings);
    const tess_emit_words words = {x->application ? x->application : x->kernel, settings};
    if (status == TESS_OK)
        status = tess_emit(setting, &words, &trial, &loop, name);
    free(settings);
    return status;
}

static tess_status open_ranks(tess_bench *bench, tess_run *run) {
    TRY(tess_ranked_run_open(bench, run));
    bench->spent.compile += run->trial.compile_seconds;
    return TESS_OK;
}

static tess_status record_chain(const tess_bench *bench, tess_run *run) {
    const tess_chained_step *step = tess_chain_execution_step(run->trial.execution);
    TRY(tess_record_chains(step, bench->load.mesh, run->record));
    return tess_record_chain_blocks(step, run->record);
}

static tess_status open_trial(tess_bench *bench, bool checked_later, tess_run *run) {
    if (tess_experiment_samples(run->experiment) > 0 && !bench->options.times_alone)
        TRY(tess_bench_measure_copies(bench));
    TRY(tess_bench_keep_originals(bench));
    const tess_trial before = run->trial;
    tess_trial_setting setting = setting_of(bench, run->experiment);
    TRY(tess_bench_tables_page(bench, run->experiment, &setting.tables_page));
    setting.checked_later = checked_later;
    tess_trial_loop loop = loop_of(bench, run);
    loop.started = bench->started;
    const tess_status status =
        tess_trial_open(bench->device, bench->target, &setting, &loop, &run->trial);
    tess_bench_drop_started(bench);
    run->trial.samples = before.samples;
    run->trial.n_samples = before.n_samples;
    run->trial.capacity = before.capacity;
    bench->spent.compile += run->trial.compile_seconds;
    bench->spent.check += run->trial.check_seconds;
    bench->spent.copy += run->trial.copy_seconds;
    TRY(status);
    run->graph = run->trial.execution->graph != NULL;
    if (run->trial.execution->peer)
        TRY(tess_values_set_text(&run->record->environment, "peer",
                                 tess_peer_version(run->trial.execution->peer)));
    return bench->load.chained ? record_chain(bench, run) : TESS_OK;
}

/* Whether samples are taken before the reference is there: on a device with room for the result. */
static bool checks_later(const tess_bench *bench, const tess_experiment *x) {
    const tess_device *device = bench->device;
    const bool is_timed = tess_experiment_samples(x) > 0 && x->same_bits <= TESS_BITS_VARY;
    return bench->job.is_early && !bench->ahead && is_timed && device->apart && device->copy &&
           !bench->load.chained && !x->strategy.plugin->elsewhere &&
           !tess_workload_is_ready(&bench->load);
}

static tess_status await(tess_bench *bench) {
    double clock = tess_clock_seconds();
    const tess_status status = tess_workload_await(&bench->load);
    bench->spent.open += tess_clock_lap(&clock);
    return status;
}

/* Executes it as soon as what it starts from is there. */
static tess_status open_early(tess_bench *bench, tess_run *run) {
    double clock = tess_clock_seconds();
    TRY(tess_workload_await_start(&bench->load));
    bench->spent.open += tess_clock_lap(&clock);
    if (checks_later(bench, run->experiment)) {
        const tess_status status = open_trial(bench, true, run);
        if (status != TESS_ERROR_MEMORY)
            return status;
    }
    TRY(await(bench));
    return open_trial(bench, false, run);
}

/* Fails where a result was found to be wrong. */
static tess_status judge(const tess_bench *bench, tess_run *run) {
    if (!run->trial.checked || run->trial.passed)
        return TESS_OK;
    tess_run_close(run);
    if (isinf(run->trial.difference))
        FAIL(
            TESS_ERROR_CHECK,
            "the result is wrong: %s has values that are not finite, or the sequential loop's has, "
            "as where cells have no extent: 'tess mesh check' finds these",
            run->trial.worst);
    FAIL(TESS_ERROR_CHECK,
         "the result is wrong: %s differs by %.3g of its largest value, %.3g is allowed%s",
         run->trial.worst, run->trial.difference, run->trial.tolerance,
         order_words(bench->load.bound->loop));
}

tess_status tess_run_execute(tess_bench *bench, tess_run *run) {
    if (tess_experiment_is_ranked(run->experiment)) {
        TRY(await(bench));
        TRY(open_ranks(bench, run));
    } else
        TRY(open_early(bench, run));
    TRY(tess_workload_begin_reference(&bench->load)); /* no processor is needed for samples */
    return judge(bench, run);
}

tess_status tess_run_check_kept(tess_bench *bench, tess_run *run) {
    if (!run->trial.keeps_result)
        return TESS_OK;
    TRY(await(bench));
    double clock = tess_clock_seconds();
    const tess_trial_loop loop = loop_of(bench, run);
    tess_progress_begin("checking");
    const tess_status status = tess_trial_check(&loop, &run->trial);
    tess_progress_end();
    bench->spent.check += tess_clock_lap(&clock);
    TRY(status);
    return judge(bench, run);
}

/* Runs the loop once from its start, and notes the bits of what it has changed. */
static tess_status note_result(const tess_bench *bench, const tess_run *run) {
    tess_status status = TESS_OK;
    tess_state *result = NULL;
    tess_trial again = {.n_samples = 0};
    const tess_trial_loop loop = loop_of(bench, run);
    tess_trial_setting setting = setting_of(bench, run->experiment);
    setting.timed = false;
    setting.keep_text = NULL;
    CHECK(tess_trial_open(bench->device, bench->target, &setting, &loop, &again));
    CHECK(tess_state_blank(bench->load.start, &result));
    CHECK(tess_store_download(again.store, result));
    CHECK(tess_record_result_bits(run->record, bench, run->experiment, result));
done:
    tess_state_free(result);
    tess_trial_clear(&again);
    return status;
}

tess_status tess_run_prove_bits(tess_bench *bench, tess_run *run) {
    if (run->experiment->same_bits <= TESS_BITS_VARY)
        return TESS_OK;
    if (run->ranked) { /* which noted what came of their first run */
        tess_run_close(run);
        return tess_run_execute(bench, run);
    }
    TRY(note_result(bench, run));
    return note_result(bench, run);
}

/* Gives a file in memory with the blocks of a partition, a line an element; the caller closes it.
 */
static tess_status write_blocks(const tess_partition *partition, FILE **out) {
    const int memory = memfd_create("tess-blocks", MFD_CLOEXEC);
    *out = memory >= 0 ? fdopen(memory, "w") : NULL;
    if (!*out) {
        if (memory >= 0)
            close(memory);
        FAIL(TESS_ERROR_MEMORY, "no memory for a partition: %s", strerror(errno));
    }
    for (int64_t i = 0; i < partition->n_elements; i++)
        fprintf(*out, "%d\n", partition->block_of[i]);
    if (fflush(*out) != 0 || ferror(*out))
        FAIL(TESS_ERROR_MEMORY, "no memory for a partition: %s", strerror(errno));
    return TESS_OK;
}

/* The command line of the same experiment, not archived, as a profiler takes it, executed once, or
 * as often as one sample needs; on the blocks of a file of this process where there is one. */
static tess_status profiled_command(const tess_experiment *experiment, int samples, FILE *blocks,
                                    char ***argv) {
    static const char *const flags[] = {"--no-lab", "--quiet"};
    tess_status status = TESS_OK;
    tess_experiment again;
    char spec[64];
    TRY(tess_experiment_copy(experiment, &again));
    again.samples = samples;
    again.counters = TESS_COUNTERS_NO;
    again.cache = TESS_CACHE_HOT;
    again.graph = TESS_GRAPH_OFF;
    if (blocks) {
        snprintf(spec, sizeof spec, "file:path=/proc/%d/fd/%d", (int)getpid(), fileno(blocks));
        CHECK(tess_experiment_set(&again, TESS_FIELD_partitioner, spec));
        again.refine = 0;
        if (again.block_numbers == TESS_BLOCKS_ALONG)
            again.block_numbers = TESS_BLOCKS_KEPT;
    }
    CHECK(tess_experiment_command(&again, flags, sizeof flags / sizeof *flags, argv));
done:
    tess_experiment_clear(&again);
    return status;
}

/* Counts what two command lines of this program do, the second of which may be NULL. */
static tess_status read_counters(char **once, char **warm, tess_hardware_counters *out) {
    char program[PATH_MAX];
    char *const names[] = {once[0], warm ? warm[0] : NULL}; /* which own all words */
    TRY(tess_own_program(program));
    once[0] = program;
    if (warm)
        warm[0] = program;
    const tess_status status = tess_hardware_counters_read(once, warm, out);
    once[0] = names[0];
    if (warm)
        warm[0] = names[1];
    return status;
}

/* Counts on the very blocks that were timed: cutting again would take as long again, and some
 * partitioners give other blocks then. */
static tess_status count(tess_run *run, tess_hardware_counters *out) {
    tess_status status = TESS_OK;
    char **once = NULL, **warm = NULL;
    FILE *blocks = NULL;
    const tess_partition *partition = run->planned ? run->planned->partition : NULL;
    if (partition)
        CHECK(write_blocks(partition, &blocks));
    CHECK(profiled_command(run->experiment, 0, blocks, &once));
    if (run->experiment->cache == TESS_CACHE_HOT)
        CHECK(profiled_command(run->experiment, 1, blocks, &warm));
    status = read_counters(once, warm, out);
    if (status == TESS_OK || tess_interrupted()) /* else a sweep would find a finished run */
        goto done;
    CHECK(tess_text_copy(tess_message(), &run->uncounted));
    status = tess_record_log(run->record, "no counters of the hardware: %s", run->uncounted);
done:
    if (blocks)
        fclose(blocks);
    tess_words_free(once);
    tess_words_free(warm);
    return status;
}

int64_t tess_run_bytes(const tess_bench *bench, const tess_run *run) {
    return run->ranked ? tess_ranked_run_bytes(bench, run) : tess_trial_bytes(&run->trial);
}

tess_status tess_run_conclude(tess_bench *bench, tess_run *run) {
    tess_hardware_counters hardware = {.n = 0};
    if (run->ranked)
        TRY(tess_ranked_run_conclude(bench, run));
    if (run->experiment->kind == TESS_RUNNING) {
        tess_trial_close(&run->trial);
        bench->spent.run += run->trial.run_seconds;
        if (run->experiment->counters == TESS_COUNTERS_YES && bench->device->profiled)
            TRY(count(run, &hardware));
    }
    TRY(tess_run_note_values(bench, &hardware, run));
    tess_run_close(run);
    return TESS_OK;
}
