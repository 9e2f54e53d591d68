/* A table: what commands print for people, aligned by libsmartcols. */
#include "experiments/report/table.h"

#include "core/base/array.h"
#include "core/base/stream_text.h"
#include "experiments/report/wrapped.h"
#include <libsmartcols.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { WRAPPED_TO = 20, NARROWEST = 4 }; /* characters of a text */

typedef struct table_column {
    char *title;
    tess_alignment alignment;
    bool marked; /* some cell is */
    int rank;    /* above 0: it may be left out */
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

tess_status tess_table_add_columns(tess_table *table, const char *const *titles) {
    for (; *titles; titles++) {
        const bool right = **titles == '>';
        TRY(tess_table_add_column(table, *titles + right,
                                  right ? TESS_ALIGN_RIGHT : TESS_ALIGN_LEFT));
    }
    return TESS_OK;
}

tess_status tess_table_new(const char *const *titles, tess_table **out) {
    TRY(TESS_ZEROS(1, out));
    return titles ? tess_table_add_columns(*out, titles) : TESS_OK;
}

void tess_table_yield(tess_table *table, int rank) {
    table->columns[table->n_columns - 1].rank = rank;
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
    const tess_status status = tess_text_print_list(&cell->text, format, args);
    va_end(args);
    return status;
}

tess_status tess_table_add_number(tess_table *table, const char *format, double number) {
    return tess_table_add_cell(table, isfinite(number) ? format : "", number);
}

tess_status tess_table_add_interval(tess_table *table, const char *format, double low,
                                    double high) {
    return tess_table_add_cell(table, isfinite(low) && isfinite(high) ? format : "", low, high);
}

void tess_table_mark(tess_table *table, int row, int column) {
    table->cells[row * table->n_columns + column].marked = true;
    table->columns[column].marked = true;
}

/* What is printed of a table. */
typedef struct layout {
    int n_shown, terminal; /* characters of a line; 0: any */
    int *position;         /* [n_columns] of each column, -1 where it is left out */
    int *width;            /* [n_columns] in characters; texts are wrapped to it */
    const char *gap;       /* between columns */
    bool coloured;
} layout;

static tess_status out_of_memory(void) {
    FAIL(TESS_ERROR_MEMORY, "out of memory: a table cannot be printed");
}

/* The text of a cell in lines, with room for the mark where its column has marks. */
static tess_status cell_text(const tess_table *table, int row, int c, const layout *shown,
                             char **out) {
    const table_cell *cell = &table->cells[row * table->n_columns + c];
    const char *mark = shown->coloured || !table->columns[c].marked ? "" : cell->marked ? "*" : " ";
    const char *text = cell->text ? cell->text : "";
    tess_printed lines;
    TRY(tess_printed_open(&lines));
    if (tess_text_width(text) > shown->width[c])
        tess_wrapped_print(text, 0, shown->width[c], lines.stream);
    else
        fprintf(lines.stream, "%s%s\n", text, mark);
    TRY(tess_printed_close(&lines, TESS_OK, out));
    (*out)[lines.size - 1] = '\0'; /* the end of the last line */
    return TESS_OK;
}

static tess_status cell_fill(struct libscols_line *line, const tess_table *table, int row, int c,
                             const layout *shown) {
    char *text = NULL;
    TRY(cell_text(table, row, c, shown, &text));
    if (scols_line_refer_data(line, (size_t)shown->position[c], text) != 0) {
        free(text);
        return out_of_memory();
    }
    struct libscols_cell *filled = scols_line_get_cell(line, (size_t)shown->position[c]);
    if (shown->coloured && table->cells[row * table->n_columns + c].marked &&
        scols_cell_set_color(filled, "\033[1;32m") != 0)
        return out_of_memory();
    return TESS_OK;
}

static int column_width(const tess_table *table, int c, bool coloured) {
    int widest = tess_text_width(table->columns[c].title);
    for (int row = 0; row < table->n_rows; row++) {
        const char *text = table->cells[row * table->n_columns + c].text;
        const int own =
            (text ? tess_text_width(text) : 0) + (table->columns[c].marked && !coloured);
        widest = own > widest ? own : widest;
    }
    return widest;
}

/* The shown column that is left out next; -1: none may be. */
static int first_to_yield(const tess_table *table, const layout *shown) {
    int found = -1;
    for (int c = 0; c < table->n_columns; c++)
        if (shown->position[c] >= 0 && table->columns[c].rank > 0 &&
            (found < 0 || table->columns[c].rank > table->columns[found].rank))
            found = c;
    return found;
}

/* True of a column whose cells can be wrapped: texts, and what is too long for a number. */
static bool is_text(const tess_table *table, const layout *shown, int c) {
    return table->columns[c].alignment == TESS_ALIGN_LEFT || shown->width[c] > WRAPPED_TO;
}

/* Characters that a column of texts needs: of its title, and so that no word is torn unless words
 * may be. */
static int least_width(const tess_table *table, int c, bool tears) {
    const int title = tess_text_width(table->columns[c].title);
    int longest = title > NARROWEST ? title : NARROWEST;
    for (int row = 0; row < table->n_rows && !tears; row++) {
        const char *text = table->cells[row * table->n_columns + c].text;
        const int own = text ? tess_longest_piece(text) : 0;
        longest = own > longest ? own : longest;
    }
    return longest;
}

/* The widest shown column of texts of those that are wider than `least` [n_columns] says,
 * or -1. */
static int widest_text(const tess_table *table, const layout *shown, const int *least) {
    int found = -1;
    for (int c = 0; c < table->n_columns; c++)
        if (shown->position[c] >= 0 && is_text(table, shown, c) && shown->width[c] > least[c] &&
            (found < 0 || shown->width[c] > shown->width[found]))
            found = c;
    return found;
}

/* Takes characters of texts, first where no word is torn, until a line has `most`. */
static tess_status texts_narrow(const tess_table *table, layout *shown, int total, int most) {
    int *least = NULL, c = 0;
    TRY(TESS_ALLOC(table->n_columns, &least));
    for (int tears = 0; tears < 2; tears++) {
        for (int k = 0; k < table->n_columns; k++)
            least[k] = least_width(table, k, tears);
        for (; total > most && (c = widest_text(table, shown, least)) >= 0; total--)
            shown->width[c]--;
    }
    free(least);
    return TESS_OK;
}

/* Wraps what is over WRAPPED_TO characters, leaves out columns until the rest fits, and gives what
 * is left over back to texts, or takes more of them. */
static tess_status layout_fit(const tess_table *table, layout *shown) {
    int total = -1, most = shown->terminal;
    for (int c = 0; c < table->n_columns; c++) {
        const bool wrapped = is_text(table, shown, c) && shown->width[c] > WRAPPED_TO;
        total += 1 + (wrapped ? WRAPPED_TO : shown->width[c]);
    }
    for (int c; total > most && (c = first_to_yield(table, shown)) >= 0;) {
        shown->position[c] = -1;
        total -= 1 + shown->width[c];
    }
    total = -1;
    for (int c = 0; c < table->n_columns; c++)
        total += shown->position[c] < 0 ? 0 : 1 + shown->width[c];
    return texts_narrow(table, shown, total, most);
}

static tess_status layout_choose(const tess_table *table, FILE *stream, layout *shown) {
    const int terminal = tess_terminal_width(stream);
    *shown = (layout){.terminal = terminal, .coloured = terminal > 0 && tess_terminal_colours()};
    TRY(TESS_ZEROS(table->n_columns, &shown->position));
    TRY(TESS_ALLOC(table->n_columns, &shown->width));
    for (int c = 0; c < table->n_columns; c++)
        shown->width[c] = column_width(table, c, shown->coloured);
    int total = -2;
    for (int c = 0; c < table->n_columns; c++)
        total += 2 + shown->width[c];
    shown->gap =
        terminal > 0 && total > terminal ? " " : "  "; /* titles have blanks of their own */
    if (terminal > 0 && total > terminal)
        TRY(layout_fit(table, shown));
    for (int c = 0; c < table->n_columns; c++)
        if (shown->position[c] >= 0)
            shown->position[c] = shown->n_shown++;
    return TESS_OK;
}

/* A column, whose texts are in lines already. */
static tess_status column_fill(struct libscols_table *scols, const table_column *column,
                               bool wrapped) {
    const bool right = column->alignment == TESS_ALIGN_RIGHT;
    const int flags = (right ? SCOLS_FL_RIGHT : 0) | (wrapped ? SCOLS_FL_WRAP : 0);
    struct libscols_column *filled = scols_table_new_column(scols, column->title, 0, flags);
    if (!filled || (wrapped && scols_column_set_safechars(filled, "\n") != 0) ||
        (wrapped && scols_column_set_wrapfunc(filled, scols_wrapnl_chunksize,
                                              scols_wrapnl_nextchunk, NULL) != 0))
        return out_of_memory();
    return TESS_OK;
}

static tess_status table_fill(struct libscols_table *scols, const tess_table *table,
                              const layout *shown) {
    for (int c = 0; c < table->n_columns; c++)
        if (shown->position[c] >= 0)
            TRY(column_fill(scols, &table->columns[c], shown->terminal > 0));
    for (int row = 0; row < table->n_rows; row++) {
        struct libscols_line *line = scols_table_new_line(scols, NULL);
        if (!line)
            return out_of_memory();
        for (int c = 0; c < table->n_columns; c++)
            if (shown->position[c] >= 0)
                TRY(cell_fill(line, table, row, c, shown));
    }
    return TESS_OK;
}

/* Says which columns a narrow terminal left out. */
static tess_status tell_left_out(const tess_table *table, const layout *shown, FILE *stream) {
    char *words = NULL;
    tess_printed text;
    if (shown->n_shown == table->n_columns)
        return TESS_OK;
    TRY(tess_printed_open(&text));
    fputs("not shown on this terminal", text.stream);
    for (int c = 0, n = 0; c < table->n_columns; c++)
        if (shown->position[c] < 0)
            fprintf(text.stream, "%s %s", n++ ? "," : ":", table->columns[c].title);
    TRY(tess_printed_close(&text, TESS_OK, &words));
    tess_wrapped_print(words, 0, shown->terminal, stream);
    free(words);
    return TESS_OK;
}

/* Prints lines without the spaces at their ends, which a last column leaves. */
static void print_trimmed(const char *lines, FILE *stream) {
    while (*lines) {
        const size_t length = strcspn(lines, "\n");
        size_t n = length;
        while (n > 0 && lines[n - 1] == ' ')
            n--;
        fprintf(stream, "%.*s\n", (int)n, lines);
        lines += length + (lines[length] == '\n');
    }
}

tess_status tess_table_print(const tess_table *table, FILE *stream) {
    tess_status status = TESS_OK;
    char *lines = NULL;
    layout shown = {.position = NULL};
    struct libscols_table *scols = scols_new_table();
    if (!scols)
        return out_of_memory();
    CHECK(layout_choose(table, stream, &shown));
    scols_table_enable_colors(scols, shown.coloured);
    if (scols_table_set_column_separator(scols, shown.gap) != 0)
        CHECK(out_of_memory());
    CHECK(table_fill(scols, table, &shown));
    if (table->n_rows && scols_print_table_to_string(scols, &lines) != 0)
        CHECK(out_of_memory());
    if (table->n_rows) {
        print_trimmed(lines, stream);
        CHECK(tell_left_out(table, &shown, stream));
    }
done:
    free(lines);
    free(shown.position);
    free(shown.width);
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
