/* The work of a sweep: its points made one after another, each archived as soon as it is there. */
#include "experiments/campaign/sweep_work.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/json.h"
#include "experiments/bench/line_archive.h"
#include "experiments/bench/session.h"
#include "experiments/bench/signals.h"
#include "experiments/campaign/sweep_look.h"
#include "experiments/campaign/sweep_progress.h"
#include "experiments/cli/partition_options.h"
#include "experiments/cli/sweep_report.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SESSION_SECONDS = 120 }; /* a session takes no more points after: what a kill may cost */

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
    if (point->kind == TESS_SWEEP_RUNS) {
        TRY(tess_run_options_parse(out->line.argc, out->line.argv, &out->run));
        out->run.fresh = work->fresh;
        return TESS_OK;
    }
    return tess_partition_options_parse(out->line.argc, out->line.argv, &out->partition);
}

/* What is opened once for many points. */
typedef struct opened {
    const tess_sweep_point *point;  /* the first of them, NULL: nothing is open */
    const tess_sweep_point *blocks; /* the first of those on the same blocks */
    understood as;
    tess_bench bench; /* of runs */
    tess_session session;
    const tess_sweep_point *in_session; /* the first of its points, NULL: none is open */
    double session_start;
    tess_workload load; /* of partitions */
    char mesh_digest[TESS_DIGEST_SIZE];
    tess_bench_lines *lines;
    double clock;       /* when the last point was finished */
    tess_status status; /* of the opening */
    char *words;        /* why it failed */
} opened;

static void close_all(opened *now) {
    tess_session_clear(&now->session);
    tess_bench_lines_release(now->lines);
    tess_bench_close(&now->bench);
    tess_workload_clear(&now->load);
    tess_sweep_line_clear(&now->as.line);
    free(now->words);
    *now = (opened){.point = NULL};
}

/* A sweep at work. */
typedef struct sweeping {
    tess_sweep_work *work;
    opened now;
} sweeping;

/* Lines for other blocks; the runs that are open hold theirs. */
static tess_status renew_lines(opened *now) {
    tess_bench_lines_release(now->lines);
    now->lines = NULL;
    return tess_bench_lines_new(&now->lines);
}

static tess_status open_partition(const tess_sweep_work *work, opened *now) {
    const tess_workload_names names = {.mesh = now->as.partition.mesh,
                                       .map = now->as.partition.map,
                                       .dat = now->as.partition.dat,
                                       .all_maps = true};
    TRY(tess_workload_open(&names, &now->load));
    return tess_lab_store_mesh(work->lab, now->load.mesh, now->mesh_digest);
}

/* Notes which point of which sweep a record is. */
static tess_status name_record(const tess_sweep_work *work, const tess_sweep_point *point,
                               tess_record *record) {
    tess_values *into = &record->configuration;
    TRY(tess_values_set_text(into, "sweep", work->recipe->name));
    TRY(tess_values_set_text(into, TESS_SWEEP_POINT_KEY, point->digest));
    return tess_values_set_number(into, "repetition",
                                  strtod(point->value[TESS_AXIS_REPETITION], NULL), "1");
}

static int32_t block_size_of(const tess_sweep_point *point) {
    return (int32_t)strtol(point->value[TESS_AXIS_BLOCK_SIZE], NULL, 10);
}

/* Cuts the mesh of a point into blocks and archives them. */
static tess_status make_partition(const tess_sweep_work *work, opened *now,
                                  const tess_sweep_point *point, tess_record *record) {
    tess_status status = TESS_OK;
    tess_line *line = NULL;
    understood as = {.line = {.argc = 0}};
    tess_spec *partitioner = NULL;
    int n_partitioners = 0;
    char *text = NULL, *plan_file = NULL, *view_file = NULL;
    tess_setting setting;
    CHECK(understand(work, point, &as));
    CHECK(tess_spec_list_parse(point->value[TESS_AXIS_PARTITIONER], &partitioner, &n_partitioners));
    CHECK(tess_partition_setting_make(&as.partition, partitioner, block_size_of(point), &setting));
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
    tess_spec_list_free(partitioner, n_partitioners);
    tess_sweep_line_clear(&as.line);
    return status;
}

