/* The command `tess partition`: which partitioner makes the best thread blocks for a loop. */
#include "core/base/argument.h"
#include "core/base/array.h"
#include "experiments/bench/line_archive.h"
#include "experiments/bench/signals.h"
#include "experiments/bench/workload.h"
#include "experiments/cli/partition_options.h"
#include "experiments/cli/partition_report.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What all runs of one command share. */
typedef struct comparison {
    const tess_partition_options *options;
    int argc;
    char **argv;
    tess_workload load;
    tess_lab *lab; /* NULL: nothing is archived */
    char mesh_digest[TESS_DIGEST_SIZE];
    tess_spec *specs; /* [n_specs], of the partitioners */
    int n_specs;
    int64_t *block_sizes;
    int n_block_sizes;
    tess_in_situ *in_situ; /* NULL: nothing is shown; a channel each run */
    tess_report report;
    int n_missing; /* runs that failed for what this machine lacks */
} comparison;

static void comparison_clear(comparison *all) {
    tess_in_situ_drop(all->in_situ);
    tess_report_clear(&all->report);
    free(all->block_sizes);
    tess_spec_list_free(all->specs, all->n_specs);
    tess_lab_close(all->lab);
    tess_workload_clear(&all->load);
}

/* Why a partitioner cannot work on this loop, or NULL where it can. */
static const char *misfit(const tess_partitioner *partitioner, const tess_bound_loop *bound) {
    for (const tess_option *option = partitioner->options; option->key; option++)
        if (option->kind == TESS_OPTION_TEXT && option->value[0] == '\0')
            return "it needs an option of its own";
    if (partitioner->on_request)
        return "it runs where it is named";
    if (partitioner->needs_shape &&
        (bound->mesh->shape[0] == 0 || strcmp(bound->loop->set, "cells") != 0))
        return "the loop is not over the cells of a structured box";
    return NULL;
}

/* All partitioners that fit, as one list; says on stderr which are left out. */
static tess_status fitting_partitioners(comparison *all) {
    char list[1024] = "";
    size_t used = 0;
    for (int i = 0; tess_partitioner_at(i); i++) {
        const tess_partitioner *partitioner = tess_partitioner_at(i);
        const char *reason = misfit(partitioner, all->load.bound);
        if (reason && !all->options->common.quiet)
            fprintf(stderr, "tess: %s is left out: %s\n", partitioner->name, reason);
        if (!reason && used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? "," : "",
                                     partitioner->name);
    }
    return tess_spec_list_parse(list, &all->specs, &all->n_specs);
}

/* Places of the knob that --front shows. */
static const char front[] = "mosaic:shape=0,mosaic:shape=0.1,mosaic:shape=0.2,mosaic:shape=0.3,"
                            "mosaic:shape=0.4,mosaic:shape=0.5,mosaic:shape=0.6,mosaic:shape=0.7,"
                            "mosaic:shape=0.8,mosaic:shape=0.9,mosaic";

/* Every name and option is checked before the first run starts. */
static tess_status choose_partitioners(comparison *all) {
    if (all->options->front)
        return tess_spec_list_parse(front, &all->specs, &all->n_specs);
    if (!all->options->partitioners)
        return fitting_partitioners(all);
    TRY(tess_spec_list_parse(all->options->partitioners, &all->specs, &all->n_specs));
    for (int i = 0; i < all->n_specs; i++) {
        const tess_partitioner *partitioner = NULL;
        TRY(tess_partitioner_find(all->specs[i].name, &partitioner));
        TRY(tess_spec_check(&all->specs[i], partitioner->options));
    }
    return TESS_OK;
}

/* Reads the mesh, gives it the maps of the loop, and opens the lab. */
static tess_status prepare(comparison *all) {
    const tess_partition_options *asked = all->options;
    TRY(tess_argument_integers("block-size", asked->block_sizes, 1, INT32_MAX, &all->block_sizes,
                               &all->n_block_sizes));
    const tess_workload_names names = {.mesh = asked->mesh,
                                       .map = asked->map,
                                       .dat = asked->dat,
                                       .all_maps = !asked->no_lab,
                                       .to_be_seen = tess_in_situ_wanted(&asked->in_situ)};
    TRY(tess_workload_open(&names, &all->load));
    for (int64_t i = 0; i < all->load.mesh->n_warnings && !asked->common.quiet; i++)
        fprintf(stderr, "tess: %s: warning: %s\n", asked->mesh, all->load.mesh->warnings[i]);
    TRY(choose_partitioners(all));
    all->report.mesh = all->load.mesh;
    all->report.loop = all->load.loop->name;
    if (asked->no_lab)
        return TESS_OK;
    TRY(tess_lab_open(asked->lab, true, &all->lab));
    all->report.lab = tess_lab_folder(all->lab);
    return tess_lab_store_mesh(all->lab, all->load.mesh, all->mesh_digest);
}

/* The steps of one run that can fail without ending the others. */
static tess_status run_and_archive(comparison *all, tess_setting *setting, tess_record *record,
                                   tess_report_run *run) {
    tess_line *line = NULL;
    const int channel = all->report.n_runs - 1;
    setting->observer =
        tess_in_situ_watch(all->in_situ, channel, all->load.mesh, all->load.loop->set);
    TRY(tess_line_run(all->load.bound, setting, &line));
    tess_in_situ_show_plan(all->in_situ, channel, all->load.bound, line->plan,
                           line->partition->block_of, line->metrics);
    line->partition_seconds -= tess_in_situ_seconds(all->in_situ);
    run->partition_seconds = line->partition_seconds;
    run->plan_seconds = line->plan_seconds;
    run->largest_before = line->partition->largest_before;
    run->n_moved = line->partition->n_moved;
    if (line->partition->remark[0] && !all->options->common.quiet)
        fprintf(stderr, "tess: %s\n", line->partition->remark);
    tess_status status = TESS_OK;
    if (all->lab)
        status =
            tess_line_archive(all->lab, all->mesh_digest, all->load.bound, setting, line,
                              !all->options->no_view, record, &run->plan_file, &run->view_file);
    run->metrics = line->metrics;
    line->metrics = NULL;
    tess_line_free(line);
    return status;
}

