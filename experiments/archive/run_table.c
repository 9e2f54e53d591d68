/* A run table: all scalars of all runs, and its file, the index of a lab. */
#include "experiments/archive/run_table.h"
#include "core/plan/quantity.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include "core/base/statistics.h"
#include "core/base/unknown_name.h"
#include "data/archive/archive_reader.h"
#include "data/archive/archive_writer.h"
#include "experiments/archive/run_file.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Sources by which a name without source is looked up, the surest first. */
static const char *const sources[] = {"plan",   "counter",  "timer",  "driver",
                                      "system", "emulator", "sample", "model"};

enum { WIDEST_TEXT = 256 /* bytes in a cell with the closing zero; longer texts are cut */ };

/* A scalar on its way into a table. */
typedef struct scalar {
    const char *name, *text, *unit; /* text NULL: a number only */
    double number;                  /* NaN: a text only */
} scalar;

typedef tess_status (*scalar_visitor)(void *context, const scalar *value);

static tess_run_column *column_find(const tess_run_table *table, const char *name) {
    for (int64_t i = 0; i < table->n_columns; i++)
        if (strcmp(table->columns[i].name, name) == 0)
            return &table->columns[i];
    return NULL;
}

/* Declares a column, or makes room in it: as a visitor, the first pass. */
static tess_status declare(void *context, const scalar *value) {
    tess_run_table *table = context;
    const bool is_text = isnan(value->number) && value->text;
    tess_run_column *column = column_find(table, value->name);
    if (!column) {
        TRY(TESS_RESERVE(table->n_columns + 1, &table->columns_capacity, &table->columns));
        column = &table->columns[table->n_columns++];
        *column = (tess_run_column){.is_text = is_text, .width = 1};
        snprintf(column->name, sizeof column->name, "%s", value->name);
        snprintf(column->unit, sizeof column->unit, "%s", is_text ? "" : value->unit);
    }
    column->is_text |= is_text;
    const size_t length = value->text ? strlen(value->text) + 1 : 32; /* a number in print */
    if (length > column->width)
        column->width = length < WIDEST_TEXT ? length : WIDEST_TEXT;
    return TESS_OK;
}

/* A row being filled. */
typedef struct row_target {
    const tess_run_table *table;
    char *row;
} row_target;

/* Puts a value into its column: as a visitor, the second pass. */
static tess_status store(void *context, const scalar *value) {
    const row_target *target = context;
    const tess_run_column *column = column_find(target->table, value->name);
    char *cell = target->row + column->offset;
    if (!column->is_text)
        memcpy(cell, &value->number, sizeof value->number);
    else if (value->text)
        snprintf(cell, column->width, "%s", value->text);
    else if (!isnan(value->number))
        snprintf(cell, column->width, "%.15g", value->number);
    return TESS_OK;
}

static tess_status visit_text(const char *name, const char *text, scalar_visitor visit,
                              void *context) {
    return visit(context, &(scalar){name, text, "", NAN});
}

/* Whether a run has a column of this name anyway, whatever its settings are. */
static bool is_own(const char *name) {
    static const char *const own[] = {"run",         "time",        "outcome",
                                      "mesh_digest", "plan_digest", "tags"};
    bool found = strncmp(name, "median_", strlen("median_")) == 0;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        found |= strcmp(name, own[i]) == 0;
    return found;
}

static tess_status visit_values(const tess_values *values, scalar_visitor visit, void *context) {
    for (int64_t i = 0; i < values->n; i++) {
        const tess_value *value = &values->items[i];
        char name[TESS_COLUMN_SIZE];
        snprintf(name, sizeof name, "%s%s", is_own(value->key) ? "setting:" : "", value->key);
        TRY(visit(context, &(scalar){name, value->text, value->unit, value->number}));
    }
    return TESS_OK;
}

