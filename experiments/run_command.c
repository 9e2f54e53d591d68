/* The command `tess run`: execute a loop by strategies on a device, checked, counted and timed. */
#include "core/array.h"
#include "experiments/argument.h"
#include "experiments/line_archive.h"
#include "experiments/run_options.h"
#include "experiments/run_report.h"
#include "experiments/signals.h"
#include "experiments/workload.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What all runs of one command share. */
typedef struct series {
    const tess_run_options *asked;
    int argc;
    char **argv;
    tess_workload load;
    tess_lab *lab; /* NULL: nothing is archived */
    char mesh_digest[TESS_DIGEST_SIZE];
    tess_layouts layouts;
    const tess_device *device;
    tess_target *target;
    bool partial; /* the device runs a sample of blocks */
    tess_spec *partitioners, *strategies;
    int n_partitioners, n_strategies;
    int64_t *block_sizes;
    int n_block_sizes;
    tess_run_report report;
    int n_missing; /* runs that failed for what this machine lacks */
} series;

static void series_clear(series *all) {
    tess_run_report_clear(&all->report);
    free(all->block_sizes);
    tess_spec_list_free(all->strategies, all->n_strategies);
    tess_spec_list_free(all->partitioners, all->n_partitioners);
    if (all->target)
        all->device->close(all->target);
    tess_lab_close(all->lab);
    tess_workload_clear(&all->load);
}

/* Reads the lists and checks every name and option before anything runs. */
static tess_status choose(series *all) {
    const tess_run_options *asked = all->asked;
    const char *strategies = asked->strategies         ? asked->strategies
                             : all->device->one_thread ? "openmp"
                                                       : "atomics";
    TRY(tess_argument_integers("block-size", asked->block_sizes, 1, INT32_MAX, &all->block_sizes,
                               &all->n_block_sizes));
    TRY(tess_layouts_parse(asked->layout, &all->layouts));
    TRY(tess_spec_list_parse(asked->partitioners, &all->partitioners, &all->n_partitioners));
    TRY(tess_spec_list_parse(strategies, &all->strategies, &all->n_strategies));
    for (int i = 0; i < all->n_partitioners; i++) {
        const tess_partitioner *partitioner = NULL;
        TRY(tess_partitioner_find(all->partitioners[i].name, &partitioner));
        TRY(tess_spec_check(&all->partitioners[i], partitioner->options));
    }
    for (int i = 0; i < all->n_strategies; i++) {
        const tess_strategy *strategy = NULL;
        TRY(tess_strategy_find(all->strategies[i].name, &strategy));
        TRY(tess_spec_check(&all->strategies[i], strategy->options));
    }
    return TESS_OK;
}

static tess_status prepare(series *all) {
    const tess_run_options *asked = all->asked;
    TRY(tess_device_open(asked->device, &all->device, &all->target));
    all->partial = strstr(asked->device, "sample=") != NULL;
    TRY(choose(all));
    const tess_workload_names names = {.mesh = asked->mesh,
                                       .application = asked->application,
                                       .loop = asked->loop,
                                       .precision = asked->precision,
                                       .all_maps = !asked->no_lab};
    TRY(tess_workload_open(&names, &all->load));
    all->report.application = asked->application;
    all->report.loop = all->load.loop->name;
    all->report.mesh = all->load.mesh->source;
    all->report.device = asked->device;
    if (asked->samples != 0)
        TRY(tess_trial_copy_bandwidth(all->device, all->target, &all->report.copy_bandwidth));
    if (asked->no_lab)
        return TESS_OK;
    TRY(tess_lab_open(asked->lab, true, &all->lab));
    all->report.lab = tess_lab_folder(all->lab);
    return tess_lab_store_mesh(all->lab, all->load.mesh, all->mesh_digest);
}

static tess_status line_of(series *all, const tess_setting *setting, tess_line **out) {
    if (all->load.bound->n_reaches > 0)
        return tess_line_run(all->load.bound, setting, out);
    TRY(TESS_ZEROS(1, out));
    return tess_kernel_plan_direct(all->load.bound, setting->block_size, &(*out)->plan);
}

