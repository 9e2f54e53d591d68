/* The command `tess report`: chosen runs as one page to look at and to send. */
#include "core/base/array.h"
#include "core/base/interrupt.h"
#include "core/base/json.h"
#include "core/base/whole_file.h"
#include "core/plan/quantity.h"
#include "experiments/archive/view_file.h"
#include "experiments/archive/view_names.h"
#include "experiments/cli/chosen_runs.h"
#include "experiments/cli/command.h"
#include "experiments/report/chart/plot.h"
#include "experiments/report/chart/verdicts.h"
#include "experiments/report/python_module.h"
#include <stdlib.h>

enum { MOST_BLOCKS = 8, USUAL_BLOCKS = 4, MOST_VIEWED_ELEMENTS = 1000000 };

typedef struct report_options {
    tess_common common;
    tess_chosen_runs chosen;
    const char *output;
    int n_blocks;
    const char *blocks[MOST_BLOCKS]; /* names of runs */
} report_options;

static const tess_option_row options[] = {
    {"output", 'o', "FILE.html", "The page (default: lab.html)", TESS_KEPT(report_options, output)},
    {"blocks", 0, "RUN",
     "Show this run's blocks in 3D; may be repeated (default: the best of each mesh and loop of up "
     "to a million elements)",
     TESS_KEPT_LIST(report_options, blocks, n_blocks),
     .refusal = "a page shows the blocks of %d runs at most"},
    {TESS_ROWS_OF(tess_chosen_rows, report_options, chosen)},
    {.refusal = "'tess report' takes no '%s': runs are chosen with --where, the page is named with "
                "-o"},
    {0}};

static const tess_usage usage = {
    .options = options,
    .doc =
        "Write chosen runs as one HTML page that needs no network: a table that sorts and "
        "filters, verdicts, plots, blocks in 3D, and where everything came from.\v"
        "  tess report\n"
        "  tess report -w 'tag:paper' --blocks @last -o paper.html\n\n"
        "Python makes the page, with h5py, pandas and matplotlib: TESS_PYTHON names the Python. "
        "The 3D view is vtk.js, which the package trame-vtk holds, charts whose points name their "
        "runs are Plotly's; without them the page has pictures. --json prints verdicts and plots."};

/* Adds the charts of all plots that the chosen runs have something for. */
static tess_status add_charts(const tess_plot_request *request, json_t *report) {
    json_t *charts = json_array();
    json_object_set_new(report, "charts", charts);
    for (int i = 0; tess_plot_at(i); i++) {
        tess_chart *chart = NULL;
        const tess_status status = tess_plot_build(tess_plot_at(i), request, &chart);
        if (status != TESS_ERROR_INPUT && status != TESS_ERROR_USAGE)
            TRY(status);
        if (status != TESS_OK)
            continue;
        json_t *one = tess_chart_json(chart);
        json_object_set_new(one, "summary", json_string(tess_plot_at(i)->summary));
        json_array_append_new(charts, one);
        tess_chart_free(chart);
    }
    return TESS_OK;
}

/* Adds a run whose blocks are shown, with its view file, which is written where it is missing; or
 * why they are not: a mesh without coordinates, a full disk. The page stands without. */
static void add_view(const tess_query *query, const char *run, json_t *report) {
    char *path = NULL;
    if (tess_view_file_of_run(query->lab, run, &path) == TESS_OK) {
        json_array_append_new(json_object_get(report, "views"),
                              json_pack("{s:s, s:o}", "run", run, "file", tess_json_text(path)));
    } else {
        fprintf(stderr, "tess: no blocks of %s: %s\n", run, tess_message());
        json_array_append_new(
            json_object_get(report, "undrawn"),
            json_pack("{s:s, s:o}", "run", run, "why", tess_json_text(tess_message())));
    }
    free(path);
}

/* The named runs. */
static tess_status add_named_views(const report_options *asked, const tess_query *query,
                                   json_t *report) {
    for (int i = 0; i < asked->n_blocks; i++) {
        char id[TESS_RUN_ID_SIZE];
        TRY(tess_lab_find(query->lab, asked->blocks[i], id));
        add_view(query, id, report);
    }
    return TESS_OK;
}

/* The columns by which a problem's best blocks are chosen. */
typedef struct usual_fields {
    tess_run_field digest, reuse, blocks, block_size;
} usual_fields;

