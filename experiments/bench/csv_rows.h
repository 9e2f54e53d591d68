/* Rows of comma-separated values: a text with a line of column names, read as RFC 4180 has it. */
#pragma once

#include "core/base/status.h"
#include <stdint.h>

typedef struct tess_csv tess_csv;

/* Reads a text whose first line names the columns; the n_skipped rows behind it are left out. Ends
 * at the first line that has another number of cells. Fails (INPUT) where a quote is not closed. */
TESS_MUST_CHECK tess_status tess_csv_read(const char *text, int n_skipped, tess_csv **out);
void tess_csv_free(tess_csv *csv);

int64_t tess_csv_count(const tess_csv *csv); /* rows */

/* The cell of a row in the column of that name; NULL where there is no such column. */
const char *tess_csv_cell(const tess_csv *csv, int64_t row, const char *column);
