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

static double column_value(const tess_run *run, int c) {
    if (columns[c].metric)
        return columns[c].scale * tess_metrics_get(run->metrics, columns[c].metric);
    return c == COLUMN_PLAN_SECONDS ? run->plan_seconds : run->partition_seconds;
}

const tess_run *tess_report_run(const tess_report *report, int64_t i) {
    const tess_campaign *campaign = report->campaign;
    for (int64_t k = 0; k < campaign->n; k++)
        if (campaign->runs[k] && !campaign->runs[k]->interrupted && i-- == 0)
            return campaign->runs[k];
    return NULL;
}

static int64_t count_runs(const tess_report *report) {
    int64_t n = 0;
    while (tess_report_run(report, n))
        n++;
    return n;
}

/* True when no finished run of the same block size has a better value, as printed. */
static bool is_best(const tess_report *report, const tess_run *run, int c) {
    if (columns[c].better == 0)
        return false;
    bool compared = false;
    char own[32], other[32];
    snprintf(own, sizeof own, columns[c].format, column_value(run, c));
    const tess_run *rival = NULL;
    for (int64_t i = 0; (rival = tess_report_run(report, i)); i++) {
        if (rival == run || rival->failure ||
            rival->experiment->block_size != run->experiment->block_size)
            continue;
        snprintf(other, sizeof other, columns[c].format, column_value(rival, c));
        if (columns[c].better * (strtod(other, NULL) - strtod(own, NULL)) > 0)
            return false;
        compared = true;
    }
    return compared;
}

static tess_status print_run(const tess_report *report, const tess_run *run, int row,
                             tess_table *table) {
    TRY(tess_table_add_row(table));
    TRY(tess_table_add_cell(table, "%d", (int)run->experiment->block_size));
    TRY(tess_table_add_cell(table, "%s", run->experiment->partitioner.text));
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
    const tess_run *const *a = left, *const *b = right;
    const int64_t small = (*a)->experiment->block_size, large = (*b)->experiment->block_size;
    if (small != large)
        return small < large ? -1 : 1;
    return (*a)->number < (*b)->number ? -1 : (*a)->number > (*b)->number;
}

tess_status tess_report_print(const tess_report *report, FILE *stream) {
    tess_status status = TESS_OK;
    tess_table *table = NULL;
    const tess_run **sorted = NULL;
    const int64_t n = count_runs(report);
    CHECK(TESS_ALLOC(n, &sorted));
    for (int64_t i = 0; i < n; i++)
        sorted[i] = tess_report_run(report, i);
    qsort(sorted, (size_t)n, sizeof *sorted, compare_runs);
    CHECK(tess_table_new(&table));
    CHECK(tess_table_add_column(table, "block size", TESS_ALIGN_RIGHT));
    CHECK(tess_table_add_column(table, "partitioner", TESS_ALIGN_LEFT));
    for (int c = 0; c < N_COLUMNS; c++)
        CHECK(tess_table_add_column(table, columns[c].title, TESS_ALIGN_RIGHT));
    if (report->lab)
        CHECK(tess_table_add_column(table, "run", TESS_ALIGN_LEFT));
    for (int64_t i = 0; i < n; i++)
        CHECK(print_run(report, sorted[i], (int)i, table));
    CHECK(tess_table_print(table, stream));
done:
    tess_table_free(table);
    free(sorted);
    return status;
}

static json_t *run_json(const tess_run *run) {
    json_t *object =
        json_pack("{s:o, s:i, s:s, s:o, s:o, s:o}", "partitioner",
                  tess_json_text(run->experiment->partitioner.text), "block_size",
                  (int)run->experiment->block_size, "status", run->failure ? "failed" : "done",
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
    const tess_workload *load = &report->campaign->bench.load;
    json_t *runs = json_array();
    for (int64_t i = 0; tess_report_run(report, i); i++)
        json_array_append_new(runs, run_json(tess_report_run(report, i)));
    return json_pack("{s:s, s:o, s:s?, s:o, s:o}", "schema", "tess.partition/1", "mesh",
                     tess_json_text(load->mesh ? load->mesh->source : NULL), "loop",
                     load->loop ? load->loop->name : NULL, "lab", tess_json_text(report->lab),
                     "runs", runs);
}
