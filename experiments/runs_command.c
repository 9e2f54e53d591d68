/* tess runs: the runs of a lab, chosen, sorted and grouped. */
#include "core/array.h"
#include "experiments/command.h"
#include "experiments/exporter.h"
#include "experiments/statistics.h"
#include "experiments/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_CSV = 0x2000, KEY_LIST, MOST_COLUMNS = 64 };

/* What is shown unless columns are named: those of these that some run has. */
static const char default_columns[] =
    "time,mesh,application,loop,partitioner,strategy,layout,device,block_size,outcome,"
    "reuse_factor,block_colours,thread_colours_mean,transfer_total,median_time,bandwidth,"
    "useful_fraction,tags";

typedef struct runs_options {
    tess_common common;
    const char *lab, *where, *sort, *group;
    char *columns; /* owned */
    int64_t limit; /* -1: all */
    bool csv, list;
} runs_options;

static const struct argp_option options[] = {
    {"lab", 'l', "DIR", 0, "The lab (default: TESS_LAB, else ./lab)", 0},
    {"where", 'w', "FILTER", 0,
     "Only runs that fit, as: 'partitioner = \"metis\" and block_size >= 128 and tag:paper'. "
     "= != < <= > >=; ~ holds the text; and, or, not, (...); * and ? as in shells",
     0},
    {"columns", 'c', "NAME,...", 0,
     "Show these columns ('+NAME,...': besides the usual ones); NAME@SOURCE where a metric has "
     "several sources",
     0},
    {"sort", 's', "NAME,...", 0, "Sort by these; -NAME: largest first (default: by time)", 0},
    {"group", 'g', "NAME,...", 0, "One row for each of their values, with medians", 0},
    {"limit", 'n', "N", 0, "Only the last N", 0},
    {"csv", KEY_CSV, NULL, 0, "Print CSV, numbers in full", 0},
    {"list-columns", KEY_LIST, NULL, 0, "List what the runs have, with units", 0},
    {NULL}};

static tess_status set_columns(runs_options *into, const char *names) {
    free(into->columns);
    into->columns = NULL;
    if (*names != '+')
        return tess_text_copy(names, &into->columns);
    if (asprintf(&into->columns, "%s,%s", default_columns, names + 1) < 0)
        FAIL(TESS_ERROR_MEMORY, "out of memory for columns");
    return TESS_OK;
}

