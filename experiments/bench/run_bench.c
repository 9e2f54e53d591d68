/* A bench: where the runs of a loop on a device are made, one after another. */
#include "experiments/bench/run_bench.h"

#include "core/base/array.h"
#include "experiments/bench/line_archive.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

tess_status tess_bench_open(const tess_run_options *asked, tess_bench *bench) {
    *bench = (tess_bench){.asked = asked};
    TRY(tess_device_open(asked->device, &bench->device, &bench->target));
    if (asked->counters && !bench->device->counters && strcmp(bench->device->name, "cuda") != 0)
        FAIL(TESS_ERROR_USAGE, "device %s has no counters: --counters is for emulator and cuda",
             bench->device->name);
    return TESS_OK;
}

void tess_bench_take(const tess_bench *bench) {
    if (bench->target && bench->device->lock)
        bench->device->lock(bench->target);
}

void tess_bench_let_go(const tess_bench *bench) {
    if (bench->target && bench->device->unlock)
        bench->device->unlock(bench->target);
}

bool tess_bench_is_broken(const tess_bench *bench) {
    if (!bench->target)
        return bench->lost;
    return bench->device->is_broken && bench->device->is_broken(bench->target);
}

/* Writes to the device's memory and reads it. */
static tess_status try_device(const tess_bench *bench) {
    tess_address address = 0;
    char words[64];
    TRY(bench->device->alloc(bench->target, "a try", sizeof words, &address));
    const tess_status status = bench->device->download(bench->target, words, address, sizeof words);
    bench->device->free(bench->target, address);
    return status;
}