static tess_status visit_record(const tess_record *record, scalar_visitor visit, void *context) {
    char name[TESS_COLUMN_SIZE];
    TRY(visit_text("run", record->id, visit, context));
    TRY(visit_text("time", record->time, visit, context));
    TRY(visit_text("outcome", tess_outcome_name(record->outcome), visit, context));
    TRY(visit_text("mesh_digest", record->mesh, visit, context));
    TRY(visit_text("plan_digest", record->plan, visit, context));
    TRY(visit_values(&record->configuration, visit, context));
    TRY(visit_values(&record->environment, visit, context));
    for (int64_t i = 0; i < record->steps.n; i++) {
        const tess_value *step = &record->steps.items[i];
        snprintf(name, sizeof name, "%s_seconds", step->key);
        TRY(visit(context, &(scalar){name, NULL, step->unit, step->number}));
    }
    for (int64_t i = 0; i < record->n_series; i++) {
        const tess_series *series = &record->series[i];
        double median = NAN;
        if (tess_series_is_timing(series->name))
            continue;
        TRY(tess_median_of(series->values, series->n, &median));
        snprintf(name, sizeof name, "median_%s", series->name);
        TRY(visit(context, &(scalar){name, NULL, series->unit, median}));
    }
    for (int64_t i = 0; i < record->n_measures; i++) {
        const tess_measure *measure = &record->measures[i];
        snprintf(name, sizeof name, "%s@%s", measure->name, measure->source);
        TRY(visit(context, &(scalar){name, NULL, measure->unit, measure->value}));
    }
    return TESS_OK;
}

static tess_status visit_row(const tess_run_table *table, int64_t row, scalar_visitor visit,
                             void *context) {
    for (int64_t i = 0; i < table->n_columns; i++) {
        const tess_run_column *column = &table->columns[i];
        scalar value = {column->name, NULL, column->unit, NAN};
        if (column->is_text)
            value.text = tess_run_column_text(table, column, row);
        else
            value.number = tess_run_column_number(table, column, row);
        TRY(visit(context, &value));
    }
    return TESS_OK;
}

/* Gives each column its place: numbers first, so that they are aligned. */
static void lay_out(tess_run_table *table) {
    size_t offset = 0;
    for (int texts = 0; texts < 2; texts++) {
        for (int64_t i = 0; i < table->n_columns; i++) {
            tess_run_column *column = &table->columns[i];
            if (column->is_text != texts)
                continue;
            column->width = texts ? column->width : sizeof(double);
            column->offset = offset;
            offset += column->width;
        }
    }
    table->row_size = (offset + 7) & ~(size_t)7;
}

/* Fills a row with what a run has that has nothing. */
static void clear_row(const tess_run_table *table, char *row) {
    const double nothing = NAN;
    memset(row, 0, table->row_size);
    for (int64_t i = 0; i < table->n_columns; i++)
        if (!table->columns[i].is_text)
            memcpy(row + table->columns[i].offset, &nothing, sizeof nothing);
}

/* Gives which rows of a table are of runs among `ids`: kept [n_rows]. */
static tess_status rows_kept(const tess_run_table *table, char *const *ids, int64_t n_ids,
                             bool **kept, int64_t *n_kept) {
    *n_kept = 0;
    TRY(TESS_ZEROS(table ? table->n_rows : 0, kept));
    for (int64_t row = 0; table && row < table->n_rows; row++) {
        const char *id = tess_run_table_id(table, row);
        (*kept)[row] = bsearch(&id, ids, (size_t)n_ids, sizeof *ids, tess_compare_texts) != NULL;
        *n_kept += (*kept)[row];
    }
    return TESS_OK;
}

