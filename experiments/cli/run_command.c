/* The command `tess run`: execute a loop by strategies on a device, checked, counted and timed. */
#include "core/base/argument.h"
#include "core/base/array.h"
#include "experiments/bench/line_archive.h"
#include "experiments/bench/restart.h"
#include "experiments/bench/session.h"
#include "experiments/bench/signals.h"
#include "experiments/cli/solution.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { FEWEST_ROUNDS = 5 }; /* with less an interrupted run is not kept */

/* What all runs of one command share. */
typedef struct series {
    const tess_run_options *asked;
    int argc;
    char **argv;
    tess_bench bench;
    tess_session session;
    tess_lab *lab; /* NULL: nothing is archived */
    tess_spec *partitioners, *strategies;
    int n_partitioners, n_strategies;
    int64_t *block_sizes;
    int n_block_sizes;
    tess_in_situ *in_situ; /* NULL: nothing is shown */
    tess_run_report report;
    int n_missing; /* runs that failed for what this machine lacks */
    tess_restart restart;
} series;

static void series_clear(series *all) {
    tess_restart_clear(&all->restart);
    tess_in_situ_drop(all->in_situ);
    tess_session_clear(&all->session);
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

/* What names a variant in this command. */
static tess_status key_of(const tess_run_row *row, char **out) {
    if (asprintf(out, "%d %s %s", row->block_size, row->partitioner, row->strategy) < 0)
        FAIL(TESS_ERROR_MEMORY, "out of memory for the name of a variant");
    return TESS_OK;
}

/* Notes a run that is over, for an execution without it. */
static tess_status note_end(series *all, const tess_run_row *row) {
    char *key = NULL;
    TRY(key_of(row, &key));
    const tess_status status = tess_restart_add(&all->restart, key, tess_run_row_json(row),
                                                tess_bench_is_broken(&all->bench));
    free(key);
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
    if (all->lab && !row->misfit && failure != TESS_ERROR_MISSING) /* else nothing ran */
        TRY(tess_line_archive_failure(all->lab, all->bench.mesh_digest, row->failure, record));
    return TESS_OK;
}

/* Notes how a run ended; gives back what ends the whole series. */
static tess_status finished(void *context, tess_session_run *run, tess_status outcome) {
    series *all = context;
    run->row->interrupted = outcome == TESS_ERROR_INTERRUPTED && tess_interrupted();
    if (run->row->interrupted)
        return tess_text_copy(tess_message(), &run->row->failure);
    if (outcome != TESS_OK)
        TRY(keep_failure(all, outcome, run->row, run->record));
    if (run->record->id[0])
        TRY(tess_text_copy(run->record->id, &run->row->run));
    return outcome == TESS_ERROR_MISSING ? TESS_OK : note_end(all, run->row);
}

/* True where progress is to be shown; the line is then cleared. */
static bool clear_progress(const series *all) {
    if (all->asked->common.quiet || !isatty(STDERR_FILENO))
        return false;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    return true;
}

static void show_round(void *context, const tess_session *session, int round) {
    const series *all = context;
    const bool shown = clear_progress(all);
    if (round == 0 && all->asked->common.verbose)
        fprintf(stderr,
                "tess: session %s: %lld runs timed in turns, %d rounds, %.3g of %.3g GiB held\n",
                session->name, (long long)session->n, session->n_rounds,
                (double)session->bytes / 0x1p30, (double)session->budget / 0x1p30);
    if (shown)
        fprintf(stderr, "round %d/%d of %lld runs", round + 1, session->n_rounds,
                (long long)session->n);
}

static tess_status prepare(series *all) {
    const tess_run_options *asked = all->asked;
    const tess_session_listener listener = {
        .context = all, .finished = finished, .round = show_round};
    TRY(tess_bench_open(asked, &all->bench));
    TRY(choose(all));
    TRY(tess_bench_load(&all->bench));
    tess_session_begin(&all->bench, (int64_t)(asked->memory * 0x1p30), FEWEST_ROUNDS, &listener,
                       &all->session);
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

static void show_start(const series *all, const char *strategy, const char *partitioner,
                       int64_t block_size) {
    const int n = all->n_partitioners * all->n_block_sizes * all->n_strategies;
    if (clear_progress(all))
        fprintf(stderr, "[%d/%d] %s, %s, block size %lld", all->report.n_rows + 1, n, strategy,
                partitioner, (long long)block_size);
}

/* The blocks that the solution will be shown over. */
static void keep_for_view(series *all, int channel, const tess_bench_lines *lines) {
    const tess_line *line = NULL;
    for (int layout = 0; layout < 2; layout++) {
        line = line ? line : lines->of_points[layout];
        line = lines->of_elements[layout] ? lines->of_elements[layout] : line;
    }
    if (line && line->partition)
        tess_in_situ_set_plan(all->in_situ, channel, all->bench.load.bound, line->plan,
                              line->partition->block_of, line->metrics);
}

/* One run, on the lines that runs on the same blocks share. */
static tess_status run_one(series *all, const tess_spec *partitioner, int32_t block_size,
                           const tess_spec *strategy, tess_bench_lines *lines) {
    tess_record *record = NULL;
    tess_run_row *row = NULL;
    tess_run_setting setting;
    TRY(tess_run_setting_make(all->asked, partitioner, block_size, strategy, &setting));
    TRY(tess_run_report_add(&all->report, &row));
    TRY(tess_run_row_name(&setting, row));
    char *key = NULL;
    TRY(key_of(row, &key));
    const json_t *ended = tess_restart_take(&all->restart, key);
    free(key);
    if (ended)
        return tess_run_row_read(ended, row);
    TRY(tess_record_new(all->argc, all->argv, &record));
    return tess_session_add(&all->session, &setting, lines, record, row, NULL);
}

/* All strategies on the blocks of one partitioner and block size. */
static tess_status run_blocks(series *all, int partitioner, int block_size) {
    tess_status status = TESS_OK;
    tess_bench_lines *lines = NULL;
    const tess_spec *spec = &all->partitioners[partitioner];
    const int32_t size = (int32_t)all->block_sizes[block_size];
    CHECK(tess_bench_lines_new(&lines));
    for (int s = 0; s < all->n_strategies && !tess_interrupted(); s++) {
        show_start(all, all->strategies[s].name, spec->name, size);
        CHECK(run_one(all, spec, size, &all->strategies[s], lines));
    }
    keep_for_view(all, partitioner * all->n_block_sizes + block_size, lines);
done:
    tess_bench_lines_release(lines);
    return status;
}

static tess_status run_all(series *all) {
    for (int p = 0; p < all->n_partitioners; p++)
        for (int b = 0; b < all->n_block_sizes; b++)
            TRY(run_blocks(all, p, b));
    TRY(tess_session_end(&all->session));
    clear_progress(all);
    int n_kept = 0;
    for (int i = 0; i < all->report.n_rows; i++)
        n_kept += !all->report.rows[i]->interrupted;
    if (tess_interrupted())
        FAIL(TESS_ERROR_INTERRUPTED, "interrupted; %d runs are finished and kept", n_kept);
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
    int n_failed = 0, n_uncounted = 0;
    const char *why = "";
    for (int i = 0; i < report->n_rows; i++) {
        n_failed += report->rows[i]->failure != NULL && !report->rows[i]->misfit;
        n_uncounted += report->rows[i]->uncounted != NULL;
        why = report->rows[i]->uncounted ? report->rows[i]->uncounted : why;
    }
    TRY(tess_command_outcome(report->n_rows, n_failed, n_missing));
    if (n_uncounted)
        FAIL(TESS_ERROR_MISSING, "the counters of %d of %d runs were not read, their times %s: %s",
             n_uncounted, report->n_rows, report->lab ? "are archived" : "are above", why);
    return TESS_OK;
}

/* After a run that broke the device for good: all that is open is closed, and the command is made
 * again without that run, by a process of its own. */
static tess_status start_anew(series *all) {
    if (!all->asked->common.quiet)
        fputs("tess: the device stays broken; starting anew without the run that broke it\n",
              stderr);
    const tess_restart restart = all->restart;
    all->restart = (tess_restart){.n = 0};
    series_clear(all);
    *all = (series){.restart = restart};
    return tess_restart_go(&restart);
}

static tess_status run(int argc, char **argv) {
    tess_run_options asked;
    TRY(tess_run_options_parse(argc, argv, &asked));
    tess_status status = TESS_OK;
    series all = {.asked = &asked, .argc = argc, .argv = argv};
    CHECK(tess_restart_read(&all.restart));
    CHECK(prepare(&all));
    CHECK(tess_in_situ_open(&asked.in_situ, &asked.common, all.n_partitioners, all.partitioners,
                            all.n_block_sizes, all.block_sizes, &all.in_situ));
    tess_interrupts_note();
    status = run_all(&all);
    if (status == TESS_OK || status == TESS_ERROR_INTERRUPTED) {
        const tess_status printed = report(&all);
        CHECK(printed != TESS_OK ? printed : status);
        CHECK(count_failures(&all.report, all.n_missing));
        CHECK(show_solution(&all));
    }
done:
    if (all.bench.lost && all.restart.broken && !tess_interrupted())
        status = start_anew(&all);
    series_clear(&all);
    return status;
}

const tess_command tess_command_run = {
    .name = "run", .summary = "Execute a loop by strategies on a device", .run = run};