tess_status tess_bench_reopen(tess_bench *bench) {
    bench->device->close(bench->target);
    bench->target = NULL;
    if (tess_device_open(bench->asked->device, &bench->device, &bench->target) == TESS_OK &&
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

int tess_bench_samples(const tess_bench *bench) {
    enum { USUAL = 20 };
    const int64_t asked = bench->asked->samples;
    const bool emulated = strcmp(bench->device->name, "emulator") == 0;
    return asked >= 0 ? (int)asked : emulated ? 0 : USUAL;
}

tess_status tess_bench_load(tess_bench *bench) {
    const tess_run_options *asked = bench->asked;
    const tess_workload_names names = {.mesh = asked->mesh,
                                       .application = asked->application,
                                       .kernel = asked->kernel,
                                       .loop = asked->loop,
                                       .precision = asked->precision,
                                       .all_maps =
                                           !asked->no_lab || tess_in_situ_wanted(&asked->in_situ)};
    TRY(tess_workload_open(&names, &bench->load));
    if (tess_bench_samples(bench) == 0)
        return TESS_OK;
    tess_bench_take(bench);
    const tess_status status =
        tess_trial_copy_bandwidth(bench->device, bench->target, &bench->copy_bandwidth);
    tess_bench_let_go(bench);
    return status;
}

tess_status tess_bench_archive_in(tess_bench *bench, tess_lab *lab) {
    TRY(tess_lab_store_mesh(lab, bench->load.mesh, bench->mesh_digest));
    bench->lab = lab;
    if (bench->asked->fresh)
        return TESS_OK;
    bench->cuts.lab = lab;
    memcpy(bench->cuts.mesh, bench->mesh_digest, sizeof bench->cuts.mesh);
    return TESS_OK;
}

void tess_bench_close(tess_bench *bench) {
    if (bench->target)
        bench->device->close(bench->target);
    tess_cuts_clear(&bench->cuts);
    tess_workload_clear(&bench->load);
    *bench = (tess_bench){.asked = NULL};
}

tess_status tess_run_setting_make(const tess_run_options *asked, const tess_spec *partitioner,
                                  int32_t block_size, const tess_spec *strategy,
                                  tess_run_setting *out) {
    *out = (tess_run_setting){
        .asked = asked,
        .spec = strategy,
        .blocks = {.spec = partitioner,
                   .block_size = block_size,
                   .seed = (uint64_t)asked->seed,
                   .points = (tess_points)asked->points,
                   .repair = (tess_repair)asked->repair,
                   .plan = {.thread_order = (tess_thread_order)asked->order,
                            .thread_colouring = (tess_colouring)asked->colouring},
                   .time_limit = asked->time_limit}};
    TRY(tess_layouts_parse(asked->layout, &out->layouts));
    out->blocks.layout = out->layouts.layout;
    TRY(tess_partitioner_find(partitioner->name, &out->blocks.partitioner));
    TRY(tess_spec_check(partitioner, out->blocks.partitioner->options));
    TRY(tess_strategy_find(strategy->name, &out->strategy));
    out->blocks.renumber = asked->renumber >= 0         ? (tess_renumber_method)asked->renumber
                           : out->strategy->renumber    ? out->strategy->renumber
                           : out->strategy->owns_points ? TESS_RENUMBER_OWNER
                                                        : TESS_RENUMBER_BLOCKS;
    return tess_spec_check(strategy, out->strategy->options);
}

tess_status tess_bench_lines_new(tess_bench_lines **out) {
    TRY(TESS_ZEROS(1, out));
    (*out)->n_holders = 1;
    return TESS_OK;
}

tess_bench_lines *tess_bench_lines_share(tess_bench_lines *lines) {
    lines->n_holders++;
    return lines;
}

void tess_bench_lines_release(tess_bench_lines *lines) {
    if (!lines || --lines->n_holders > 0)
        return;
    for (int layout = 0; layout < 2; layout++) {
        tess_line_free(lines->of_elements[layout]);
        tess_line_free(lines->of_points[layout]);
    }
    free(lines);
}

/* Fills the line of a setting's layout, unless it is there; a loop without maps has no layout. */
static tess_status line_of(tess_bench *bench, const tess_setting *setting, tess_record *record,
                           tess_line **lines, tess_line **out) {
    const bool mapped = bench->load.bound->n_targets > 0;
    tess_line **line = &lines[mapped ? setting->layout : 0];
    const tess_line *other = lines[!setting->layout];
    if (!*line && mapped && other)
        TRY(tess_line_in_layout(bench->load.bound, other, setting->layout, line));
    else if (!*line && mapped)
        TRY(tess_cuts_line(&bench->cuts, bench->load.bound, setting, record, line));
    else if (!*line) {
        TRY(TESS_ZEROS(1, line));
        TRY(tess_kernel_plan_direct(bench->load.bound, setting->block_size, &(*line)->plan));
    }
    *out = *line;
    return TESS_OK;
}

/* Every sample with its round and its time in the session. */
static tess_status record_samples(const tess_trial *trial, tess_record *record) {
    for (int64_t i = 0; i < trial->n_samples; i++) {
        const tess_trial_sample *sample = &trial->samples[i];
        TRY(tess_record_add_sample(record, "time", "s", sample->seconds));
        TRY(tess_record_add_sample(record, TESS_SERIES_ROUND, "1", sample->round));
        TRY(tess_record_add_sample(record, TESS_SERIES_START, "s", sample->start));
        if (isfinite(sample->clocks.compute))
            TRY(tess_record_add_sample(record, TESS_SERIES_CLOCK, "Hz", sample->clocks.compute));
        if (isfinite(sample->clocks.memory))
            TRY(tess_record_add_sample(record, TESS_SERIES_MEMORY_CLOCK, "Hz",
                                       sample->clocks.memory));
    }
    return TESS_OK;
}

/* Adds to the record what the trial measured. */
static tess_status record_trial(const tess_run_row *row, tess_record *record) {
    const tess_trial *trial = &row->trial;
    const tess_counters *c = &trial->counters;
    const struct {
        const char *name;
        double value;
    } counted[] = {{"read_sectors", (double)c->read_sectors},
                   {"write_sectors", (double)c->write_sectors},
                   {"atomic_sectors", (double)c->atomic_sectors},
                   {"shared_bank_conflicts", (double)c->shared_bank_conflicts},
                   {"warp_efficiency",
                    c->instructions ? (double)c->active_lanes / (double)c->instructions / 32 : 0},
                   {"barriers", (double)c->barriers}};
    const bool estimated = trial->counted && tess_counters_estimated(c);
    for (size_t i = 0; trial->counted && i < sizeof counted / sizeof counted[0]; i++)
        TRY(tess_record_add_measure(record, counted[i].name, "1", estimated ? "sample" : "emulator",
                                    counted[i].value));
    if (estimated) {
        TRY(tess_record_add_measure(record, "blocks_executed", "1", "emulator",
                                    (double)c->blocks_executed));
        TRY(tess_record_add_measure(record, "blocks_launched", "1", "emulator",
                                    (double)c->blocks_launched));
    }
    TRY(tess_record_add_measure(record, "useful_bytes", "B", "plan", (double)trial->useful_bytes));
    TRY(tess_record_add_measure(record, "moved_bytes_min", "B", "plan",
                                (double)trial->moved_bytes_min));
    TRY(tess_record_add_measure(record, "shared_bytes", "B", "driver",
                                (double)trial->shared_bytes));
    if (trial->resources.registers >= 0)
        TRY(tess_record_add_measure(record, "registers", "1", "driver",
                                    trial->resources.registers));
    for (int i = 0; i < row->hardware.n; i++)
        TRY(tess_record_add_measure(record, row->hardware.values[i].name,
                                    row->hardware.values[i].unit, "counter",
                                    row->hardware.values[i].value));
    TRY(tess_record_add_step(record, "compile", trial->compile_seconds));
    TRY(tess_record_add_step(record, "first_run", trial->first_seconds));
    TRY(record_samples(trial, record));
    if (trial->n_samples > 0) {
        TRY(tess_record_add_measure(record, "bandwidth", "B/s", "timer", row->bandwidth));
        TRY(tess_record_add_measure(record, "useful_fraction", "1", "timer",
                                    row->bandwidth / row->copy_bandwidth));
        TRY(tess_record_add_measure(record, "copy_fraction", "1", "timer",
                                    row->bandwidth * (double)trial->moved_bytes_min /
                                        (double)trial->useful_bytes / row->copy_bandwidth));
    }
    if (!trial->checked)
        return tess_record_set_check(record, TESS_UNCHECKED, "a sample of blocks has no result");
    char words[160];
    snprintf(words, sizeof words, "%s differs by %.3g of its largest value, %.3g is allowed",
             trial->worst[0] ? trial->worst : "nothing", trial->difference, trial->tolerance);
    return tess_record_set_check(record, trial->passed ? TESS_PASSED : TESS_FAILED, words);
}

static tess_status configure_record(const tess_bench *bench, const tess_run_setting *setting,
                                    const tess_run_row *row, tess_record *record) {
    const tess_run_options *asked = setting->asked;
    tess_values *into = &record->configuration;
    TRY(tess_record_setting(record, bench->load.bound, &setting->blocks, row->partitioner));
    TRY(tess_values_set_text(into, "application",
                             bench->asked->kernel ? bench->asked->kernel
                                                  : bench->asked->application));
    TRY(tess_values_set_text(into, "strategy", row->strategy));
    TRY(tess_values_set_text(into, "device", bench->asked->device));
    TRY(tess_values_set_text(into, "layouts", asked->layout));
    TRY(tess_values_set_text(into, "cache", asked->cache ? "cold" : "hot"));
    TRY(tess_values_set_text(into, "precision", tess_type_name(bench->load.real)));
    return tess_values_set_number(into, "threads", (double)asked->threads, "1");
}

/* Words for a loop that may be at fault itself, "" for others. */
static const char *order_words(const tess_loop *loop) {
    for (int a = 0; a < loop->n_args; a++)
        if (loop->args[a].map[0] &&
            (loop->args[a].access == TESS_WRITE || loop->args[a].access == TESS_RW))
            return "; what is write or rw through a map must come out the same in any order of "
                   "elements";
    return "";
}

/* Opens the trial of a row; what a check finds is a failure of that row. */
static tess_status open_row(const tess_bench *bench, const tess_run_setting *made,
                            const tess_line *line, tess_run_row *row) {
    const tess_run_options *asked = made->asked;
    const tess_trial_setting setting = {.kernel = bench->load.kernel,
                                        .strategy = made->strategy,
                                        .spec = made->spec,
                                        .layouts = made->layouts,
                                        .threads = (int)asked->threads,
                                        .timed = tess_bench_samples(bench) > 0,
                                        .cold = asked->cache == 1,
                                        .graph = (tess_graph_use)asked->graph,
                                        .keep_text = asked->keep_text};
    TRY(tess_trial_open(bench->device, bench->target, &setting, bench->load.bound, line->plan,
                        line->renumbering, bench->load.start, bench->load.want, &row->trial));
    row->redundancy = (double)line->plan->n_executed / (double)line->plan->n_elements;
    row->graph = row->trial.execution->graph != NULL;
    if (!row->trial.checked || row->trial.passed)
        return TESS_OK;
    tess_trial_close(&row->trial);
    FAIL(TESS_ERROR_CHECK,
         "the result is wrong: %s differs by %.3g of its largest value, "
         "%.3g is allowed%s",
         row->trial.worst, row->trial.difference, row->trial.tolerance,
         order_words(bench->load.bound->loop));
}

/* Reads the hardware's counters in a run of its own; where that fails the row keeps why, and what
 * was timed stays. */
static tess_status count(const tess_run_options *asked, tess_run_row *row, tess_record *record) {
    tess_status status = TESS_OK;
    char **argv = NULL;
    char program[PATH_MAX] = "", block_size[16];
    tess_run_options again = *asked;
    again.partitioners = row->partitioner;
    again.strategies = row->strategy;
    snprintf(block_size, sizeof block_size, "%d", row->block_size);
    again.block_sizes = block_size;
    again.samples = again.counters = 0;
    again.graph = TESS_GRAPH_OFF;
    again.cache = 0;
    again.no_lab = true;
    again.lab = again.keep_text = NULL;
    if (readlink("/proc/self/exe", program, sizeof program - 1) < 0)
        FAIL(TESS_ERROR_IO, "this program's own path cannot be read");
    CHECK(tess_run_line_print(&again, program, &argv));
    status = tess_hardware_counters_read(argv, asked->cache == 1, &row->hardware);
    if (status == TESS_OK)
        goto done;
    CHECK(tess_text_copy(tess_message(), &row->uncounted));
    status = tess_record_log(record, "no counters of the hardware: %s", row->uncounted);
done:
    tess_run_line_free(argv);
    return status;
}

/* Stores the record of a row that went through, with its plan. */
static tess_status archive(const tess_bench *bench, const tess_run_setting *setting,
                           const tess_line *line, const tess_run_row *row, tess_record *record) {
    TRY(record_trial(row, record));
    if (bench->load.bound->n_targets == 0) {
        memcpy(record->mesh, bench->mesh_digest, sizeof record->mesh);
        return tess_lab_store_run(bench->lab, record);
    }
    char *plan_file = NULL, *view_file = NULL;
    const tess_status status = tess_line_archive_checked(
        bench->lab, bench->mesh_digest, bench->load.bound, &setting->blocks, line,
        !setting->asked->no_view, record, &plan_file, &view_file);
    free(plan_file);
    free(view_file);
    return status;
}

/* The lines of the blocks that a strategy takes, made or not. */
static tess_line **lines_for(const tess_run_setting *setting, tess_bench_lines *lines) {
    return setting->strategy->owns_points ? lines->of_points : lines->of_elements;
}

tess_status tess_run_row_name(const tess_run_setting *setting, tess_run_row *row) {
    const tess_setting *blocks = &setting->blocks;
    row->block_size = blocks->block_size;
    if (!row->partitioner)
        TRY(tess_spec_print(blocks->spec, blocks->partitioner->options, &row->partitioner));
    if (!row->strategy)
        TRY(tess_spec_print(setting->spec, setting->strategy->options, &row->strategy));
    return TESS_OK;
}

tess_status tess_bench_start(tess_bench *bench, tess_run_setting *setting, tess_bench_lines *lines,
                             tess_record *record, tess_run_row *row) {
    tess_setting *blocks = &setting->blocks;
    tess_line *line = NULL;
    blocks->over = setting->strategy->owns_points ? tess_workload_points(&bench->load) : NULL;
    TRY(tess_run_row_name(setting, row));
    TRY(configure_record(bench, setting, row, record));
    TRY(line_of(bench, blocks, record, lines_for(setting, lines), &line));
    return open_row(bench, setting, line, row);
}

tess_status tess_bench_finish(tess_bench *bench, tess_run_setting *setting, tess_bench_lines *lines,
                              tess_record *record, tess_run_row *row) {
    tess_line *line = NULL;
    tess_trial_close(&row->trial);
    row->bandwidth = (double)row->trial.useful_bytes / tess_trial_median(&row->trial);
    row->copy_bandwidth = bench->copy_bandwidth;
    if (setting->asked->counters && strcmp(bench->device->name, "cuda") == 0)
        TRY(count(setting->asked, row, record));
    TRY(line_of(bench, &setting->blocks, record, lines_for(setting, lines), &line));
    if (bench->lab)
        return archive(bench, setting, line, row, record);
    TRY(record_trial(row, record));
    return line->metrics ? tess_record_add_metrics(record, line->metrics) : TESS_OK;
}