static error_t parse(int key, char *value, struct argp_state *state) {
    runs_options *into = state->input;
    char *end = NULL;
    switch (key) {
    case 'l':
        into->lab = value;
        return 0;
    case 'w':
        into->where = value;
        return 0;
    case 'c':
        return tess_command_refuse(set_columns(into, value));
    case 's':
        into->sort = value;
        return 0;
    case 'g':
        into->group = value;
        return 0;
    case 'n':
        into->limit = strtoll(value, &end, 10);
        if (*end || end == value || into->limit < 0)
            return tess_command_refuse(
                tess_fail(TESS_ERROR_USAGE, "--limit takes a number of runs, not '%s'", value));
        return 0;
    case KEY_CSV:
        into->csv = true;
        return 0;
    case KEY_LIST:
        into->list = true;
        return 0;
    case ARGP_KEY_ARG:
        return tess_command_refuse(
            tess_fail(TESS_ERROR_USAGE, "'tess runs' takes no '%s'; 'tess show %s' shows a run",
                      value, value));
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .doc = "The runs of a lab, oldest first.\v"
           "  tess runs -w 'partitioner = metis*' -s -reuse_factor -c partitioner,reuse_factor\n"
           "  tess runs -g partitioner,block_size -c reuse_factor,block_colours\n"
           "A run is named by the beginning of its id, @last or @last~1: tess show @last"};

/* One column shown: a field of the table, or the tags. */
typedef struct shown_column {
    tess_run_field field;
    bool tags;
} shown_column;

typedef struct shown {
    int n;
    shown_column columns[MOST_COLUMNS];
} shown;

/* Chooses the columns named; those of the default that no run has are left out. */
static tess_status choose_columns(const tess_query *query, const char *names, bool lenient,
                                  shown *out) {
    tess_status status = TESS_OK;
    char *copy = NULL, *rest = NULL;
    CHECK(tess_text_copy(names, &copy));
    for (char *name = strtok_r(copy, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        if (out->n == MOST_COLUMNS)
            CHECK(tess_fail(TESS_ERROR_USAGE, "more than %d columns", MOST_COLUMNS));
        shown_column *column = &out->columns[out->n];
        *column = (shown_column){.tags = strcmp(name, "tags") == 0};
        if (column->tags) {
            strcpy(column->field.name, "tags");
            out->n += !lenient || query->tags->n > 0;
        } else if (!lenient) {
            CHECK(tess_run_table_require(query->table, name, &column->field));
            out->n++;
        } else if (tess_run_table_find(query->table, name, &column->field)) {
            out->n += tess_query_has(query, &column->field);
        }
    }
done:
    free(copy);
    return status;
}

/* A cell's text, which the caller frees: numbers in full or for people. */
static tess_status cell_text(const tess_query *query, const shown_column *column, int64_t row,
                             bool full, char **out) {
    char text[40] = "";
    if (column->tags)
        return tess_tags_of(query->tags, tess_run_table_id(query->table, row), out);
    if (column->field.is_text) {
        const char *words = tess_run_text(query->table, &column->field, row);
        if (!full && strcmp(column->field.name, "time") == 0)
            return tess_text_copy(*words ? strndupa(words, 19) : "", out);
        return tess_text_copy(words, out);
    }
    const double number = tess_run_number(query->table, &column->field, row);
    if (!full)
        return tess_text_copy(tess_number_print(number, text), out);
    if (!isnan(number))
        snprintf(text, sizeof text, "%.17g", number);
    return tess_text_copy(text, out);
}

static tess_status print_csv(const tess_query *query, const shown *columns) {
    fputs("run", stdout);
    for (int k = 0; k < columns->n; k++) {
        putchar(',');
        tess_export_csv_field(columns->columns[k].field.name, stdout);
    }
    for (int64_t i = 0; i < query->n_rows; i++) {
        printf("\n%s", tess_run_table_id(query->table, query->rows[i]));
        for (int k = 0; k < columns->n; k++) {
            char *text = NULL;
            TRY(cell_text(query, &columns->columns[k], query->rows[i], true, &text));
            putchar(',');
            tess_export_csv_field(text, stdout);
            free(text);
        }
    }
    putchar('\n');
    return TESS_OK;
}

static tess_status add_titles(tess_table *table, const char *first, const shown *columns) {
    TRY(tess_table_add_column(table, first, TESS_ALIGN_LEFT));
    for (int k = 0; k < columns->n; k++) {
        const tess_run_field *field = &columns->columns[k].field;
        char title[2 * TESS_COLUMN_SIZE];
        const bool has_unit = field->unit && *field->unit && strcmp(field->unit, "1") != 0 &&
                              strcmp(field->unit, "elements") != 0;
        snprintf(title, sizeof title, has_unit ? "%s [%s]" : "%s", field->name, field->unit);
        const bool left = columns->columns[k].tags || field->is_text;
        TRY(tess_table_add_column(table, title, left ? TESS_ALIGN_LEFT : TESS_ALIGN_RIGHT));
    }
    return TESS_OK;
}

static tess_status print_rows(const tess_query *query, const shown *columns) {
    tess_status status = TESS_OK;
    tess_table *table = NULL;
    const int width = tess_query_id_width(query);
    CHECK(tess_table_new(&table));
    CHECK(add_titles(table, "run", columns));
    for (int64_t i = 0; i < query->n_rows; i++) {
        CHECK(tess_table_add_row(table));
        CHECK(tess_table_add_cell(table, "%.*s", width,
                                  tess_run_table_id(query->table, query->rows[i])));
        for (int k = 0; k < columns->n; k++) {
            char *text = NULL;
            CHECK(cell_text(query, &columns->columns[k], query->rows[i], false, &text));
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

/* Adds the row of a group, rows[0 ... n): its values, how many runs, and medians of numbers. */
static tess_status print_group(const tess_query *query, const shown *by, const shown *columns,
                               const int64_t *rows, int64_t n, tess_table *table) {
    tess_status status = TESS_OK;
    double *values = NULL;
    CHECK(TESS_ALLOC(n, &values));
    CHECK(tess_table_add_row(table));
    CHECK(tess_table_add_cell(table, "%lld", (long long)n));
    for (int k = 0; k < by->n; k++) {
        char *text = NULL;
        CHECK(cell_text(query, &by->columns[k], rows[0], false, &text));
        status = tess_table_add_cell(table, "%s", text);
        free(text);
        CHECK(status);
    }
    for (int k = 0; k < columns->n; k++) {
        int64_t n_values = 0;
        for (int64_t i = 0; i < n; i++) {
            const double value = tess_run_number(query->table, &columns->columns[k].field, rows[i]);
            if (!isnan(value))
                values[n_values++] = value;
        }
        char text[32];
        CHECK(tess_table_add_cell(table, "%s",
                                  tess_number_print(tess_median(values, n_values), text)));
    }
done:
    free(values);
    return status;
}

static bool same_group(const tess_query *query, const shown *by, int64_t a, int64_t b) {
    for (int k = 0; k < by->n; k++) {
        const tess_run_field *field = &by->columns[k].field;
        const double x = tess_run_number(query->table, field, a);
        const double y = tess_run_number(query->table, field, b);
        if (field->is_text ? strcmp(tess_run_text(query->table, field, a),
                                    tess_run_text(query->table, field, b)) != 0
                           : x != y && !(isnan(x) && isnan(y)))
            return false;
    }
    return true;
}

static tess_status print_groups(tess_query *query, const char *names, const shown *all) {
    tess_status status = TESS_OK;
    tess_table *table = NULL;
    shown by = {0}, columns = {0}, titles = {0};
    CHECK(choose_columns(query, names, false, &by));
    for (int k = 0; k < all->n; k++)
        if (!all->columns[k].tags && !all->columns[k].field.is_text)
            columns.columns[columns.n++] = all->columns[k];
    titles = by;
    for (int k = 0; k < columns.n && titles.n < MOST_COLUMNS; k++)
        titles.columns[titles.n++] = columns.columns[k];
    columns.n = titles.n - by.n;
    CHECK(tess_query_sort(query, names));
    CHECK(tess_table_new(&table));
    CHECK(add_titles(table, "runs", &titles));
    for (int64_t first = 0, i = 1; i <= query->n_rows; i++) {
        if (i < query->n_rows && same_group(query, &by, query->rows[first], query->rows[i]))
            continue;
        CHECK(print_group(query, &by, &columns, query->rows + first, i - first, table));
        first = i;
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
    return tess_json_print(json_pack("{s:s, s:s, s:o}", "schema", "tess-runs-1", "lab",
                                     tess_lab_folder(query->lab), "runs", runs));
}

static tess_status print_columns(const tess_query *query) {
    for (int64_t i = 0; i < query->table->n_columns; i++) {
        const tess_run_column *column = &query->table->columns[i];
        printf("%-40s %s\n", column->name, column->is_text ? "(text)" : column->unit);
    }
    return TESS_OK;
}

static tess_status print_runs(tess_query *query, const runs_options *asked) {
    if (asked->list)
        return print_columns(query);
    if (asked->common.json)
        return print_json(query);
    const bool lenient = !asked->columns || query->table->n_rows == 0;
    shown columns = {0};
    TRY(choose_columns(query, asked->columns ? asked->columns : default_columns,
                       lenient || strncmp(asked->columns, default_columns, 20) == 0, &columns));
    if (asked->csv)
        return print_csv(query, &columns);
    if (query->n_rows == 0 && !asked->common.quiet)
        fprintf(stderr, query->table->n_rows ? "no run fits\n" : "the lab has no runs yet\n");
    return asked->group ? print_groups(query, asked->group, &columns) : print_rows(query, &columns);
}

static tess_status runs_run(int argc, char **argv) {
    tess_status status = TESS_OK;
    runs_options asked = {.limit = -1};
    tess_query *query = NULL;
    CHECK(tess_command_parse(&argp, argc, argv, &asked.common, &asked));
    CHECK(tess_query_open(asked.lab, &query));
    if (query->n_unreadable)
        fprintf(stderr, "tess: warning: %lld runs cannot be read and are left out: %s\n",
                (long long)query->n_unreadable, tess_message());
    if (asked.where)
        CHECK(tess_query_filter(query, asked.where));
    if (asked.sort)
        CHECK(tess_query_sort(query, asked.sort));
    if (asked.limit >= 0)
        tess_query_keep_last(query, asked.limit);
    CHECK(print_runs(query, &asked));
done:
    tess_query_close(query);
    free(asked.columns);
    return status;
}

const tess_command tess_command_runs = {
    .name = "runs", .summary = "List, choose, sort and group the runs of a lab", .run = runs_run};
