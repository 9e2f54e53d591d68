/* A report of compared partitions: the runs of one `tess partition` as a table and as JSON. */
#include "experiments/cli/partition_report.h"

#include "core/base/array.h"
#include "core/base/json.h"
#include "experiments/cli/command.h"
#include "experiments/cli/table.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A column of the table: a metric, how it is printed and what it is divided by. */
typedef struct column {
    const char *title;
    const char *metric; /* NULL: partition_seconds or plan_seconds */
    const char *format;
    double scale;
    int better; /* 1 larger, -1 smaller, 0 not marked */
} column;

static const column columns[] = {
    {"blocks", "blocks", "%.0f", 1, 0},
    {"fill", "fill", "%.3f", 1, 0},
    {"reuse", "reuse_factor", "%.3f", 1, 1},
    {"thread colours", "thread_colours_mean", "%.2f", 1, -1},
    {"block colours", "block_colours", "%.0f", 1, -1},
    {"pieces", "components_mean", "%.2f", 1, -1},
    {"sectors/block", "sectors_per_block", "%.1f", 1, -1},
    {"used MB", "transfer_used", "%.2f", 1e-6, -1},
    {"moved MB", "transfer_total", "%.2f", 1e-6, -1},
    {"partition s", NULL, "%.3f", 1, -1},
    {"plan s", NULL, "%.3f", 1, 0},
};

enum { RUN_PREFIX = 14 }; /* of an id: its time and enough of the rest to name it */

enum { N_COLUMNS = sizeof columns / sizeof columns[0], COLUMN_PLAN_SECONDS = N_COLUMNS - 1 };

static double column_value(const tess_report_run *run, int c) {
    if (columns[c].metric)
        return columns[c].scale * tess_metrics_get(run->metrics, columns[c].metric);
    return c == COLUMN_PLAN_SECONDS ? run->plan_seconds : run->partition_seconds;
}

tess_status tess_report_add(tess_report *report, tess_report_run **out) {
    TRY(TESS_RESERVE(report->n_runs + 1, &report->capacity, &report->runs));
    *out = &report->runs[report->n_runs++];
    **out = (tess_report_run){0};
    return TESS_OK;
}

/* True when no finished run of the same block size has a better value, as printed. */
static bool is_best(const tess_report *report, const tess_report_run *run, int c) {
    if (columns[c].better == 0)
        return false;
    bool compared = false;
    char own[32], other[32];
    snprintf(own, sizeof own, columns[c].format, column_value(run, c));
    for (int i = 0; i < report->n_runs; i++) {
        const tess_report_run *rival = &report->runs[i];
        if (rival == run || rival->failure || rival->block_size != run->block_size)
            continue;
        snprintf(other, sizeof other, columns[c].format, column_value(rival, c));
        if (columns[c].better * (strtod(other, NULL) - strtod(own, NULL)) > 0)
            return false;
        compared = true;
    }
    return compared;
}

static tess_status print_run(const tess_report *report, const tess_report_run *run, int row,
                             tess_table *table) {
    TRY(tess_table_add_row(table));
    TRY(tess_table_add_cell(table, "%d", run->block_size));
    TRY(tess_table_add_cell(table, "%s", run->partitioner));
    for (int c = 0; c < N_COLUMNS; c++) {
        if (run->failure) {
            TRY(tess_table_add_cell(table, "%s", c == 0 ? "failed" : ""));
            continue;
        }
        TRY(tess_table_add_cell(table, columns[c].format, column_value(run, c)));
        if (is_best(report, run, c))
            tess_table_mark(table, row, c + 2);
    }
    if (report->lab)
        TRY(tess_table_add_cell(table, "%.*s", RUN_PREFIX, run->run ? run->run : ""));
    return TESS_OK;
}

/* The runs in the order of the table: by block size, then as they were made. */
static int compare_runs(const void *left, const void *right) {
    const tess_report_run *const *a = left, *const *b = right;
    if ((*a)->block_size != (*b)->block_size)
        return (*a)->block_size < (*b)->block_size ? -1 : 1;
    return *a < *b ? -1 : *a > *b;
}

tess_status tess_report_print(const tess_report *report, FILE *stream) {
    tess_status status = TESS_OK;
    tess_table *table = NULL;
    const tess_report_run **sorted = NULL;
    CHECK(TESS_ALLOC(report->n_runs, &sorted));
    for (int i = 0; i < report->n_runs; i++)
        sorted[i] = &report->runs[i];
    qsort(sorted, (size_t)report->n_runs, sizeof(tess_report_run *), compare_runs);
    CHECK(tess_table_new(&table));
    CHECK(tess_table_add_column(table, "block size", TESS_ALIGN_RIGHT));
    CHECK(tess_table_add_column(table, "partitioner", TESS_ALIGN_LEFT));
    for (int c = 0; c < N_COLUMNS; c++)
        CHECK(tess_table_add_column(table, columns[c].title, TESS_ALIGN_RIGHT));
    if (report->lab)
        CHECK(tess_table_add_column(table, "run", TESS_ALIGN_LEFT));
    for (int i = 0; i < report->n_runs; i++)
        CHECK(print_run(report, sorted[i], i, table));
    CHECK(tess_table_print(table, stream));
done:
    tess_table_free(table);
    free(sorted);
    return status;
}

static json_t *run_json(const tess_report_run *run) {
    json_t *object =
        json_pack("{s:o, s:i, s:s, s:o, s:o, s:o}", "partitioner", tess_json_text(run->partitioner),
                  "block_size", (int)run->block_size, "status", run->failure ? "failed" : "done",
                  "run", tess_json_text(run->run), "plan_file", tess_json_text(run->plan_file),
                  "view_file", tess_json_text(run->view_file));
    if (!object || run->failure) {
        if (object)
            json_object_set_new(object, "failure", tess_json_text(run->failure));
        return object;
    }
    json_object_set_new(object, "partition_seconds", tess_json_number(run->partition_seconds));
    json_object_set_new(object, "plan_seconds", tess_json_number(run->plan_seconds));
    json_object_set_new(object, "largest_block_before_repair", json_integer(run->largest_before));
    json_object_set_new(object, "elements_moved_by_repair", json_integer(run->n_moved));
    for (int i = 0; i < run->metrics->n_values; i++) {
        const tess_metric_value *value = &run->metrics->values[i];
        const bool whole = value->value == floor(value->value) && fabs(value->value) < 9e15;
        json_object_set_new(object, value->name,
                            whole ? json_integer((json_int_t)value->value)
                                  : tess_json_number(value->value));
    }
    return object;
}

json_t *tess_report_json(const tess_report *report) {
    json_t *runs = json_array();
    for (int i = 0; i < report->n_runs; i++)
        json_array_append_new(runs, run_json(&report->runs[i]));
    return json_pack("{s:s, s:o, s:s, s:o, s:o}", "schema", "tess.partition/1", "mesh",
                     tess_json_text(report->mesh->source), "loop", report->loop, "lab",
                     tess_json_text(report->lab), "runs", runs);
}

static void free_run(tess_report_run *run) {
    free(run->partitioner);
    free(run->failure);
    tess_metrics_free(run->metrics);
    free(run->run);
    free(run->plan_file);
    free(run->view_file);
}

void tess_report_drop(tess_report *report) {
    free_run(&report->runs[--report->n_runs]);
}

void tess_report_clear(tess_report *report) {
    while (report->n_runs)
        tess_report_drop(report);
    free(report->runs);
    *report = (tess_report){0};
}