/* Keeps a failed run and its words; only what ends the whole command is given back. */
static tess_status keep_failure(comparison *all, tess_status failure, tess_record *record,
                                tess_report_run *run) {
    if (tess_interrupted())
        FAIL(TESS_ERROR_INTERRUPTED, "interrupted; %d runs are finished and kept",
             all->report.n_runs - 1);
    if (failure == TESS_ERROR_INTERNAL || failure == TESS_ERROR_IO)
        return failure; /* ours, or a full disk: the next run would meet it again */
    TRY(tess_text_copy(tess_message(), &run->failure));
    fprintf(stderr, "tess: %s at block size %d failed: %s\n", run->partitioner, run->block_size,
            run->failure);
    all->n_missing += failure == TESS_ERROR_MISSING; /* nothing ran that could be archived */
    return all->lab && failure != TESS_ERROR_MISSING
               ? tess_line_archive_failure(all->lab, all->mesh_digest, run->failure, record)
               : TESS_OK;
}

static tess_status run_one(comparison *all, const tess_spec *spec, int32_t block_size) {
    tess_status status = TESS_OK;
    tess_record *record = NULL;
    tess_report_run *run = NULL;
    tess_setting setting;
    CHECK(tess_partition_setting_make(all->options, spec, block_size, &setting));
    CHECK(tess_report_add(&all->report, &run));
    run->block_size = block_size;
    CHECK(tess_spec_print(spec, setting.partitioner->options, &run->partitioner));
    CHECK(tess_record_new(all->argc, all->argv, &record));
    CHECK(tess_record_setting(record, all->load.bound, &setting, run->partitioner));
    status = run_and_archive(all, &setting, record, run);
    if (status != TESS_OK)
        CHECK(keep_failure(all, status, record, run));
    if (record->id[0])
        CHECK(tess_text_copy(record->id, &run->run));
done:
    if (status != TESS_OK && run)
        tess_report_drop(&all->report); /* half a run is none */
    tess_record_free(record);
    return status;
}

/* One line that is rewritten as the runs go by, on a terminal. */
static void show_progress(const comparison *all, int n_done, const char *partitioner,
                          int64_t block_size) {
    if (all->options->common.quiet || !isatty(STDERR_FILENO))
        return;
    const int n_runs = all->n_specs * all->n_block_sizes;
    if (n_done == n_runs)
        fputs("\r\033[K", stderr);
    else
        fprintf(stderr, "\r\033[K[%d/%d] %s, block size %lld", n_done + 1, n_runs, partitioner,
                (long long)block_size);
    fflush(stderr);
}

static tess_status run_all(comparison *all) {
    int n_done = 0;
    for (int p = 0; p < all->n_specs; p++) {
        for (int b = 0; b < all->n_block_sizes; b++) {
            if (tess_interrupted())
                FAIL(TESS_ERROR_INTERRUPTED, "interrupted; %d runs are finished and kept", n_done);
            show_progress(all, n_done, all->specs[p].name, all->block_sizes[b]);
            TRY(run_one(all, &all->specs[p], (int32_t)all->block_sizes[b]));
            n_done++;
        }
    }
    show_progress(all, n_done, "", 0);
    return TESS_OK;
}

/* Prints what is finished, and what to do next. */
static tess_status report(const comparison *all) {
    if (all->options->common.json)
        return tess_json_print(tess_report_json(&all->report));
    TRY(tess_report_print(&all->report, stdout));
    const tess_report_run *last = NULL;
    for (int i = 0; i < all->report.n_runs; i++)
        if (all->report.runs[i].run && !all->report.runs[i].failure)
            last = &all->report.runs[i];
    if (!last || all->options->common.quiet)
        return TESS_OK;
    fprintf(stderr, "\nArchived in %s. Next:\n  tess show %s\n", all->report.lab, last->run);
    if (last->view_file)
        fprintf(stderr, "  paraview %s    (colour by display_colour; warp by explode)\n",
                last->view_file);
    return TESS_OK;
}

static tess_status count_failures(const tess_report *report, int n_missing) {
    int n_failed = 0;
    for (int i = 0; i < report->n_runs; i++)
        n_failed += report->runs[i].failure != NULL;
    return tess_command_outcome(report->n_runs, n_failed, n_missing);
}

static tess_status run(int argc, char **argv) {
    tess_partition_options asked;
    TRY(tess_partition_options_parse(argc, argv, &asked));
    tess_status status = TESS_OK;
    comparison all = {.options = &asked, .argc = argc, .argv = argv};
    CHECK(prepare(&all));
    CHECK(tess_in_situ_open(&asked.in_situ, &asked.common, all.n_specs, all.specs,
                            all.n_block_sizes, all.block_sizes, &all.in_situ));
    tess_interrupts_note();
    status = run_all(&all);
    if (status == TESS_OK || status == TESS_ERROR_INTERRUPTED) {
        const tess_status printed = report(&all);
        CHECK(printed != TESS_OK ? printed : status);
        CHECK(count_failures(&all.report, all.n_missing));
        tess_in_situ *in_situ = all.in_situ;
        all.in_situ = NULL;
        CHECK(tess_in_situ_close(in_situ));
    }
done:
    comparison_clear(&all);
    return status;
}

const tess_command tess_command_partition = {
    .name = "partition", .summary = "Compare partitioners on a mesh", .run = run};
