/* Rows of comma-separated values: a text with a line of column names. */
#include "core/base/csv_rows.h"

#include "core/base/array.h"
#include "core/base/byte_order_mark.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tess_csv {
    char *text; /* that the cells lie in, each ended by a zero */
    int64_t n_columns, n_rows;
    int64_t n_cells, capacity;
    char **cells; /* [1 + n_rows][n_columns], the names first */
    int64_t uneven_line;
    char ends[4]; /* what ends a cell, the separator first */
};

void tess_csv_free(tess_csv *csv) {
    if (!csv)
        return;
    free(csv->cells);
    free(csv->text);
    free(csv);
}

/* What separates cells: semicolons where the names have them and no commas, as where numbers have
 * decimal commas. */
static char separator_of(const char *text) {
    const size_t line = strcspn(text, "\r\n");
    return memchr(text, ';', line) && !memchr(text, ',', line) ? ';' : ',';
}

/* Takes the quotes off the cell at *at, in place, and moves behind it; gives what ended it. */
static tess_status take_cell(const char *ends, char **at, char **cell, char *end) {
    char *from = *at, *to = *at;
    bool quoted = false;
    *cell = to;
    for (; *from && (quoted || !strchr(ends, *from)); from++) {
        if (*from != '"')
            *to++ = *from;
        else if (quoted && from[1] == '"')
            *to++ = *from++;
        else
            quoted = !quoted;
    }
    if (quoted)
        FAIL(TESS_ERROR_INPUT, "a quote is not closed in a line of comma-separated values");
    *end = *from;
    if (*from == '\r' && from[1] == '\n')
        *end = *++from;
    *at = *from ? from + 1 : from;
    *to = '\0';
    return TESS_OK;
}

/* How many lines a text has before `end`. */
static int64_t count_lines(const char *text, const char *end) {
    int64_t n = 0;
    for (; text < end; text++)
        n += *text == '\n';
    return n;
}

/* Adds the cells of one line; gives how many. */
static tess_status take_line(tess_csv *csv, char **at, int64_t *n) {
    char end = csv->ends[0];
    for (*n = 0; end == csv->ends[0]; ++*n) {
        TRY(TESS_RESERVE(csv->n_cells + 1, &csv->capacity, &csv->cells));
        TRY(take_cell(csv->ends, at, &csv->cells[csv->n_cells], &end));
        csv->n_cells++;
    }
    return TESS_OK;
}

/* Adds empty cells to a row of n, if it may end early. */
static tess_status pad(tess_csv *csv, int64_t fewest, int64_t *n) {
    static char empty[] = "";
    if (*n < fewest)
        return TESS_OK;
    for (; *n < csv->n_columns; ++*n) {
        TRY(TESS_RESERVE(csv->n_cells + 1, &csv->capacity, &csv->cells));
        csv->cells[csv->n_cells++] = empty;
    }
    return TESS_OK;
}

static tess_status read_rows(const char *text, int n_skipped, int64_t fewest, tess_csv **out) {
    tess_status status = TESS_OK;
    tess_csv *csv = NULL;
    int64_t n = 0;
    CHECK(TESS_ZEROS(1, &csv));
    CHECK(tess_text_copy(text, &csv->text));
    snprintf(csv->ends, sizeof csv->ends, "%c\r\n", separator_of(text));
    char *at = csv->text + tess_byte_order_mark(text);
    CHECK(take_line(csv, &at, &csv->n_columns));
    while (*at) {
        const char *line = text + (at - csv->text);
        status = take_line(csv, &at, &n);
        if (status != TESS_OK)
            CHECK(tess_fail_at(status, "line %lld", (long long)(1 + count_lines(text, line))));
        CHECK(pad(csv, fewest, &n));
        if (n != csv->n_columns) {
            csv->uneven_line = 1 + count_lines(text, line);
            break;
        }
        if (n_skipped > 0) {
            csv->n_cells -= n;
            n_skipped--;
        } else {
            csv->n_rows++;
        }
    }
    *out = TESS_TAKE(csv);
done:
    tess_csv_free(csv);
    return status;
}

tess_status tess_csv_read(const char *text, int n_skipped, tess_csv **out) {
    return read_rows(text, n_skipped, INT64_MAX, out);
}

tess_status tess_csv_read_short(const char *text, int64_t fewest, tess_csv **out) {
    return read_rows(text, 0, fewest, out);
}

int64_t tess_csv_count(const tess_csv *csv) {
    return csv->n_rows;
}

int64_t tess_csv_count_columns(const tess_csv *csv) {
    return csv->n_columns;
}

int64_t tess_csv_uneven_line(const tess_csv *csv) {
    return csv->uneven_line;
}

const char *tess_csv_name(const tess_csv *csv, int64_t column) {
    return csv->cells[column];
}

const char *tess_csv_cell_at(const tess_csv *csv, int64_t row, int64_t column) {
    return csv->cells[(1 + row) * csv->n_columns + column];
}

const char *tess_csv_cell(const tess_csv *csv, int64_t row, const char *column) {
    for (int64_t c = 0; c < csv->n_columns; c++)
        if (strcmp(tess_csv_name(csv, c), column) == 0)
            return tess_csv_cell_at(csv, row, c);
    return NULL;
}
