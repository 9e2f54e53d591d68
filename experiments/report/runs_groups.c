/* Groups of runs: one row for each combination of some values, with medians of the rest. */
#include "core/base/json.h"
#include "core/base/statistics.h"
#include "experiments/archive/export/exporter.h"
#include "experiments/report/json_print.h"
#include "experiments/report/shown.h"

#include "core/base/array.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Groups being printed. */
typedef struct group_printer {
    const tess_query *query;
    tess_shown by, medians;
    tess_shown_form form;
    tess_table *table;
    json_t *list;
} group_printer;

/* The median of a field over rows [n], NaN where none has it. */
static tess_status median_of(const tess_query *query, const tess_run_field *field,
                             const int64_t *rows, int64_t n, double *median) {
    double *values = NULL;
    int64_t n_values = 0;
    TRY(TESS_ALLOC(n, &values));
    for (int64_t i = 0; i < n; i++) {
        const double value = tess_run_number(query->table, field, rows[i]);
        if (!isnan(value))
            values[n_values++] = value;
    }
    *median = tess_median(values, n_values);
    free(values);
    return TESS_OK;
}

static tess_status add_cell(const group_printer *print, const char *text) {
    if (print->form == TESS_FORM_TABLE)
        return tess_table_add_cell(print->table, "%s", text);
    putchar(',');
    tess_export_csv_field(text, stdout);
    return TESS_OK;
}

/* The row of a group as cells of a table or fields of CSV. */
static tess_status print_row(const group_printer *print, const int64_t *rows, int64_t n) {
    const bool full = print->form == TESS_FORM_CSV;
    if (full) {
        printf("%lld", (long long)n);
    } else {
        TRY(tess_table_add_row(print->table));
        TRY(tess_table_add_cell(print->table, "%lld", (long long)n));
    }
    for (int k = 0; k < print->by.n; k++) {
        const tess_shown_column *column = &print->by.columns[k];
        const bool alone =
            strcmp(column->field.name, "partitioner") == 0; /* whatever --refine was */
        char *text = NULL;
        TRY(tess_shown_cell(print->query, column, rows[0], full || alone, &text));
        const tess_status status = add_cell(print, text);
        free(text);
        TRY(status);
    }
    for (int k = 0; k < print->medians.n; k++) {
        double median = NAN;
        char text[40] = "";
        TRY(median_of(print->query, &print->medians.columns[k].field, rows, n, &median));
        if (!isnan(median))
            snprintf(text, sizeof text, "%.17g", median);
        const double scale = tess_shown_scale(&print->medians.columns[k].field);
        TRY(add_cell(print, full ? text : tess_number_print(scale * median, text)));
    }
    if (full)
        putchar('\n');
    return TESS_OK;
}

static tess_status append_json(const group_printer *print, const int64_t *rows, int64_t n) {
    json_t *group = json_pack("{s:I}", "runs", (json_int_t)n);
    const tess_run_table *table = print->query->table;
    for (int k = 0; k < print->by.n; k++) {
        const tess_run_field *field = &print->by.columns[k].field;
        json_object_set_new(group, field->name,
                            field->is_text
                                ? json_string(tess_run_text(table, field, rows[0]))
                                : tess_json_number(tess_run_number(table, field, rows[0])));
    }
    for (int k = 0; k < print->medians.n; k++) {
        const tess_run_field *field = &print->medians.columns[k].field;
        double median = NAN;
        const tess_status status = median_of(print->query, field, rows, n, &median);
        if (status != TESS_OK) {
            json_decref(group);
            return status;
        }
        json_object_set_new(group, field->name, tess_json_number(median));
    }
    json_array_append_new(print->list, group);
    return TESS_OK;
}

static bool same_group(const group_printer *print, int64_t a, int64_t b) {
    const tess_run_table *table = print->query->table;
    for (int k = 0; k < print->by.n; k++) {
        const tess_run_field *field = &print->by.columns[k].field;
        const double x = tess_run_number(table, field, a), y = tess_run_number(table, field, b);
        if (field->is_text
                ? strcmp(tess_run_text(table, field, a), tess_run_text(table, field, b)) != 0
                : x != y && !(isnan(x) && isnan(y)))
            return false;
    }
    return true;
}

static tess_status print_titles(const group_printer *print) {
    tess_shown both = print->by;
    both.usual = print->medians.usual;
    both.n_asked = print->by.n;
    for (int k = 0; k < print->medians.n; k++)
        both.columns[both.n++] = print->medians.columns[k];
    if (print->form == TESS_FORM_TABLE)
        return tess_shown_titles(print->table, &both);
    if (print->form == TESS_FORM_JSON)
        return TESS_OK;
    fputs(both.first, stdout);
    for (int k = 0; k < both.n; k++)
        printf(",%s", both.columns[k].field.name);
    putchar('\n');
    return TESS_OK;
}

/* The shown columns that have medians, as many as fit beside the others. */
static void choose_medians(const tess_shown *shown, group_printer *print) {
    for (int k = 0; k < shown->n && print->by.n + print->medians.n < TESS_MOST_SHOWN; k++)
        if (!shown->columns[k].tags && !shown->columns[k].field.is_text &&
            !tess_shown_has(&print->by, shown->columns[k].field.name))
            print->medians.columns[print->medians.n++] = shown->columns[k];
}

tess_status tess_groups_print(tess_query *query, const char *by, const tess_shown *shown,
                              tess_shown_form form) {
    tess_status status = TESS_OK;
    group_printer print = {
        .query = query, .form = form, .by.first = shown->first, .list = json_array()};
    CHECK(tess_shown_choose(query, by, false, &print.by));
    print.medians.usual = shown->usual;
    choose_medians(shown, &print);
    CHECK(tess_query_sort(query, by));
    CHECK(tess_table_new(NULL, &print.table));
    CHECK(print_titles(&print));
    for (int64_t first = 0, i = 1; i <= query->n_rows; i++) {
        if (i < query->n_rows && same_group(&print, query->rows[first], query->rows[i]))
            continue;
        CHECK(form == TESS_FORM_JSON ? append_json(&print, query->rows + first, i - first)
                                     : print_row(&print, query->rows + first, i - first));
        first = i;
    }
    if (form == TESS_FORM_JSON)
        CHECK(tess_json_print(
            json_pack("{s:s, s:O}", "schema", "tess.groups/1", "groups", print.list)));
    else if (form == TESS_FORM_TABLE)
        CHECK(tess_table_print(print.table, stdout));
done:
    json_decref(print.list);
    tess_table_free(print.table);
    return status;
}