static tess_status declare_columns(const tess_run_table *table, tess_record *const *records,
                                   int64_t n_records, tess_run_table *built) {
    TRY(declare(built, &(scalar){"run", "", "", NAN})); /* the first, also of an empty table */
    for (int64_t i = 0; table && i < table->n_columns; i++) {
        const tess_run_column *column = &table->columns[i];
        const scalar value = {column->name, column->is_text ? "" : NULL, column->unit, NAN};
        TRY(declare(built, &value));
        tess_run_column *same = column_find(built, column->name);
        same->width = column->width > same->width ? column->width : same->width;
    }
    for (int64_t i = 0; i < n_records; i++)
        TRY(visit_record(records[i], declare, built));
    lay_out(built);
    return TESS_OK;
}

/* Merges the kept rows and the records by their ids. */
static tess_status fill_rows(const tess_run_table *table, const bool *kept,
                             tess_record *const *records, int64_t n_records,
                             tess_run_table *built) {
    int64_t row = 0, record = 0;
    while (built->n_rows < INT64_MAX) {
        while (table && row < table->n_rows && !kept[row])
            row++;
        const bool has_row = table && row < table->n_rows;
        if (!has_row && record >= n_records)
            break;
        row_target target = {built, built->rows + (size_t)built->n_rows * built->row_size};
        clear_row(built, target.row);
        int order = has_row ? -1 : 1; /* 0: a row and a record of one run */
        if (has_row && record < n_records)
            order = strcmp(tess_run_table_id(table, row), records[record]->id);
        TRY(order < 0 ? visit_row(table, row, store, &target)
                      : visit_record(records[record], store, &target));
        row += has_row && order <= 0;
        record += order >= 0;
        built->n_rows++;
    }
    return TESS_OK;
}

tess_status tess_run_table_build(const tess_run_table *table, char *const *ids, int64_t n_ids,
                                 tess_record *const *records, int64_t n_records,
                                 tess_run_table **out) {
    tess_status status = TESS_OK;
    tess_run_table *built = NULL;
    bool *kept = NULL;
    int64_t n_kept = 0;
    CHECK(TESS_ZEROS(1, &built));
    CHECK(rows_kept(table, ids, n_ids, &kept, &n_kept));
    CHECK(declare_columns(table, records, n_records, built));
    CHECK(tess_array_alloc(n_kept + n_records, built->row_size, (void **)&built->rows));
    CHECK(fill_rows(table, kept, records, n_records, built));
    *out = TESS_TAKE(built);
done:
    free(kept);
    tess_run_table_free(built);
    return status;
}

void tess_run_table_free(tess_run_table *table) {
    if (!table)
        return;
    free(table->columns);
    free(table->rows);
    free(table);
}

bool tess_run_table_find(const tess_run_table *table, const char *name, tess_run_field *field) {
    const tess_quantity *title = tess_title_find(name);
    *field = (tess_run_field){.unit = "", .scale = title ? title->scale : 1};
    if (strlen(name) >= sizeof field->name)
        return false;
    strcpy(field->name, tess_recorded_name(name));
    tess_metric_rename(field->name);
    const tess_run_column *column = column_find(table, field->name);
    if (column)
        field->columns[field->n_columns++] = column;
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        char sourced[2 * TESS_COLUMN_SIZE];
        snprintf(sourced, sizeof sourced, "%s@%s", field->name, sources[i]);
        column = column_find(table, sourced);
        if (column)
            field->columns[field->n_columns++] = column;
    }
    if (!field->n_columns)
        return false;
    field->is_text = field->columns[0]->is_text;
    field->unit = field->columns[0]->unit;
    return true;
}

tess_status tess_run_table_require(const tess_run_table *table, const char *name,
                                   tess_run_field *field) {
    if (tess_run_table_find(table, name, field))
        return TESS_OK;
    tess_unknown_name unknown = tess_unknown_name_of(name);
    for (int64_t i = 0; i < table->n_columns; i++) {
        const char *full = table->columns[i].name;
        char bare[TESS_COLUMN_SIZE];
        snprintf(bare, sizeof bare, "%.*s", (int)strcspn(full, "@"), full);
        tess_unknown_name_add(&unknown, bare);
        const tess_quantity *title = tess_title_of(bare);
        if (title)
            tess_unknown_name_offer(&unknown, title->title);
    }
    return tess_unknown_name_fail(
        "no run has", &unknown,
        (tess_unknown_words){"?", ": 'tess runs --list-columns' lists what the runs have"});
}

