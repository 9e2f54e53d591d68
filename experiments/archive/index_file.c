/* The index of a lab: index.hdf, its run table. */
#include "experiments/archive/index_file.h"

#include "core/base/array.h"
#include "experiments/archive/archive_reader.h"
#include "experiments/archive/archive_writer.h"
#include "experiments/archive/run_file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Rises when a run table holds something else: indexes of other revisions are made again. */
enum { REVISION = 4 };

enum { KIND_SIZE = 8, DEFINITION_COLUMNS = 3, WIDEST_TEXT = 1 << 20 };

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

tess_status tess_index_file_write(const tess_run_table *table, const char *path) {
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
        if (column->width > WIDEST_TEXT)
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

tess_status tess_index_file_read(const char *path, tess_run_table **out) {
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
    *out = table;
    table = NULL;
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
        char *path = NULL;
        TRY(tess_lab_file(lab, "runs", of->ids[i], &path));
        tess_record *record = NULL;
        const tess_status status = tess_run_file_read_scalars(path, &record);
        free(path);
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
    if (access(tess_lab_folder(lab), W_OK) == 0 && tess_index_file_write(built, path) != TESS_OK)
        unlink(path); /* it is derived: the next reader makes it again */
done:
    runs_clear(&all);
    return status;
}

tess_status tess_lab_table(const tess_lab *lab, tess_index_progress progress, tess_run_table **out,
                           int64_t *n_unreadable) {
    char *path = NULL;
    tess_run_table *table = NULL;
    if (asprintf(&path, "%s/index.hdf", tess_lab_folder(lab)) < 0)
        FAIL(TESS_ERROR_MEMORY, "out of memory for a path");
    if (access(path, R_OK) != 0 || tess_index_file_read(path, &table) != TESS_OK)
        table = NULL; /* missing, damaged or of another version: made again from the runs */
    const tess_status status = update(lab, path, progress, &table, n_unreadable);
    free(path);
    if (status != TESS_OK) {
        tess_run_table_free(table);
        return status;
    }
    *out = table;
    return TESS_OK;
}
