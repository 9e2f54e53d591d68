/* The work of a sweep: its points made one after another, each archived as soon as it is there. */
#include "experiments/sweep_work.h"

#include "core/array.h"
#include "experiments/line_archive.h"
#include "experiments/partition_options.h"
#include "experiments/run_bench.h"
#include "experiments/signals.h"
#include "experiments/sweep_done.h"
#include "experiments/sweep_progress.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOK_SHARE = 20 }; /* looking what others have done takes at most a 20th of the time */

const char *tess_sweep_state_name(tess_sweep_state state) {
    static const char *const names[] = {"left",   "done before", "failed before",
                                        "passed", "failed",      "skipped"};
    return names[state];
}

tess_status tess_sweep_work_begin(tess_sweep_work *work) {
    return TESS_ZEROS(work->points->n, &work->results);
}

void tess_sweep_work_clear(tess_sweep_work *work) {
    for (int64_t i = 0; work->results && i < work->points->n; i++)
        free(work->results[i].words);
    free(work->results);
    work->results = NULL;
}

tess_status tess_sweep_work_look(tess_sweep_work *work) {
    tess_sweep_done done = {.n = 0};
    int64_t n_unreadable = 0;
    if (!work->lab)
        return TESS_OK;
    const tess_status status = tess_sweep_done_read(work->lab, &done, &n_unreadable);
    for (int64_t i = 0; status == TESS_OK && i < work->points->n; i++) {
        tess_sweep_result *result = &work->results[i];
        const tess_sweep_entry *entry = tess_sweep_done_find(&done, work->points->items[i].digest);
        if (result->state != TESS_POINT_LEFT || !entry || (entry->failed && work->retry_failed))
            continue;
        result->state = entry->failed ? TESS_POINT_FAILED_BEFORE : TESS_POINT_DONE_BEFORE;
        snprintf(result->run, sizeof result->run, "%s", entry->run);
    }
    tess_sweep_done_clear(&done);
    return status;
}

/* A point as its command understands it. */
typedef struct understood {
    tess_sweep_line line; /* what the options point into */
    tess_run_options run;
    tess_partition_options partition;
} understood;

static tess_status understand(const tess_sweep_work *work, const tess_sweep_point *point,
                              understood *out) {
    char *mesh = NULL;
    *out = (understood){.line = {.argc = 0}};
    TRY(tess_sweep_mesh(work->recipe, point, &mesh));
    const tess_status made =
        tess_sweep_line_make(point->kind, point->value, mesh, work->view, &out->line);
    free(mesh);
    TRY(made);
    return point->kind == TESS_SWEEP_RUNS
               ? tess_run_options_parse(out->line.argc, out->line.argv, &out->run)
               : tess_partition_options_parse(out->line.argc, out->line.argv, &out->partition);
}

/* What is opened once for many points. */
typedef struct opened {
    const tess_sweep_point *point;  /* the first of them, NULL: nothing is open */
    const tess_sweep_point *blocks; /* the first of those on the same blocks */
    understood as;
    tess_bench bench;   /* of runs */
    tess_workload load; /* of partitions */
    char mesh_digest[TESS_DIGEST_SIZE];
    tess_bench_lines lines;
    tess_status status; /* of the opening */
    char *words;        /* why it failed */
} opened;

static void close_all(opened *now) {
    tess_bench_lines_clear(&now->lines);
    tess_bench_close(&now->bench);
    tess_workload_clear(&now->load);
    tess_sweep_line_clear(&now->as.line);
    free(now->words);
    *now = (opened){.point = NULL};
}

static tess_status open_partition(const tess_sweep_work *work, opened *now) {
    const tess_workload_names names = {.mesh = now->as.partition.mesh,
                                       .map = now->as.partition.map,
                                       .dat = now->as.partition.dat,
                                       .all_maps = true};
    TRY(tess_workload_open(&names, &now->load));
    return tess_lab_store_mesh(work->lab, now->load.mesh, now->mesh_digest);
}

