/* tess runs: the runs of a lab, chosen, sorted and grouped. */
#include "core/base/array.h"
#include "core/base/json.h"
#include "experiments/archive/export/exporter.h"
#include "experiments/cli/chosen_runs.h"
#include "experiments/cli/command.h"
#include "experiments/report/shown.h"

#include <stdlib.h>
#include <string.h>

/* What is shown unless columns are named: those of these that some run has. */
static const char default_columns[] =
    "time,mesh,application,loop,partitioner,strategy,layout,device,block_size,outcome,"
    "reuse_factor,block_colours,thread_colours_mean,transfer_total,median_time,bandwidth,"
    "useful_fraction,tags";

typedef struct runs_options {
    tess_common common;
    tess_chosen_runs chosen;
    const char *group;
    char *columns; /* owned */
    bool csv, list;
} runs_options;

static tess_status read_columns(const char *option, const char *names, void *columns) {
    (void)option;
    char **kept = columns;
    free(*kept);
    *kept = NULL;
    return *names == '+' ? tess_text_print(kept, "%s,%s", default_columns, names + 1)
                         : tess_text_copy(names, kept);
}

static const tess_option_row options[] = {
    {TESS_ROWS_OF(tess_chosen_rows, runs_options, chosen)},
    {"columns", 'c', "NAME,...",
     "Show these columns ('+NAME,...': besides the usual ones); NAME@SOURCE where a metric has "
     "several sources",
     TESS_READ_BY(read_columns, runs_options, columns)},
    {"group", 'g', "NAME,...", "One row for each of their values, with medians",
     TESS_KEPT(runs_options, group)},
    {"csv", 0, NULL, "Print CSV, numbers in full", TESS_KEPT(runs_options, csv)},
    {"list-columns", 0, NULL, "List what the runs have, with units", TESS_KEPT(runs_options, list)},
    {.refusal = "'tess runs' takes no '%s'; 'tess show %s' shows a run"},
    {0}};

static const tess_usage usage = {
    .options = options,
    .doc = "List the runs of a lab, oldest first.\v"
           "  tess runs -w 'partitioner = metis*' -k -reuse_factor -c block_size,reuse\n"
           "  tess runs -g partitioner,block_size -c reuse_factor,block_colours\n"
           "A run is named by the beginning of its id, @last or @last~1: tess show @last"};

static tess_status print_csv(const tess_query *query, const tess_shown *columns) {
    fputs(columns->first, stdout);
    for (int k = 0; k < columns->n; k++) {
        putchar(',');
        tess_export_csv_field(columns->columns[k].field.name, stdout);
    }
    for (int64_t i = 0; i < query->n_rows; i++) {
        printf("\n%s", tess_run_table_id(query->table, query->rows[i]));
        for (int k = 0; k < columns->n; k++) {
            char *text = NULL;
            TRY(tess_shown_cell(query, &columns->columns[k], query->rows[i], true, &text));
            putchar(',');
            tess_export_csv_field(text, stdout);
            free(text);
        }
    }
    putchar('\n');
    return TESS_OK;
}

static tess_status print_rows(const tess_query *query, const tess_shown *columns) {
    tess_status status = TESS_OK;
    tess_table *table = NULL;
    const int width = tess_query_id_width(query);
    CHECK(tess_table_new(NULL, &table));
    CHECK(tess_shown_titles(table, columns));
    for (int64_t i = 0; i < query->n_rows; i++) {
        CHECK(tess_table_add_row(table));
        CHECK(tess_table_add_cell(table, "%.*s", width,
                                  tess_run_table_id(query->table, query->rows[i])));
        for (int k = 0; k < columns->n; k++) {
            char *text = NULL;
            CHECK(tess_shown_cell(query, &columns->columns[k], query->rows[i], false, &text));
            status = tess_table_add_cell(table, "%s", text);
            free(text);
            CHECK(status);
        }
    }
    CHECK(tess_table_print(table, stdout));
done:
    tess_table_free(table);
    return status;
}

static tess_status print_json(const tess_query *query) {
    json_t *runs = json_array();
    for (int64_t i = 0; i < query->n_rows; i++)
        json_array_append_new(runs, tess_query_json(query, query->rows[i]));
    return tess_json_print(json_pack("{s:s, s:o, s:o}", "schema", "tess.runs/1", "lab",
                                     tess_json_text(tess_lab_folder(query->lab)), "runs", runs));
}

static tess_status print_columns(const tess_query *query, bool json) {
    json_t *columns = json_array();
    for (int64_t i = 0; json && i < query->table->n_columns; i++) {
        const tess_run_column *column = &query->table->columns[i];
        json_array_append_new(columns, json_pack("{s:s, s:s?}", "name", column->name, "unit",
                                                 column->is_text ? NULL : column->unit));
    }
    if (json)
        return tess_json_print(
            json_pack("{s:s, s:o}", "schema", "tess.columns/1", "columns", columns));
    json_decref(columns);
    for (int64_t i = 0; i < query->table->n_columns; i++) {
        const tess_run_column *column = &query->table->columns[i];
        printf("%-40s %s\n", column->name, column->is_text ? "(text)" : column->unit);
    }
    return TESS_OK;
}

static tess_status print_runs(tess_query *query, const runs_options *asked) {
    if (asked->list)
        return print_columns(query, asked->common.json);
    if (asked->common.json && (!asked->group || query->table->n_rows == 0))
        return print_json(query);
    const char *names = asked->columns ? asked->columns : default_columns;
    const bool usual = strncmp(names, default_columns, strlen(default_columns)) == 0;
    tess_shown columns = {.first = asked->group ? "runs" : "run", .usual = usual};
    TRY(tess_shown_choose(query, names, usual || query->table->n_rows == 0, &columns));
    if (query->n_rows == 0 && !asked->common.quiet)
        fprintf(stderr, "%s\n",
                query->misfit          ? query->misfit
                : query->table->n_rows ? "no run fits"
                                       : "the lab has no runs yet");
    if (asked->group && query->table->n_rows)
        return tess_groups_print(query, asked->group, &columns,
                                 asked->common.json ? TESS_FORM_JSON
                                 : asked->csv       ? TESS_FORM_CSV
                                                    : TESS_FORM_TABLE);
    return asked->csv ? print_csv(query, &columns) : print_rows(query, &columns);
}

static tess_status runs_run(int argc, char **argv) {
    tess_status status = TESS_OK;
    runs_options asked = {.csv = false};
    tess_query *query = NULL;
    CHECK(tess_command_parse(&usage, argc, argv, &asked.common, &asked));
    CHECK(tess_chosen_runs_open(&asked.chosen, asked.common.quiet, &query));
    CHECK(print_runs(query, &asked));
done:
    tess_query_close(query);
    free(asked.columns);
    return status;
}

const tess_command tess_command_runs = {
    .name = "runs", .summary = "List, choose, sort and group the runs of a lab", .run = runs_run};
