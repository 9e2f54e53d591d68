/* A table: what commands print for people, aligned by libsmartcols. */
#include "experiments/cli/table.h"

#include "core/base/array.h"
#include <libsmartcols.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct table_column {
    char *title;
    tess_alignment alignment;
    bool marked; /* some cell is */
} table_column;

typedef struct table_cell {
    char *text; /* NULL: empty */
    bool marked;
} table_cell;

struct tess_table {
    int n_columns, n_rows;
    int64_t column_capacity, cell_capacity;
    int next; /* column that tess_table_add_cell fills */
    table_column *columns;
    table_cell *cells; /* [n_rows][n_columns] */
};

tess_status tess_table_new(tess_table **out) {
    return TESS_ZEROS(1, out);
}

tess_status tess_table_add_column(tess_table *table, const char *title, tess_alignment alignment) {
    if (table->n_rows)
        FAIL(TESS_ERROR_INTERNAL, "column '%s' is added behind rows", title);
    TRY(TESS_RESERVE(table->n_columns + 1, &table->column_capacity, &table->columns));
    table_column *column = &table->columns[table->n_columns];
    *column = (table_column){.alignment = alignment};
    TRY(tess_text_copy(title, &column->title));
    table->n_columns++;
    return TESS_OK;
}

tess_status tess_table_add_row(tess_table *table) {
    const int64_t first = (int64_t)table->n_rows * table->n_columns;
    TRY(TESS_RESERVE(first + table->n_columns, &table->cell_capacity, &table->cells));
    memset(&table->cells[first], 0, (size_t)table->n_columns * sizeof *table->cells);
    table->n_rows++;
    table->next = 0;
    return TESS_OK;
}

tess_status tess_table_add_cell(tess_table *table, const char *format, ...) {
    if (!table->n_rows || table->next >= table->n_columns)
        FAIL(TESS_ERROR_INTERNAL, "a row of a table has more cells than columns");
    table_cell *cell = &table->cells[(table->n_rows - 1) * table->n_columns + table->next++];
    va_list args;
    va_start(args, format);
    const int length = vasprintf(&cell->text, format, args);
    va_end(args);
    if (length < 0) {
        cell->text = NULL;
        FAIL(TESS_ERROR_MEMORY, "out of memory: a cell of a table");
    }
    return TESS_OK;
}

void tess_table_mark(tess_table *table, int row, int column) {
    table->cells[row * table->n_columns + column].marked = true;
    table->columns[column].marked = true;
}

static tess_status out_of_memory(void) {
    FAIL(TESS_ERROR_MEMORY, "out of memory: a table cannot be printed");
}

/* The title and the cells of a row, with room for the mark where a column has marks. */
static tess_status cell_fill(struct libscols_line *line, const tess_table *table, int row, int c,
                             bool coloured) {
    const table_cell *cell = &table->cells[row * table->n_columns + c];
    const char *mark = coloured || !table->columns[c].marked ? "" : cell->marked ? "*" : " ";
    char *text = NULL;
    if (asprintf(&text, "%s%s", cell->text ? cell->text : "", mark) < 0)
        return out_of_memory();
    if (scols_line_refer_data(line, (size_t)c, text) != 0) {
        free(text);
        return out_of_memory();
    }
    struct libscols_cell *filled = scols_line_get_cell(line, (size_t)c);
    if (coloured && cell->marked && scols_cell_set_color(filled, "\033[1;32m") != 0)
        return out_of_memory();
    return TESS_OK;
}

static tess_status table_fill(struct libscols_table *scols, const tess_table *table,
                              bool coloured) {
    for (int c = 0; c < table->n_columns; c++) {
        const int flags = table->columns[c].alignment == TESS_ALIGN_RIGHT ? SCOLS_FL_RIGHT : 0;
        if (!scols_table_new_column(scols, table->columns[c].title, 0, flags))
            return out_of_memory();
    }
    for (int row = 0; row < table->n_rows; row++) {
        struct libscols_line *line = scols_table_new_line(scols, NULL);
        if (!line)
            return out_of_memory();
        for (int c = 0; c < table->n_columns; c++)
            TRY(cell_fill(line, table, row, c, coloured));
    }
    return TESS_OK;
}

tess_status tess_table_print(const tess_table *table, FILE *stream) {
    tess_status status = TESS_OK;
    const char *no_color = getenv("NO_COLOR");
    const bool coloured = isatty(fileno(stream)) && !(no_color && *no_color);
    struct libscols_table *scols = scols_new_table();
    if (!scols)
        return out_of_memory();
    scols_table_set_stream(scols, stream);
    scols_table_enable_colors(scols, coloured);
    CHECK(table_fill(scols, table, coloured));
    if (table->n_rows && scols_print_table(scols) != 0)
        CHECK(tess_fail(TESS_ERROR_IO, "a table cannot be written"));
done:
    scols_unref_table(scols);
    return status;
}

void tess_table_free(tess_table *table) {
    if (!table)
        return;
    for (int c = 0; c < table->n_columns; c++)
        free(table->columns[c].title);
    for (int i = 0; i < table->n_rows * table->n_columns; i++)
        free(table->cells[i].text);
    free(table->columns);
    free(table->cells);
    free(table);
}