/* Adds to the record what the trial measured. */
static tess_status record_trial(const tess_run_row *row, double copy_bandwidth,
                                tess_record *record) {
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
    for (size_t i = 0; trial->counted && i < sizeof counted / sizeof counted[0]; i++)
        TRY(tess_record_add_measure(record, counted[i].name, "1", "emulator", counted[i].value));
    TRY(tess_record_add_measure(record, "useful_bytes", "B", "plan", (double)trial->useful_bytes));
    TRY(tess_record_add_measure(record, "moved_bytes_min", "B", "plan",
                                (double)trial->moved_bytes_min));
    TRY(tess_record_add_measure(record, "shared_bytes", "B", "driver",
                                (double)trial->shared_bytes));
    if (trial->resources.registers >= 0)
        TRY(tess_record_add_measure(record, "registers", "1", "driver",
                                    trial->resources.registers));
    TRY(tess_record_add_step(record, "compile", trial->compile_seconds));
    TRY(tess_record_add_step(record, "first_run", trial->first_seconds));
    for (int i = 0; i < trial->n_samples; i++)
        TRY(tess_record_add_sample(record, "time", "s", trial->seconds[i]));
    if (trial->n_samples > 0) {
        TRY(tess_record_add_measure(record, "bandwidth", "B/s", "timer", row->bandwidth));
        TRY(tess_record_add_measure(record, "useful_fraction", "1", "timer",
                                    row->bandwidth / copy_bandwidth));
        TRY(tess_record_add_measure(record, "copy_fraction", "1", "timer",
                                    row->bandwidth * (double)trial->moved_bytes_min /
                                        (double)trial->useful_bytes / copy_bandwidth));
    }
    if (!trial->checked)
        return tess_record_set_check(record, TESS_UNCHECKED, "a sample of blocks has no result");
    char words[160];
    snprintf(words, sizeof words, "%s differs by %.3g of its largest value, %.3g is allowed",
             trial->worst[0] ? trial->worst : "nothing", trial->difference, trial->tolerance);
    return tess_record_set_check(record, trial->passed ? TESS_PASSED : TESS_FAILED, words);
}

static tess_status configure_record(const series *all, const tess_setting *setting,
                                    const tess_run_row *row, tess_record *record) {
    const tess_run_options *asked = all->asked;
    tess_entries *into = &record->configuration;
    TRY(tess_record_setting(record, all->load.bound, setting, row->partitioner));
    TRY(tess_entries_set_text(into, "application", all->report.application));
    TRY(tess_entries_set_text(into, "strategy", row->strategy));
    TRY(tess_entries_set_text(into, "device", asked->device));
    TRY(tess_entries_set_text(into, "layouts", asked->layout));
    TRY(tess_entries_set_text(into, "precision", tess_type_name(all->load.real)));
    return tess_entries_set_number(into, "threads", (double)asked->threads, "1");
}

/* Runs the trial of a row; what a check finds is a failure of that row. */
static tess_status try_row(series *all, const tess_line *line, const tess_strategy *strategy,
                           const tess_spec *spec, tess_run_row *row) {
    const tess_run_options *asked = all->asked;
    const bool emulated = strcmp(all->device->name, "emulator") == 0;
    const tess_trial_setting setting = {.kernel = all->load.kernel,
                                        .strategy = strategy,
                                        .spec = spec,
                                        .layouts = all->layouts,
                                        .real = all->load.real,
                                        .threads = (int)asked->threads,
                                        .samples = asked->samples >= 0 ? (int)asked->samples
                                                   : emulated          ? 0
                                                                       : 20,
                                        .partial = all->partial,
                                        .keep_text = asked->keep_text};
    TRY(tess_trial_run(all->device, all->target, &setting, all->load.bound, line->plan,
                       line->renumbering, all->load.start, all->load.want, &row->trial));
    row->bandwidth = (double)row->trial.useful_bytes / tess_trial_median(&row->trial);
    row->redundancy = (double)line->plan->n_executed / (double)line->plan->n_elements;
    if (row->trial.checked && !row->trial.passed)
        FAIL(TESS_ERROR_CHECK,
             "the result is wrong: %s differs by %.3g of its largest value, "
             "%.3g is allowed",
             row->trial.worst, row->trial.difference, row->trial.tolerance);
    return TESS_OK;
}

/* Stores the record of a row that went through, with its plan. */
static tess_status archive(series *all, const tess_setting *setting, const tess_line *line,
                           const tess_run_row *row, tess_record *record) {
    TRY(record_trial(row, all->report.copy_bandwidth, record));
    if (all->load.bound->n_reaches == 0) {
        memcpy(record->mesh, all->mesh_digest, sizeof record->mesh);
        return tess_lab_store_run(all->lab, record);
    }
    char *plan_file = NULL, *view_file = NULL;
    const tess_status status =
        tess_line_archive_checked(all->lab, all->mesh_digest, all->load.bound, setting, line,
                                  !all->asked->no_view, record, &plan_file, &view_file);
    free(plan_file);
    free(view_file);
    return status;
}

static tess_status keep_failure(series *all, tess_status failure, tess_run_row *row,
                                tess_record *record) {
    if (failure == TESS_ERROR_INTERNAL || failure == TESS_ERROR_IO ||
        failure == TESS_ERROR_INTERRUPTED)
        return failure;
    TRY(tess_text_copy(tess_message(), &row->failure));
    row->misfit = failure == TESS_ERROR_USAGE;
    if (!all->asked->common.quiet)
        fprintf(stderr, "tess: %s, %s, block size %d %s: %s\n", row->strategy, row->partitioner,
                row->block_size, row->misfit ? "is left out" : "failed", row->failure);
    all->n_missing += failure == TESS_ERROR_MISSING;
    if (!all->lab || row->misfit || failure == TESS_ERROR_MISSING)
        return TESS_OK; /* nothing ran that could be archived */
    return tess_line_archive_failure(all->lab, all->mesh_digest, row->failure, record);
}