/* What the recipe says of a point, for a record that knows nothing else. */
static tess_status configure_failed(const tess_sweep_point *point, tess_record *record) {
    tess_values *into = &record->configuration;
    for (int axis = 0; axis < TESS_AXES; axis++) {
        const tess_sweep_axis *about = &tess_sweep_axes[axis];
        const char *text = point->value[axis];
        if (!text || !*text || tess_values_find(into, about->name))
            continue;
        if (about->is_number)
            TRY(tess_values_set_number(into, about->name, strtod(text, NULL), "1"));
        else
            TRY(tess_values_set_text(into, about->name, text));
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

/* Notes a point that failed, for an execution without it; those that passed are in the lab. */
static tess_status note_failed(const sweeping *all, const tess_sweep_point *point,
                               const tess_sweep_result *result) {
    json_t *how =
        json_pack("{s:s, s:o}", "run", result->run, "failure", tess_json_text(result->words));
    const bool broken = all->now.bench.device && tess_bench_is_broken(&all->now.bench);
    return tess_restart_add(all->work->restart, point->digest, how, broken);
}

/* Notes what became of a point that was made; gives back what ends the whole sweep. */
static tess_status note_result(sweeping *all, int64_t point, tess_status outcome,
                               tess_record *record) {
    tess_sweep_result *result = &all->work->results[point];
    if (outcome == TESS_OK)
        result->state = TESS_POINT_PASSED;
    else
        TRY(keep_failure(all->work, &all->work->points->items[point], outcome, &all->now, record,
                         result));
    memcpy(result->run, record->id, sizeof result->run);
    if (result->state == TESS_POINT_FAILED)
        TRY(note_failed(all, &all->work->points->items[point], result));
    const double now = tess_clock_seconds();
    result->seconds = now - all->now.clock; /* of those in turns, the first has all the turns */
    all->now.clock = now;
    return TESS_OK;
}

/* A point that is a run, while it is made. */
typedef struct making {
    int64_t point;
    understood as; /* what the run's setting points into, as the next two */
    tess_spec *partitioner, *strategy;
    int n_partitioners, n_strategies;
    tess_run_row *row;
} making;

static void making_free(making *one) {
    tess_run_row_free(one->row);
    tess_spec_list_free(one->strategy, one->n_strategies);
    tess_spec_list_free(one->partitioner, one->n_partitioners);
    tess_sweep_line_clear(&one->as.line);
    free(one);
}

static tess_status finished(void *context, tess_session_run *run, tess_status outcome) {
    making *one = run->owner;
    const tess_status status = note_result(context, one->point, outcome, run->record);
    making_free(one);
    return status;
}

static void dropped(tess_session_run *run) {
    making_free(run->owner);
}

static tess_status open_run(sweeping *all) {
    opened *now = &all->now;
    const tess_session_listener listener = {
        .context = all, .finished = finished, .dropped = dropped};
    TRY(tess_bench_open(&now->as.run, &now->bench));
    TRY(tess_bench_load(&now->bench));
    TRY(tess_bench_archive_in(&now->bench, all->work->lab));
    memcpy(now->mesh_digest, now->bench.mesh_digest, sizeof now->mesh_digest);
    const int n_rounds = tess_bench_samples(&now->bench);
    tess_session_begin(&now->bench, (int64_t)(all->work->memory * 0x1p30), n_rounds, &listener,
                       &now->session);
    return renew_lines(now);
}

/* Opens what a point needs unless it is open; what failed once is not tried again. */
static tess_status open_for(sweeping *all, const tess_sweep_point *point) {
    opened *now = &all->now;
    if (now->point && tess_sweep_points_share(now->point, point, TESS_AXES_OPENED)) {
        if (now->status != TESS_OK)
            return tess_fail(now->status, "%s", now->words);
        if (!tess_sweep_points_share(now->blocks, point, TESS_AXES_BLOCKS))
            TRY(renew_lines(now));
        now->blocks = point;
        return TESS_OK;
    }
    close_all(now);
    now->point = now->blocks = point;
    now->status = understand(all->work, point, &now->as);
    if (now->status == TESS_OK)
        now->status =
            point->kind == TESS_SWEEP_RUNS ? open_run(all) : open_partition(all->work, now);
    if (now->status != TESS_OK)
        TRY(tess_text_copy(tess_message(), &now->words));
    now->clock = tess_clock_seconds();
    return now->status;
}

/* Starts the run of a point and leaves it to the session; the record is the session's then. */
static tess_status make_run(sweeping *all, int64_t point, tess_record **record) {
    tess_status status = TESS_OK;
    const char *const *value = all->work->points->items[point].value;
    making *one = NULL;
    tess_run_setting setting;
    CHECK(TESS_ZEROS(1, &one));
    one->point = point;
    CHECK(understand(all->work, &all->work->points->items[point], &one->as));
    CHECK(tess_spec_list_parse(value[TESS_AXIS_PARTITIONER], &one->partitioner,
                               &one->n_partitioners));
    CHECK(tess_spec_list_parse(value[TESS_AXIS_STRATEGY], &one->strategy, &one->n_strategies));
    CHECK(tess_run_setting_make(&one->as.run, one->partitioner,
                                block_size_of(&all->work->points->items[point]), one->strategy,
                                &setting));
    CHECK(tess_run_row_new(&one->row));
    tess_record *given = *record;
    *record = NULL;
    return tess_session_add(&all->now.session, &setting, all->now.lines, given, one->row, one);
done:
    making_free(one);
    return status;
}

/* Ends the session unless a point may join it. */
static tess_status end_session_before(sweeping *all, const tess_sweep_point *point) {
    opened *now = &all->now;
    const double seconds = tess_clock_seconds();
    if (now->session.n > 0 && (seconds - now->session_start > SESSION_SECONDS ||
                               !tess_sweep_points_share(now->in_session, point, TESS_AXES_SESSION)))
        TRY(tess_session_end(&now->session));
    return TESS_OK;
}

/* Notes the point that a session begins with. */
static void note_session(opened *now, const tess_sweep_point *point) {
    if (now->session.n > 0)
        return;
    now->in_session = point;
    now->session_start = tess_clock_seconds();
}

static tess_status make_point(sweeping *all, int64_t at) {
    tess_status status = TESS_OK, outcome = TESS_OK;
    const tess_sweep_point *point = &all->work->points->items[at];
    tess_record *record = NULL;
    CHECK(end_session_before(all, point));
    CHECK(tess_record_new(all->work->argc, all->work->argv, &record));
    CHECK(name_record(all->work, point, record));
    outcome = open_for(all, point);
    note_session(&all->now, point);
    if (outcome == TESS_OK && point->kind == TESS_SWEEP_RUNS)
        outcome = make_run(all, at, &record);
    else if (outcome == TESS_OK)
        outcome = make_partition(all->work, &all->now, point, record);
    status = record ? note_result(all, at, outcome, record) : outcome;
done:
    tess_record_free(record);
    return status;
}

tess_status tess_sweep_work_run(tess_sweep_work *work) {
    tess_status status = TESS_OK;
    sweeping all = {.work = work};
    tess_sweep_look last = {tess_clock_seconds(), 0.1};
    for (int64_t i = 0; i < work->points->n && !tess_interrupted(); i++) {
        CHECK(tess_sweep_look_again(work, &last));
        if (work->results[i].state != TESS_POINT_LEFT)
            continue;
        tess_sweep_progress_show(work, i);
        CHECK(make_point(&all, i));
    }
    CHECK(tess_session_end(&all.now.session));
    if (tess_interrupted() && tess_sweep_count(work, TESS_POINT_LEFT))
        status = tess_fail(TESS_ERROR_INTERRUPTED, "interrupted");
done:
    tess_sweep_progress_end(work);
    work->lost = all.now.bench.lost;
    close_all(&all.now);
    return status;
}
