/* A report: the runs of one `tess partition` or `tess run` as a table with a verdict, and as JSON.
 */
#include "experiments/report/report.h"

#include "core/base/array.h"
#include "core/base/json.h"
#include "core/base/name_list.h"
#include "experiments/report/report_columns.h"
#include "experiments/report/table.h"
#include "experiments/report/verdict.h"
#include "experiments/report/winner.h"
#include "experiments/report/wrapped.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KEYS = 8 };

/* What is printed. */
typedef struct shown_runs {
    int64_t n;
    const tess_run **runs; /* [n] */
    bool is_small;         /* no blocks change the time that is predicted */
    tess_report_columns columns;
    struct {
        tess_report_column column;
        bool largest_first;
    } keys[MOST_KEYS]; /* [n_keys] */
    int n_keys;
} shown_runs;

const tess_option_row tess_report_rows[] = {
    {"columns", 'c', "NAME,...",
     "Show these columns ('+NAME,...': besides the usual ones): titles, metrics and settings", 8,
     TESS_KEPT(tess_report, columns)},
    {"sort", 'k', "NAME,...",
     "Sort the table by these columns; -NAME: largest first (--sort=-reuse)", 8,
     TESS_KEPT(tess_report, sort)},
    {"machine", 0, "FILE",
     "Predict times on this GPU: a file as docs/predict.md has it, h100 or h200; none: no times "
     "(default: h200)",
     8, TESS_KEPT(tess_report, machine)},
    {0}};

tess_status tess_report_expect(tess_report *report) {
    if (tess_expectation_is_refused(report->machine))
        return TESS_OK;
    return tess_expectation_open(report->machine ? report->machine : "h200", &report->expectation);
}

void tess_report_clear(tess_report *report) {
    tess_expectation_close(report->expectation);
    report->expectation = NULL;
}

static tess_status choose_keys(const char *sort, tess_experiment_kind kind, shown_runs *shown) {
    char name[TESS_LISTED_SIZE];
    for (const char *rest = sort ? sort : ""; tess_name_list_next(&rest, name);) {
        if (shown->n_keys == MOST_KEYS)
            FAIL(TESS_ERROR_USAGE, "--sort takes %d columns at most", MOST_KEYS);
        shown->keys[shown->n_keys].largest_first = *name == '-';
        TRY(tess_report_column_find(name + (*name == '-'), kind,
                                    &shown->keys[shown->n_keys].column));
        shown->n_keys++;
    }
    return TESS_OK;
}

tess_status tess_report_check(const tess_report *report, tess_experiment_kind kind) {
    shown_runs shown = {.n = 0};
    TRY(tess_report_columns_choose(report->columns, kind, &shown.columns));
    return choose_keys(report->sort, kind, &shown);
}

static int compare_texts(const tess_report_column *column, const tess_run *a, const tess_run *b) {
    char *left = NULL, *right = NULL;
    int order = 0;
    if (tess_report_cell(column, a, &left) == TESS_OK &&
        tess_report_cell(column, b, &right) == TESS_OK)
        order = strcmp(left, right);
    free(left);
    free(right);
    return order;
}

/* Runs that lack a number come last. */
static int compare_numbers(const tess_report_column *column, bool largest_first, const tess_run *a,
                           const tess_run *b) {
    const double x = tess_report_number(column, a), y = tess_report_number(column, b);
    if (isnan(x) || isnan(y))
        return isnan(x) - isnan(y);
    return largest_first ? (x < y) - (x > y) : (x > y) - (x < y);
}

/* By the keys, then as the runs were made; blocks that are compared by their size first. */
static int compare_runs(const void *left, const void *right, void *context) {
    const shown_runs *shown = context;
    const tess_run *a = *(const tess_run *const *)left, *b = *(const tess_run *const *)right;
    int order = 0;
    for (int k = 0; k < shown->n_keys && order == 0; k++) {
        const tess_report_column *column = &shown->keys[k].column;
        const bool down = shown->keys[k].largest_first;
        order = column->text && strcmp(column->name, "block_size") != 0
                    ? (down ? -1 : 1) * compare_texts(column, a, b)
                : column->text
                    ? (down ? -1 : 1) * ((a->experiment->block_size > b->experiment->block_size) -
                                         (a->experiment->block_size < b->experiment->block_size))
                    : compare_numbers(column, down, a, b);
    }
    if (order == 0 && shown->n_keys == 0 && a->experiment->kind == TESS_CUTTING)
        order = (a->experiment->block_size > b->experiment->block_size) -
                (a->experiment->block_size < b->experiment->block_size);
    return order ? order : (a->number > b->number) - (a->number < b->number);
}

/* The runs that were made and not interrupted, in the order in which they were made. */
static tess_status list_runs(const tess_campaign *campaign, shown_runs *shown) {
    TRY(TESS_ALLOC(campaign->n, &shown->runs));
    for (int64_t i = 0; campaign->runs && i < campaign->n; i++)
        if (campaign->runs[i] && !campaign->runs[i]->interrupted)
            shown->runs[shown->n++] = campaign->runs[i];
    return TESS_OK;
}