static tess_status open_run(const tess_sweep_work *work, opened *now) {
    TRY(tess_bench_open(&now->as.run, &now->bench));
    TRY(tess_bench_load(&now->bench));
    TRY(tess_bench_archive_in(&now->bench, work->lab));
    memcpy(now->mesh_digest, now->bench.mesh_digest, sizeof now->mesh_digest);
    return TESS_OK;
}

/* Opens what a point needs unless it is open; what failed once is not tried again. */
static tess_status open_for(const tess_sweep_work *work, const tess_sweep_point *point,
                            opened *now) {
    if (now->point && tess_sweep_points_share(now->point, point, TESS_AXES_OPENED)) {
        if (now->status != TESS_OK)
            return tess_fail(now->status, "%s", now->words);
        if (!tess_sweep_points_share(now->blocks, point, TESS_AXES_BLOCKS))
            tess_bench_lines_clear(&now->lines);
        now->blocks = point;
        return TESS_OK;
    }
    close_all(now);
    now->point = now->blocks = point;
    now->status = understand(work, point, &now->as);
    if (now->status == TESS_OK)
        now->status =
            point->kind == TESS_SWEEP_RUNS ? open_run(work, now) : open_partition(work, now);
    if (now->status != TESS_OK)
        TRY(tess_text_copy(tess_message(), &now->words));
    return now->status;
}

/* Notes which point of which sweep a record is. */
static tess_status name_record(const tess_sweep_work *work, const tess_sweep_point *point,
                               tess_record *record) {
    tess_entries *into = &record->configuration;
    TRY(tess_entries_set_text(into, "sweep", work->recipe->name));
    TRY(tess_entries_set_text(into, "sweep_point", point->digest));
    return tess_entries_set_number(into, "repetition",
                                   strtod(point->value[TESS_AXIS_REPETITION], NULL), "1");
}

static tess_status make_partition(const tess_sweep_work *work, opened *now, const understood *as,
                                  const tess_spec *partitioner, int32_t block_size,
                                  tess_record *record) {
    tess_status status = TESS_OK;
    tess_line *line = NULL;
    char *text = NULL, *plan_file = NULL, *view_file = NULL;
    tess_setting setting;
    CHECK(tess_partition_setting_make(&as->partition, partitioner, block_size, &setting));
    CHECK(tess_spec_print(partitioner, setting.partitioner->options, &text));
    CHECK(tess_record_setting(record, now->load.bound, &setting, text));
    CHECK(tess_line_run(now->load.bound, &setting, &line));
    status = tess_line_archive(work->lab, now->mesh_digest, now->load.bound, &setting, line,
                               work->view, record, &plan_file, &view_file);
done:
    free(text);
    free(plan_file);
    free(view_file);
    tess_line_free(line);
    return status;
}

static tess_status make_run(opened *now, const understood *as, const tess_spec *partitioner,
                            int32_t block_size, const tess_spec *strategy, tess_record *record) {
    tess_run_report report = {.n_rows = 0};
    tess_run_row *row = NULL;
    tess_run_setting setting;
    TRY(tess_run_setting_make(&as->run, partitioner, block_size, strategy, &setting));
    TRY(tess_run_report_add(&report, &row));
    const tess_status status = tess_bench_run(&now->bench, &setting, &now->lines, record, row);
    tess_run_report_clear(&report);
    return status;
}

/* Makes one point on what is open for it. */
static tess_status make_opened(const tess_sweep_work *work, const tess_sweep_point *point,
                               opened *now, tess_record *record) {
    tess_status status = TESS_OK;
    understood as = {.line = {.argc = 0}};
    tess_spec *partitioner = NULL, *strategy = NULL;
    int n_partitioners = 0, n_strategies = 0;
    const int32_t block_size = (int32_t)strtol(point->value[TESS_AXIS_BLOCK_SIZE], NULL, 10);
    CHECK(understand(work, point, &as));
    CHECK(tess_spec_list_parse(point->value[TESS_AXIS_PARTITIONER], &partitioner, &n_partitioners));
    if (point->kind == TESS_SWEEP_PARTITIONS) {
        CHECK(make_partition(work, now, &as, partitioner, block_size, record));
    } else {
        CHECK(tess_spec_list_parse(point->value[TESS_AXIS_STRATEGY], &strategy, &n_strategies));
        CHECK(make_run(now, &as, partitioner, block_size, strategy, record));
    }
done:
    tess_spec_list_free(strategy, n_strategies);
    tess_spec_list_free(partitioner, n_partitioners);
    tess_sweep_line_clear(&as.line);
    return status;
}