double tess_run_column_number(const tess_run_table *table, const tess_run_column *column,
                              int64_t row) {
    if (column->is_text)
        return NAN;
    double number;
    memcpy(&number, table->rows + (size_t)row * table->row_size + column->offset, sizeof number);
    return number;
}

const char *tess_run_column_text(const tess_run_table *table, const tess_run_column *column,
                                 int64_t row) {
    return column->is_text ? table->rows + (size_t)row * table->row_size + column->offset : "";
}

double tess_run_number(const tess_run_table *table, const tess_run_field *field, int64_t row) {
    double number = NAN;
    for (int i = 0; i < field->n_columns && isnan(number); i++)
        number = tess_run_column_number(table, field->columns[i], row);
    return number;
}

const char *tess_run_text(const tess_run_table *table, const tess_run_field *field, int64_t row) {
    const char *text = "";
    for (int i = 0; i < field->n_columns && !*text; i++)
        text = tess_run_column_text(table, field->columns[i], row);
    return text;
}

const char *tess_run_table_id(const tess_run_table *table, int64_t row) {
    return tess_run_column_text(table, &table->columns[0], row);
}

/* Rises when a run table holds something else: indexes of other revisions are made again. */
enum { REVISION = 6 };

enum { KIND_SIZE = 8, DEFINITION_COLUMNS = 3, WIDEST_STORED = 1 << 20 };

/* A column of the run table as a row of /columns. */
typedef struct definition {
    char name[TESS_COLUMN_SIZE];
    char unit[TESS_NAME_SIZE];
    char kind[KIND_SIZE];
} definition;

static const tess_archive_column definition_columns[DEFINITION_COLUMNS] = {
    {"name", TESS_ARCHIVE_TEXT, TESS_COLUMN_SIZE, offsetof(definition, name)},
    {"unit", TESS_ARCHIVE_TEXT, TESS_NAME_SIZE, offsetof(definition, unit)},
    {"kind", TESS_ARCHIVE_TEXT, KIND_SIZE, offsetof(definition, kind)},
};

static const tess_archive_row definition_row = {definition_columns, DEFINITION_COLUMNS,
                                                sizeof(definition)};

/* Gives the layout of the run table's rows; the caller frees its columns. */
static tess_status row_of(const tess_run_table *table, tess_archive_row *out) {
    tess_archive_column *columns = NULL;
    TRY(TESS_ALLOC(table->n_columns, &columns));
    for (int64_t i = 0; i < table->n_columns; i++) {
        const tess_run_column *column = &table->columns[i];
        columns[i] = (tess_archive_column){
            column->name, column->is_text ? TESS_ARCHIVE_TEXT : TESS_ARCHIVE_DOUBLE, column->width,
            column->offset};
    }
    *out = (tess_archive_row){columns, (int)table->n_columns, table->row_size};
    return TESS_OK;
}

static tess_status write_definitions(const tess_run_table *table, tess_archive_writer *file) {
    definition *rows = NULL;
    TRY(TESS_ZEROS(table->n_columns, &rows));
    for (int64_t i = 0; i < table->n_columns; i++) {
        strcpy(rows[i].name, table->columns[i].name);
        strcpy(rows[i].unit, table->columns[i].unit);
        strcpy(rows[i].kind, table->columns[i].is_text ? "text" : "number");
    }
    const tess_status status =
        tess_archive_write_table(file, "/columns", &definition_row, table->n_columns, rows, "1");
    free(rows);
    return status;
}

