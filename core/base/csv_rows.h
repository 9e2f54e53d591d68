/* Rows of comma-separated values: a text with a line of column names, read as RFC 4180 has it. */
#pragma once

#include "core/base/status.h"
#include <stdint.h>

typedef struct tess_csv tess_csv;

/* Reads a text whose first line names the columns; the n_skipped rows behind it are left out.
 * Names between semicolons, without a comma, have semicolons between all cells. Ends at the first
 * line that has another number of cells. Fails (INPUT) where a quote is not closed, by the line on
 * which its row begins. */
TESS_MUST_CHECK tess_status tess_csv_read(const char *text, int n_skipped, tess_csv **out);
/* Reads one whose rows may end early: those of `fewest` cells or more, whose others are empty. */
TESS_MUST_CHECK tess_status tess_csv_read_short(const char *text, int64_t fewest, tess_csv **out);
void tess_csv_free(tess_csv *csv);

int64_t tess_csv_count(const tess_csv *csv);         /* rows */
int64_t tess_csv_count_columns(const tess_csv *csv); /* cells of a row */

/* The line of the text, from 1 on, that has another number of cells; 0 where none has. */
int64_t tess_csv_uneven_line(const tess_csv *csv);

/* The name of a column, and the cell of a row there. */
const char *tess_csv_name(const tess_csv *csv, int64_t column);
const char *tess_csv_cell_at(const tess_csv *csv, int64_t row, int64_t column);

/* The cell of a row in the column of that name; NULL where there is no such column. */
const char *tess_csv_cell(const tess_csv *csv, int64_t row, const char *column);