/* Whether somebody asked for the mesh as it is stored: in file order without renumbering. */
static bool has_stored(const shown_runs *shown, const tess_run *stored) {
    for (int64_t i = 0; i < shown->n; i++)
        if (shown->runs[i]->number >= 0 && tess_experiment_is_stored(shown->runs[i]->experiment) &&
            shown->runs[i]->experiment->block_size == stored->experiment->block_size)
            return true;
    return false;
}

/* Whether the columns that were asked for say nothing of what was not run. */
static bool is_of_runs(const tess_report *report, const shown_runs *shown) {
    return shown->n && shown->runs[0]->experiment->kind == TESS_RUNNING && report->columns &&
           !strstr(report->columns, "predicted");
}

/* Adds the mesh as it is stored, which was not run. */
static tess_status list_stored(const tess_report *report, shown_runs *shown) {
    const tess_expectation *expectation = report->expectation;
    if (is_of_runs(report, shown))
        return TESS_OK;
    int64_t capacity = report->campaign->n;
    for (int64_t i = 0; expectation && tess_expectation_stored(expectation, i); i++) {
        if (has_stored(shown, tess_expectation_stored(expectation, i)))
            continue;
        TRY(TESS_RESERVE(shown->n + 1, &capacity, &shown->runs));
        shown->runs[shown->n++] = tess_expectation_stored(expectation, i);
    }
    return TESS_OK;
}

/* Whether some run has a text in a usual column, and another one than the first where that is
 * what makes it usual. */
static tess_status is_filled(const tess_report_column *column, const shown_runs *shown,
                             bool *filled) {
    char *first = NULL;
    *filled = false;
    for (int64_t i = 0; i < shown->n && !*filled; i++) {
        char *text = NULL;
        TRY(tess_report_cell(column, shown->runs[i], &text));
        *filled = column->where_varied ? first && strcmp(text, first) != 0 : *text != '\0';
        if (first)
            free(text);
        else
            first = text;
    }
    free(first);
    return TESS_OK;
}

/* Leaves out usual columns that no run fills. */
static tess_status drop_empty(shown_runs *shown, const char *asked) {
    tess_report_columns *columns = &shown->columns;
    const int n = columns->n;
    columns->n = 0;
    for (int c = 0; c < n; c++) {
        bool filled = asked && *asked != '+' && !columns->items[c].where_varied;
        if (!filled)
            TRY(is_filled(&columns->items[c], shown, &filled));
        if (filled)
            columns->items[columns->n++] = columns->items[c];
    }
    return TESS_OK;
}

/* Whether a run is there to be compared with, and not to be chosen. */
static bool is_yardstick(const tess_run *run) {
    const tess_partitioner *plugin = run->experiment->partitioner.plugin;
    return (plugin && plugin->yardstick) || tess_experiment_is_stored(run->experiment);
}

/* Whether its value, as printed, is the best of the finished runs of its block size or ties with
 * it.
 */
static bool is_among_best(const shown_runs *shown, const tess_run *run,
                          const tess_report_column *column) {
    const double own = tess_report_number(column, run);
    bool compared = false;
    if (column->better == 0 || isnan(own) || run->experiment->kind != TESS_CUTTING ||
        is_yardstick(run) || (shown->is_small && strcmp(column->name, "predicted_time") == 0))
        return false;
    for (int64_t i = 0; i < shown->n; i++) {
        const tess_run *rival = shown->runs[i];
        const double value = tess_report_number(column, rival);
        if (rival == run || is_yardstick(rival) ||
            rival->experiment->block_size != run->experiment->block_size)
            continue;
        if (column->better * (value - own) > 0 && !tess_verdict_ties(value, own))
            return false;
        compared = compared || !isnan(value);
    }
    return compared;
}

static tess_status print_run(const shown_runs *shown, int64_t i, bool fastest, tess_table *table) {
    TRY(tess_table_add_row(table));
    for (int c = 0; c < shown->columns.n; c++) {
        const tess_report_column *column = &shown->columns.items[c];
        char *text = NULL;
        TRY(tess_report_cell(column, shown->runs[i], &text));
        const tess_status status = tess_table_add_cell(table, "%s", text);
        free(text);
        TRY(status);
        if (is_among_best(shown, shown->runs[i], column) ||
            (fastest && strcmp(column->name, "median_time") == 0))
            tess_table_mark(table, (int)i, c);
    }
    return TESS_OK;
}

static tess_status print_table(const shown_runs *shown, FILE *stream) {
    tess_status status = TESS_OK;
    tess_table *table = NULL;
    bool *fastest = NULL;
    CHECK(tess_table_new(NULL, &table));
    CHECK(TESS_ZEROS(shown->n, &fastest));
    if (shown->n > 1)
        CHECK(tess_winner_fastest(shown->runs, shown->n, fastest));
    for (int c = 0; c < shown->columns.n; c++) {
        const tess_report_column *column = &shown->columns.items[c];
        const bool left = column->text && strcmp(column->name, "block_size") != 0;
        CHECK(
            tess_table_add_column(table, column->title, left ? TESS_ALIGN_LEFT : TESS_ALIGN_RIGHT));
        tess_table_yield(table, column->rank);
    }
    for (int64_t i = 0; i < shown->n; i++)
        CHECK(print_run(shown, i, fastest[i], table));
    CHECK(tess_table_print(table, stream));
done:
    free(fastest);
    tess_table_free(table);
    return status;
}