static tess_status write_index(const tess_run_table *table, const char *path) {
    tess_status status = TESS_OK;
    tess_archive_writer *file = NULL;
    tess_archive_row row = {.columns = NULL};
    CHECK(tess_archive_create("index", &file));
    CHECK(row_of(table, &row));
    CHECK(tess_archive_attribute_int(file, "/", "revision", REVISION));
    CHECK(write_definitions(table, file));
    CHECK(tess_archive_write_table(file, "/runs", &row, table->n_rows, table->rows, "in /columns"));
    CHECK(tess_archive_commit(file, path));
done:
    free((void *)row.columns);
    tess_archive_writer_free(file);
    return status;
}

/* Fills the table's columns with their places from /columns. */
static tess_status read_definitions(const tess_archive_reader *file, tess_run_table *table) {
    tess_status status = TESS_OK;
    definition *rows = NULL;
    int64_t n = 0;
    size_t offset = 0;
    CHECK(tess_archive_read_table(file, "/columns", &definition_row, &n, (void **)&rows));
    CHECK(TESS_ZEROS(n, &table->columns));
    table->n_columns = table->columns_capacity = n;
    for (int64_t i = 0; i < n; i++) {
        tess_run_column *column = &table->columns[i];
        strcpy(column->name, rows[i].name);
        strcpy(column->unit, rows[i].unit);
        column->is_text = strcmp(rows[i].kind, "text") == 0;
        column->width = sizeof(double);
        if (column->is_text) {
            CHECK(tess_archive_text_width(file, "/runs", column->name, &column->width));
            column->width++; /* for the closing zero */
        }
        if (column->width > WIDEST_STORED)
            CHECK(tess_archive_damaged(file, "the column %s is too wide", column->name));
        column->offset = offset;
        offset += column->width;
    }
    table->row_size = offset;
    if (n < 1 || strcmp(table->columns[0].name, "run") != 0 || !table->columns[0].is_text)
        CHECK(tess_archive_damaged(file, "its first column is not the run"));
done:
    free(rows);
    return status;
}

/* Fails unless the rows are sorted by id, each once. */
static tess_status check_order(const tess_archive_reader *file, const tess_run_table *table) {
    for (int64_t i = 1; i < table->n_rows; i++)
        if (strcmp(tess_run_table_id(table, i - 1), tess_run_table_id(table, i)) >= 0)
            return tess_archive_damaged(file, "row %lld is out of order", (long long)i);
    return TESS_OK;
}

static tess_status read_index(const char *path, tess_run_table **out) {
    tess_status status = TESS_OK;
    tess_archive_reader *file = NULL;
    tess_run_table *table = NULL;
    tess_archive_row row = {.columns = NULL};
    int64_t revision = 0;
    TRY(tess_archive_open(path, "index", &file));
    CHECK(tess_archive_read_attribute_int(file, "/", "revision", &revision));
    if (revision != REVISION)
        CHECK(tess_archive_damaged(file, "this index is of another tess"));
    CHECK(TESS_ZEROS(1, &table));
    CHECK(read_definitions(file, table));
    CHECK(row_of(table, &row));
    CHECK(tess_archive_read_table(file, "/runs", &row, &table->n_rows, (void **)&table->rows));
    CHECK(check_order(file, table));
    *out = TESS_TAKE(table);
done:
    free((void *)row.columns);
    tess_run_table_free(table);
    tess_archive_reader_free(file);
    return status;
}

/* The runs of a lab by their files, and those that were read of them. */
typedef struct runs {
    char **ids; /* [n_ids], sorted */
    tess_record **records;
    int64_t n_ids, n_records, n_unreadable;
} runs;

static void runs_clear(runs *of) {
    for (int64_t i = 0; of->records && i < of->n_records; i++)
        tess_record_free(of->records[i]);
    free(of->records);
    tess_lab_names_free(of->ids);
}

static bool has_row(const tess_run_table *table, int64_t row, const char *id) {
    return table && row < table->n_rows && strcmp(tess_run_table_id(table, row), id) == 0;
}

