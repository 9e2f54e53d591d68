/* Exporters of tables: CSV, JSON and Markdown. */
#include "core/plan/quantity.h"
#include "experiments/archive/export/exporter.h"
#include "experiments/archive/record.h"

#include <math.h>
#include <string.h>

/* A cell of any column in full; `number` has 40 bytes. */
static const char *cell_text(const tess_query *query, const tess_run_column *column, int64_t row,
                             char *number) {
    if (column->is_text)
        return tess_run_column_text(query->table, column, row);
    const double value = tess_run_column_number(query->table, column, row);
    snprintf(number, 40, "%.17g", value);
    return isnan(value) ? "" : number;
}

/* The name of a column, with its source only where the lab has a metric from several. */
static void write_csv_title(const tess_run_table *table, int64_t k, FILE *stream) {
    const char *name = table->columns[k].name;
    const size_t length = strcspn(name, "@");
    int n_sources = 0;
    for (int64_t i = 0; i < table->n_columns; i++)
        n_sources += strncmp(table->columns[i].name, name, length) == 0 &&
                     strcspn(table->columns[i].name, "@") == length;
    tess_export_csv_field(n_sources == 1 ? strndupa(name, length) : name, stream);
}

static tess_status write_csv(const tess_query *query, FILE *stream) {
    const tess_run_table *table = query->table;
    for (int64_t k = 0; k < table->n_columns; k++) {
        fputs(k ? "," : "", stream);
        write_csv_title(table, k, stream);
    }
    fputc('\n', stream);
    for (int64_t i = 0; i < query->n_rows; i++) {
        for (int64_t k = 0; k < table->n_columns; k++) {
            char number[40];
            fputs(k ? "," : "", stream);
            tess_export_csv_field(cell_text(query, &table->columns[k], query->rows[i], number),
                                  stream);
        }
        fputc('\n', stream);
    }
    return TESS_OK;
}

static tess_status append_record(void *list, const tess_record *record) {
    json_t *object = tess_record_json(record);
    if (!object || json_array_append_new(list, object) != 0)
        FAIL(TESS_ERROR_MEMORY, "out of memory: the JSON cannot be made");
    return TESS_OK;
}

static tess_status write_json(const tess_query *query, FILE *stream) {
    json_t *list = json_array();
    const tess_status status = tess_export_records(query, list, append_record);
    if (status != TESS_OK) {
        json_decref(list);
        return status;
    }
    return tess_export_json(json_pack("{s:s, s:o}", "schema", "tess.export/1", "runs", list),
                            stream);
}

/* A text in a cell of a Markdown table. */
static void write_markdown_text(const char *text, FILE *stream) {
    for (; *text; text++) {
        if (*text == '|' || *text == '\\')
            fputc('\\', stream);
        fputc(*text == '\n' ? ' ' : *text, stream);
    }
}

/* The words of tables, with the unit where they say none. */
static void write_markdown_title(const tess_run_field *field, FILE *stream) {
    const tess_quantity *title = tess_title_of(field->name);
    const bool says_unit = title && title->scale != 1;
    const bool has_unit = !says_unit && strcmp(field->unit, "1") != 0 && *field->unit;
    fprintf(stream, has_unit ? " %s [%s] |" : " %s |", title ? title->title : field->name,
            field->unit);
}

/* What tables show of a value; `number` has 32 bytes. */
static const char *markdown_cell(const tess_run_table *table, const tess_run_field *field,
                                 int64_t row, char number[32]) {
    if (field->is_text)
        return tess_run_text(table, field, row);
    const tess_quantity *title = tess_title_of(field->name);
    const double shown = tess_run_number(table, field, row) * (title ? title->scale : 1);
    return tess_number_print(shown, number);
}

static tess_status write_markdown(const tess_query *query, FILE *stream) {
    static const char *const names[] = {"mesh",           "loop",          "partitioner",
                                        "strategy",       "layouts",       "device",
                                        "block_size",     "outcome",       "reuse_factor",
                                        "fill",           "block_colours", "thread_colours_mean",
                                        "transfer_total", "median_time",   "bandwidth"};
    enum { N = sizeof names / sizeof *names };
    tess_run_field fields[N];
    int n = 0;
    for (int k = 0; k < N; k++)
        n += tess_run_table_find(query->table, names[k], &fields[n]) &&
             tess_query_has(query, &fields[n]);
    fputs("| run |", stream);
    for (int k = 0; k < n; k++)
        write_markdown_title(&fields[k], stream);
    fputs("\n| --- |", stream);
    for (int k = 0; k < n; k++)
        fputs(fields[k].is_text ? " --- |" : " ---: |", stream);
    for (int64_t i = 0; i < query->n_rows; i++) {
        const int64_t row = query->rows[i];
        fprintf(stream, "\n| %.*s |", tess_query_id_width(query),
                tess_run_table_id(query->table, row));
        for (int k = 0; k < n; k++) {
            char number[32];
            fputc(' ', stream);
            write_markdown_text(markdown_cell(query->table, &fields[k], row, number), stream);
            fputs(" |", stream);
        }
    }
    fputc('\n', stream);
    return TESS_OK;
}

const tess_exporter tess_exporter_csv = {
    .name = "csv", .summary = "a table of all scalars, numbers in full", .write = write_csv};
const tess_exporter tess_exporter_json = {
    .name = "json", .summary = "everything, samples included", .write = write_json};
const tess_exporter tess_exporter_markdown = {
    .name = "markdown", .summary = "a table for a page or an issue", .write = write_markdown};
