/* The index of a lab: index.hdf, its run table. */
#include "experiments/archive/index_file.h"

#include "core/base/array.h"
#include "experiments/archive/archive_reader.h"
#include "experiments/archive/archive_writer.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rises when a run table holds something else: indexes of other revisions are made again. */
enum { REVISION = 3 };

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

/* Gives the columns of the run table as an archive's, which the caller frees. */
static tess_status archive_columns(const tess_run_table *table, tess_archive_column **out) {
    TRY(TESS_ALLOC(table->n_columns, out));
    for (int64_t i = 0; i < table->n_columns; i++) {
        const tess_run_column *column = &table->columns[i];
        (*out)[i] = (tess_archive_column){column->name,
                                          column->is_text ? TESS_ARCHIVE_TEXT : TESS_ARCHIVE_DOUBLE,
                                          column->width, column->offset};
    }
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
        tess_archive_write_table(file, "/columns", definition_columns, DEFINITION_COLUMNS,
                                 table->n_columns, sizeof *rows, rows, "1");
    free(rows);
    return status;
}

tess_status tess_index_file_write(const tess_run_table *table, const char *path) {
    tess_status status = TESS_OK;
    tess_archive_writer *file = NULL;
    tess_archive_column *columns = NULL;
    CHECK(tess_archive_create("index", &file));
    CHECK(archive_columns(table, &columns));
    CHECK(tess_archive_attribute_int(file, "/", "revision", REVISION));
    CHECK(write_definitions(table, file));
    CHECK(tess_archive_write_table(file, "/runs", columns, (int)table->n_columns, table->n_rows,
                                   table->row_size, table->rows, "in /columns"));
    CHECK(tess_archive_commit(file, path));
done:
    free(columns);
    tess_archive_writer_free(file);
    return status;
}

/* Fills the table's columns with their places from /columns. */
static tess_status read_definitions(const tess_archive_reader *file, tess_run_table *table) {
    tess_status status = TESS_OK;
    definition *rows = NULL;
    int64_t n = 0;
    size_t offset = 0;
    CHECK(tess_archive_read_table(file, "/columns", definition_columns, DEFINITION_COLUMNS,
                                  sizeof *rows, &n, (void **)&rows));
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
    tess_archive_column *columns = NULL;
    int64_t revision = 0;
    TRY(tess_archive_open(path, "index", &file));
    CHECK(tess_archive_read_attribute_int(file, "/", "revision", &revision));
    if (revision != REVISION)
        CHECK(tess_archive_damaged(file, "this index is of another tess"));
    CHECK(TESS_ZEROS(1, &table));
    CHECK(read_definitions(file, table));
    CHECK(archive_columns(table, &columns));
    CHECK(tess_archive_read_table(file, "/runs", columns, (int)table->n_columns, table->row_size,
                                  &table->n_rows, (void **)&table->rows));
    CHECK(check_order(file, table));
    *out = table;
    table = NULL;
done:
    free(columns);
    tess_run_table_free(table);
    tess_archive_reader_free(file);
    return status;
}
