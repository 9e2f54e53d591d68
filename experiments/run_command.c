/* The command `tess run`: execute a loop by strategies on a device, checked, counted and timed. */
#include "core/array.h"
#include "experiments/argument.h"
#include "experiments/line_archive.h"
#include "experiments/run_bench.h"
#include "experiments/signals.h"
#include "experiments/solution.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What all runs of one command share. */
typedef struct series {
    const tess_run_options *asked;
    int argc;
    char **argv;
    tess_bench bench;
    tess_lab *lab; /* NULL: nothing is archived */
    tess_spec *partitioners, *strategies;
    int n_partitioners, n_strategies;
    int64_t *block_sizes;
    int n_block_sizes;
    tess_in_situ *in_situ; /* NULL: nothing is shown */
    int channel;           /* of the partitioner and block size at work */
    tess_run_report report;
    int n_missing; /* runs that failed for what this machine lacks */
} series;

static void series_clear(series *all) {
    tess_in_situ_drop(all->in_situ);
    tess_run_report_clear(&all->report);
    free(all->block_sizes);
    tess_spec_list_free(all->strategies, all->n_strategies);
    tess_spec_list_free(all->partitioners, all->n_partitioners);
    tess_bench_close(&all->bench);
    tess_lab_close(all->lab);
}

/* Reads the lists and checks every name and option before anything runs. */
static tess_status choose(series *all) {
    const tess_run_options *asked = all->asked;
    const char *strategies = asked->strategies               ? asked->strategies
                             : all->bench.device->one_thread ? "openmp"
                                                             : "atomics";
    TRY(tess_argument_integers("block-size", asked->block_sizes, 1, INT32_MAX, &all->block_sizes,
                               &all->n_block_sizes));
    TRY(tess_spec_list_parse(asked->partitioners, &all->partitioners, &all->n_partitioners));
    TRY(tess_spec_list_parse(strategies, &all->strategies, &all->n_strategies));
    tess_run_setting setting;
    for (int p = 0; p < all->n_partitioners; p++)
        for (int s = 0; s < all->n_strategies; s++)
            TRY(tess_run_setting_make(asked, &all->partitioners[p], (int32_t)all->block_sizes[0],
                                      &all->strategies[s], &setting));
    return TESS_OK;
}

static tess_status prepare(series *all) {
    const tess_run_options *asked = all->asked;
    TRY(tess_bench_open(asked, &all->bench));
    TRY(choose(all));
    TRY(tess_bench_load(&all->bench));
    all->report.application = asked->kernel ? asked->kernel : asked->application;
    all->report.loop = all->bench.load.loop->name;
    all->report.mesh = all->bench.load.mesh->source;
    all->report.device = asked->device;
    all->report.copy_bandwidth = all->bench.copy_bandwidth;
    if (asked->no_lab)
        return TESS_OK;
    TRY(tess_lab_open(asked->lab, true, &all->lab));
    all->report.lab = tess_lab_folder(all->lab);
    return tess_bench_archive_in(&all->bench, all->lab);
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
    return tess_line_archive_failure(all->lab, all->bench.mesh_digest, row->failure, record);
}

/* The blocks that the solution will be shown over. */
static void keep_for_view(series *all, const tess_bench_lines *lines) {
    const tess_line *line = lines->of_elements ? lines->of_elements : lines->of_points;
    if (line && line->partition)
        tess_in_situ_set_plan(all->in_situ, all->channel, all->bench.load.bound, line->plan,
                              line->partition->block_of, line->metrics);
}

/* One run, on the lines that runs on the same blocks share. */
static tess_status run_one(series *all, const tess_spec *partitioner, int32_t block_size,
                           const tess_spec *strategy, tess_bench_lines *lines) {
    tess_status status = TESS_OK;
    tess_record *record = NULL;
    tess_run_row *row = NULL;
    tess_run_setting setting;
    CHECK(tess_run_setting_make(all->asked, partitioner, block_size, strategy, &setting));
    CHECK(tess_run_report_add(&all->report, &row));
    CHECK(tess_record_new(all->argc, all->argv, &record));
    status = tess_bench_run(&all->bench, &setting, lines, record, row);
    if (status == TESS_OK)
        keep_for_view(all, lines);
    else
        CHECK(keep_failure(all, status, row, record));
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
    tess_bench_lines lines = {.of_elements = NULL};
    for (int s = 0; s < all->n_strategies; s++) {
        if (tess_interrupted())
            CHECK(tess_fail(TESS_ERROR_INTERRUPTED, "interrupted; %d runs are finished and kept",
                            all->report.n_rows));
        show_progress(all, all->strategies[s].name, partitioner->name, block_size);
        CHECK(run_one(all, partitioner, block_size, &all->strategies[s], &lines));
    }
done:
    tess_bench_lines_clear(&lines);
    return status;
}

static tess_status run_all(series *all) {
    for (int p = 0; p < all->n_partitioners; p++) {
        for (int b = 0; b < all->n_block_sizes; b++) {
            all->channel = p * all->n_block_sizes + b;
            TRY(run_blocks(all, &all->partitioners[p], (int32_t)all->block_sizes[b]));
        }
    }
    show_progress(all, NULL, NULL, 0);
    return TESS_OK;
}

/* Shows the solution over the blocks of the runs, as far as the command line asks for it. */
static tess_status show_solution(series *all) {
    const tess_run_options *asked = all->asked;
    if (all->in_situ)
        TRY(tess_solution_march(all->bench.load.application, all->bench.load.mesh, asked->steps,
                                asked->in_situ.every ? asked->in_situ.every : 1, all->in_situ));
    tess_in_situ *in_situ = all->in_situ;
    all->in_situ = NULL;
    return tess_in_situ_close(in_situ);
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
    CHECK(tess_in_situ_open(&asked.in_situ, all.n_partitioners, all.partitioners, all.n_block_sizes,
                            all.block_sizes, &all.in_situ));
    tess_in_situ_announce(all.in_situ, &asked.common);
    tess_interrupts_note();
    status = run_all(&all);
    if (status == TESS_OK || status == TESS_ERROR_INTERRUPTED) {
        const tess_status printed = report(&all);
        CHECK(printed != TESS_OK ? printed : status);
        CHECK(count_failures(&all.report, all.n_missing));
        CHECK(show_solution(&all));
    }
done:
    series_clear(&all);
    return status;
}

const tess_command tess_command_run = {
    .name = "run", .summary = "Execute a loop by strategies on a device", .run = run};