tess_status tess_report_print(const tess_report *report, FILE *stream) {
    tess_status status = TESS_OK;
    shown_runs shown = {.n = 0};
    char *verdict = NULL;
    CHECK(list_runs(report->campaign, &shown));
    if (shown.n == 0)
        goto done;
    const tess_experiment_kind kind = shown.runs[0]->experiment->kind;
    CHECK(tess_report_columns_choose(report->columns, kind, &shown.columns));
    CHECK(choose_keys(report->sort, kind, &shown));
    CHECK(tess_winner_words(shown.runs, shown.n, report->expectation, &verdict));
    CHECK(tess_winner_is_small(shown.runs, shown.n, report->expectation, &shown.is_small));
    CHECK(list_stored(report, &shown));
    CHECK(drop_empty(&shown, report->columns));
    qsort_r(shown.runs, (size_t)shown.n, sizeof *shown.runs, compare_runs, &shown);
    CHECK(print_table(&shown, stream));
    if (*verdict) {
        fputc('\n', stream);
        tess_wrapped_print(verdict, 0, tess_terminal_width(stream), stream);
    }
    if (fflush(stream) != 0) /* before what is said of it on stderr */
        CHECK(tess_fail(TESS_ERROR_IO, "the table cannot be written: %s", strerror(errno)));
done:
    free(verdict);
    free(shown.runs);
    return status;
}

static json_t *cut_json(const tess_run *run) {
    json_t *object = json_pack(
        "{s:o, s:i, s:i, s:s, s:o, s:o, s:o}", "partitioner",
        tess_json_text(run->experiment->partitioner.text), "block_size",
        (int)run->experiment->block_size, "refine", (int)run->experiment->refine, "status",
        run->failure ? "failed" : "done", "run", tess_json_text(run->run), "plan_file",
        tess_json_text(run->plan_file), "view_file", tess_json_text(run->view_file));
    if (!object || run->failure) {
        if (object)
            json_object_set_new(object, "failure", tess_json_text(run->failure));
        return object;
    }
    json_object_set_new(object, "partition_seconds",
                        json_null()); /* of blocks that are not its own */
    tess_run_set_values(run, object);
    return object;
}

/* What only a report of executed loops has. */
static void add_execution(const tess_bench *bench, const tess_experiment *first, json_t *object) {
    json_object_set_new(object, "application",
                        tess_json_text(first->kernel ? first->kernel : first->application));
    json_object_set_new(object, "device", json_string(first->device));
    json_object_set_new(object, "copy_bandwidth", tess_json_number(bench->copy_bandwidth));
}

/* The mesh as it is stored, at each block size where blocks are compared. */
static json_t *stored_json(const tess_expectation *expectation) {
    json_t *list = json_array();
    for (int64_t i = 0; tess_expectation_stored(expectation, i); i++) {
        const tess_run *run = tess_expectation_stored(expectation, i);
        json_t *one = json_pack("{s:i}", "block_size", (int)run->experiment->block_size);
        if (run->experiment->strategy.text)
            json_object_set_new(one, "strategy", json_string(run->experiment->strategy.text));
        tess_run_set_values(run, one);
        json_array_append_new(list, one);
    }
    return list;
}

json_t *tess_report_json(const tess_report *report) {
    const tess_bench *bench = &report->campaign->bench;
    const tess_experiment *first = &report->campaign->experiments[0];
    const bool cut = first->kind == TESS_CUTTING;
    const tess_mesh *mesh = bench->load.mesh;
    shown_runs shown = {.n = 0};
    char *verdict = NULL;
    json_t *runs = json_array(), *object = NULL;
    if (list_runs(report->campaign, &shown) != TESS_OK ||
        tess_winner_words(shown.runs, shown.n, report->expectation, &verdict) != TESS_OK)
        goto done;
    for (int64_t i = 0; i < shown.n; i++)
        json_array_append_new(runs, cut ? cut_json(shown.runs[i]) : tess_run_json(shown.runs[i]));
    object = json_pack("{s:s, s:o, s:s?, s:o, s:s, s:O}", "schema",
                       cut ? "tess.partition/1" : "tess.run/1", "mesh",
                       tess_json_text(mesh ? mesh->source : first->mesh), "loop",
                       bench->load.loop ? tess_workload_name(&bench->load) : NULL, "lab",
                       tess_json_text(report->lab), "verdict", verdict, "runs", runs);
    if (object && report->expectation)
        json_object_update_new(object, json_pack("{s:s, s:o}", "machine",
                                                 tess_expectation_device(report->expectation),
                                                 "stored", stored_json(report->expectation)));
    if (object && !cut)
        add_execution(bench, first, object);
done:
    json_decref(runs);
    free(verdict);
    free(shown.runs);
    return object;
}