/* Whether a row's blocks can be shown: their view is in the lab or may be written. */
static bool can_be_shown(const tess_run_table *table, const usual_fields *fields, int64_t row,
                         const tess_view_names *views, bool may_write) {
    const char *digest = tess_run_text(table, &fields->digest, row);
    return *digest && (tess_view_names_find(views, digest) ||
                       (may_write && tess_run_number(table, &fields->blocks, row) *
                                             tess_run_number(table, &fields->block_size, row) <=
                                         MOST_VIEWED_ELEMENTS));
}

/* The row of most reuse among those of a problem whose blocks can be shown, or -1. */
static int64_t best_shown(const tess_query *query, const usual_fields *fields,
                          const tess_row_group *problem, const tess_view_names *views,
                          bool may_write) {
    int64_t best = -1;
    double most = 0;
    for (int64_t i = 0; i < problem->n; i++) {
        const int64_t row = problem->rows[i];
        const double reuse = tess_run_number(query->table, &fields->reuse, row);
        if (can_be_shown(query->table, fields, row, views, may_write) &&
            (best < 0 || reuse > most)) {
            best = row;
            most = reuse;
        }
    }
    return best;
}

/* The run of most reuse of each mesh and loop. --json only tells of views that are in the lab. */
static tess_status add_usual_views(const report_options *asked, const tess_query *query,
                                   json_t *report) {
    tess_status status = TESS_OK;
    usual_fields fields;
    tess_row_groups problems = {.n = 0};
    tess_view_names names = {.n = 0};
    if (!tess_run_table_find(query->table, "plan_digest", &fields.digest) ||
        !tess_run_table_find(query->table, "reuse_factor", &fields.reuse) ||
        !tess_run_table_find(query->table, "blocks", &fields.blocks) ||
        !tess_run_table_find(query->table, "block_size", &fields.block_size))
        return TESS_OK;
    CHECK(tess_view_names_read(query->lab, &names));
    CHECK(tess_row_groups_build(query, query->rows, query->n_rows, "loop,mesh", true, &problems));
    const json_t *views = json_object_get(report, "views");
    for (int64_t g = 0; g < problems.n && json_array_size(views) < USUAL_BLOCKS; g++) {
        const int64_t best =
            best_shown(query, &fields, &problems.items[g], &names, !asked->common.json);
        if (best >= 0)
            add_view(query, tess_run_table_id(query->table, best), report);
    }
done:
    tess_view_names_clear(&names);
    tess_row_groups_clear(&problems);
    return status;
}

static tess_status make_report(const report_options *asked, const tess_query *query,
                               json_t *report) {
    const tess_plot_request request = {.query = query};
    json_t *runs = json_array(), *verdicts = NULL;
    json_object_set_new(report, "schema", json_string("tess.report/1"));
    json_object_set_new(report, "lab", tess_json_text(tess_lab_folder(query->lab)));
    json_object_set_new(report, "where", tess_json_text(asked->chosen.where));
    json_object_set_new(report, "titles", tess_titles_json());
    json_object_set_new(report, "runs", runs);
    json_object_set_new(report, "views", json_array());
    json_object_set_new(report, "undrawn", json_array());
    for (int64_t i = 0; i < query->n_rows; i++)
        json_array_append_new(runs, json_string(tess_run_table_id(query->table, query->rows[i])));
    TRY(asked->n_blocks ? add_named_views(asked, query, report)
                        : add_usual_views(asked, query, report));
    TRY(tess_verdicts_json(&request, &verdicts));
    json_object_set_new(report, "verdicts", verdicts);
    return add_charts(&request, report);
}

static tess_status report_run(int argc, char **argv) {
    tess_status status = TESS_OK;
    report_options asked = {.output = "lab.html"};
    tess_query *query = NULL;
    json_t *report = json_object();
    CHECK(tess_command_parse(&usage, argc, argv, &asked.common, &asked));
    CHECK(tess_whole_file_check(asked.output));
    tess_interrupts_note();
    CHECK(tess_chosen_runs_find(&asked.chosen, asked.common.quiet, &query));
    CHECK(make_report(&asked, query, report));
    if (asked.common.json) {
        CHECK(tess_json_print(TESS_TAKE(report)));
        goto done;
    }
    json_object_set_new(report, "quiet", json_boolean(asked.common.quiet));
    CHECK(tess_python_module_run("report", (const char *const[]){asked.output, NULL}, report,
                                 "making the page in Python"));
    printf("%s\n", asked.output);
done:
    json_decref(report);
    tess_query_close(query);
    return status;
}

const tess_command tess_command_report = {
    .name = "report", .summary = "Write runs as one page to send", .run = report_run};