/* What the recipe says of a point, for a record that knows nothing else. */
static tess_status configure_failed(const tess_sweep_point *point, tess_record *record) {
    tess_entries *into = &record->configuration;
    for (int axis = 0; axis < TESS_AXES; axis++) {
        const tess_sweep_axis *about = &tess_sweep_axes[axis];
        const char *text = point->value[axis];
        if (!text || !*text || tess_entries_find(into, about->name))
            continue;
        if (about->is_number)
            TRY(tess_entries_set_number(into, about->name, strtod(text, NULL), "1"));
        else
            TRY(tess_entries_set_text(into, about->name, text));
    }
    return TESS_OK;
}

/* Keeps a failure with its point; gives back what ends the whole sweep. */
static tess_status keep_failure(const tess_sweep_work *work, const tess_sweep_point *point,
                                tess_status failure, const opened *now, tess_record *record,
                                tess_sweep_result *result) {
    if (tess_interrupted() || failure == TESS_ERROR_INTERRUPTED)
        FAIL(TESS_ERROR_INTERRUPTED, "interrupted");
    if (now->status == TESS_OK && (failure == TESS_ERROR_INTERNAL || failure == TESS_ERROR_IO))
        return failure; /* ours, or a full disk: the next point would meet it again */
    TRY(tess_text_copy(tess_message(), &result->words));
    if (failure == TESS_ERROR_USAGE || failure == TESS_ERROR_MISSING) {
        result->state = TESS_POINT_SKIPPED; /* nothing ran that could be archived */
        return TESS_OK;
    }
    result->state = TESS_POINT_FAILED;
    TRY(configure_failed(point, record));
    return tess_line_archive_failure(work->lab, now->mesh_digest, result->words, record);
}

static tess_status make_point(tess_sweep_work *work, const tess_sweep_point *point, opened *now,
                              tess_sweep_result *result) {
    tess_status status = TESS_OK;
    tess_record *record = NULL;
    CHECK(tess_record_new(work->argc, work->argv, &record));
    CHECK(name_record(work, point, record));
    status = open_for(work, point, now);
    const double start = tess_clock_seconds();
    if (status == TESS_OK)
        status = make_opened(work, point, now, record);
    result->state = TESS_POINT_PASSED;
    if (status != TESS_OK) {
        result->state = TESS_POINT_LEFT;
        CHECK(keep_failure(work, point, status, now, record, result));
    }
    memcpy(result->run, record->id, sizeof result->run);
    result->seconds = tess_clock_seconds() - start;
done:
    tess_record_free(record);
    return status;
}

tess_status tess_sweep_work_run(tess_sweep_work *work) {
    tess_status status = TESS_OK;
    opened now = {.point = NULL};
    double looked = tess_clock_seconds(), cost = 0.1;
    for (int64_t i = 0; i < work->points->n && status == TESS_OK; i++) {
        const double start = tess_clock_seconds();
        if (start - looked > LOOK_SHARE * cost) { /* another sweep may have been here meanwhile */
            CHECK(tess_sweep_work_look(work));
            looked = tess_clock_seconds();
            cost = looked - start;
        }
        if (work->results[i].state != TESS_POINT_LEFT)
            continue;
        if (tess_interrupted())
            CHECK(tess_fail(TESS_ERROR_INTERRUPTED, "interrupted"));
        tess_sweep_progress_show(work, i);
        CHECK(make_point(work, &work->points->items[i], &now, &work->results[i]));
    }
done:
    tess_sweep_progress_end(work);
    close_all(&now);
    return status;
}