/* Reads the runs that the table (NULL: none), sorted as they are, lacks. */
static tess_status read_new_runs(const tess_lab *lab, const tess_run_table *table,
                                 tess_index_progress progress, runs *of) {
    int64_t row = 0;
    for (int64_t i = 0; i < of->n_ids; i++) {
        while (table && row < table->n_rows &&
               strcmp(tess_run_table_id(table, row), of->ids[i]) < 0)
            row++;
        if (has_row(table, row, of->ids[i]))
            continue;
        char path[TESS_PATH_SIZE];
        TRY(tess_lab_path(lab, path, "runs/%s.hdf", of->ids[i]));
        tess_record *record = NULL;
        const tess_status status = tess_run_file_read_scalars(path, &record);
        if (status == TESS_ERROR_MEMORY)
            return status;
        if (status == TESS_OK) {
            /* A record's name is its file's: the table is sorted by it. */
            snprintf(record->id, TESS_RUN_ID_SIZE, "%s", of->ids[i]);
            of->records[of->n_records++] = record;
        } else {
            of->n_unreadable++;
        }
        if (progress)
            progress(of->n_records, of->n_ids);
    }
    return TESS_OK;
}

/* It is derived: where it cannot be written, the next reader makes it again. */
static void keep_index(const tess_lab *lab, const tess_run_table *table, const char *path) {
    if (access(tess_lab_folder(lab), W_OK) == 0 && write_index(table, path) != TESS_OK)
        unlink(path);
}

static tess_status update(const tess_lab *lab, const char *path, tess_index_progress progress,
                          tess_run_table **table, int64_t *n_unreadable) {
    tess_status status = TESS_OK;
    runs all = {.ids = NULL};
    tess_run_table *built = NULL;
    CHECK(tess_lab_names(lab, "runs", &all.ids, &all.n_ids));
    CHECK(TESS_ZEROS(all.n_ids, &all.records));
    CHECK(read_new_runs(lab, *table, progress, &all));
    *n_unreadable = all.n_unreadable;
    if (*table && all.n_records == 0 && (*table)->n_rows == all.n_ids - all.n_unreadable)
        goto done; /* nothing has come, nothing has gone */
    CHECK(tess_run_table_build(*table, all.ids, all.n_ids, all.records, all.n_records, &built));
    tess_run_table_free(*table);
    *table = built;
    keep_index(lab, built, path);
done:
    runs_clear(&all);
    return status;
}

/* Gives NULL where it is missing, damaged or of another version: it is made again from the runs. */
static void read_index_if_any(const char *path, tess_run_table **out) {
    if (access(path, R_OK) != 0 || read_index(path, out) != TESS_OK)
        *out = NULL;
}

tess_status tess_lab_table(const tess_lab *lab, tess_index_progress progress, tess_run_table **out,
                           int64_t *n_unreadable) {
    char path[TESS_PATH_SIZE];
    tess_run_table *table = NULL;
    TRY(tess_lab_path(lab, path, "index.hdf"));
    read_index_if_any(path, &table);
    const tess_status status = update(lab, path, progress, &table, n_unreadable);
    if (status != TESS_OK) {
        tess_run_table_free(table);
        return status;
    }
    *out = table;
    return TESS_OK;
}

tess_status tess_lab_table_add(const tess_lab *lab, tess_record *const *records, int64_t n) {
    tess_status status = TESS_OK;
    char path[TESS_PATH_SIZE], **ids = NULL;
    int64_t n_ids = 0;
    tess_run_table *table = NULL, *built = NULL;
    CHECK(tess_lab_path(lab, path, "index.hdf"));
    CHECK(tess_lab_names(lab, "runs", &ids, &n_ids));
    read_index_if_any(path, &table);
    CHECK(tess_run_table_build(table, ids, n_ids, records, n, &built));
    keep_index(lab, built, path);
done:
    tess_run_table_free(built);
    tess_run_table_free(table);
    tess_lab_names_free(ids);
    return status;
}