/* One run. The line is made here where the strategy's is not yet there. */
static tess_status run_one(series *all, tess_setting *setting, const tess_spec *partitioner,
                           const tess_spec *spec, tess_line **lines) {
    tess_status status = TESS_OK;
    tess_record *record = NULL;
    tess_run_row *row = NULL;
    const tess_strategy *strategy = NULL;
    CHECK(tess_strategy_find(spec->name, &strategy));
    setting->over = strategy->over_to_set ? tess_workload_points(&all->load) : NULL;
    tess_line **line = &lines[setting->over != NULL];
    CHECK(tess_run_report_add(&all->report, &row));
    row->block_size = setting->block_size;
    CHECK(tess_spec_print(partitioner, setting->partitioner->options, &row->partitioner));
    CHECK(tess_spec_print(spec, strategy->options, &row->strategy));
    CHECK(tess_record_new(all->argc, all->argv, &record));
    CHECK(configure_record(all, setting, row, record));
    status = *line ? TESS_OK : line_of(all, setting, line);
    if (status == TESS_OK)
        status = try_row(all, *line, strategy, spec, row);
    if (status != TESS_OK) {
        CHECK(keep_failure(all, status, row, record));
        status = TESS_OK;
    } else if (all->lab) {
        CHECK(archive(all, setting, *line, row, record));
    }
    if (record->id[0])
        CHECK(tess_text_copy(record->id, &row->run));
done:
    tess_record_free(record);
    return status;
}

static void show_progress(const series *all, const char *strategy, const char *partitioner,
                          int64_t block_size) {
    const int n = all->n_partitioners * all->n_block_sizes * all->n_strategies;
    if (all->asked->common.quiet || !isatty(STDERR_FILENO))
        return;
    if (!strategy)
        fputs("\r\033[K", stderr);
    else
        fprintf(stderr, "\r\033[K[%d/%d] %s, %s, block size %lld", all->report.n_rows + 1, n,
                strategy, partitioner, (long long)block_size);
    fflush(stderr);
}

/* All strategies on the blocks of one partitioner and block size. */
static tess_status run_blocks(series *all, const tess_spec *partitioner, int32_t block_size) {
    tess_status status = TESS_OK;
    const tess_run_options *asked = all->asked;
    tess_line *lines[2] = {NULL, NULL}; /* blocks of elements, blocks of points */
    tess_setting setting = {.spec = partitioner,
                            .block_size = block_size,
                            .seed = (uint64_t)asked->seed,
                            .points = (tess_points)asked->points,
                            .repair = (tess_repair)asked->repair,
                            .plan = {.thread_order = (tess_thread_order)asked->order,
                                     .thread_colouring = (tess_colouring)asked->colouring},
                            .renumber = (tess_renumber_method)asked->renumber,
                            .layout = all->layouts.layout,
                            .time_limit = asked->time_limit};
    CHECK(tess_partitioner_find(partitioner->name, &setting.partitioner));
    for (int s = 0; s < all->n_strategies; s++) {
        if (tess_interrupted())
            CHECK(tess_fail(TESS_ERROR_INTERRUPTED, "interrupted; %d runs are finished and kept",
                            all->report.n_rows));
        show_progress(all, all->strategies[s].name, partitioner->name, block_size);
        CHECK(run_one(all, &setting, partitioner, &all->strategies[s], lines));
    }
done:
    tess_line_free(lines[0]);
    tess_line_free(lines[1]);
    return status;
}

static tess_status run_all(series *all) {
    for (int p = 0; p < all->n_partitioners; p++)
        for (int b = 0; b < all->n_block_sizes; b++)
            TRY(run_blocks(all, &all->partitioners[p], (int32_t)all->block_sizes[b]));
    show_progress(all, NULL, NULL, 0);
    return TESS_OK;
}

static tess_status report(const series *all) {
    if (all->asked->common.json)
        return tess_json_print(tess_run_report_json(&all->report));
    return tess_run_report_print(&all->report, stdout);
}

static tess_status count_failures(const tess_run_report *report, int n_missing) {
    int n_failed = 0;
    for (int i = 0; i < report->n_rows; i++)
        n_failed += report->rows[i].failure != NULL && !report->rows[i].misfit;
    if (n_failed)
        FAIL(n_failed == n_missing ? TESS_ERROR_MISSING : TESS_ERROR_CHECK, "%d of %d runs failed",
             n_failed, report->n_rows);
    return TESS_OK;
}

static tess_status run(int argc, char **argv) {
    tess_run_options asked;
    TRY(tess_run_options_parse(argc, argv, &asked));
    tess_status status = TESS_OK;
    series all = {.asked = &asked, .argc = argc, .argv = argv};
    CHECK(prepare(&all));
    tess_interrupts_note();
    status = run_all(&all);
    if (status == TESS_OK || status == TESS_ERROR_INTERRUPTED) {
        const tess_status printed = report(&all);
        CHECK(printed != TESS_OK ? printed : status);
        CHECK(count_failures(&all.report, all.n_missing));
    }
done:
    series_clear(&all);
    return status;
}

const tess_command tess_command_run = {
    .name = "run", .summary = "Execute a loop by strategies on a device", .run = run};
