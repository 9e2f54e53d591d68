/* A table: what commands print for people, aligned by libsmartcols.
 *
 * On a terminal that is too narrow columns are left out and texts wrapped; elsewhere (a pipe, a
 * file) nothing is, nor coloured. Best values are bold green in colour, which NO_COLOR and a dumb
 * terminal turn off, and carry a '*' without. */
#pragma once

#include "core/base/status.h"
#include <stdio.h>

typedef struct tess_table tess_table;

typedef enum tess_alignment { TESS_ALIGN_LEFT, TESS_ALIGN_RIGHT } tess_alignment;

/* Titles of columns: one that begins with '>' is aligned to the right. */
#define TESS_TITLES(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Opens one with these columns, or NULL: all are added later. */
TESS_MUST_CHECK tess_status tess_table_new(const char *const *titles, tess_table **out);
/* Columns first, in order. */
TESS_MUST_CHECK tess_status tess_table_add_column(tess_table *table, const char *title,
                                                  tess_alignment alignment);
TESS_MUST_CHECK tess_status tess_table_add_columns(tess_table *table, const char *const *titles);
/* Lets the last column be left out on a terminal that is too narrow, before those of lower rank. */
void tess_table_yield(tess_table *table, int rank);
/* Begins a row; cells go to the last one begun. */
TESS_MUST_CHECK tess_status tess_table_add_row(tess_table *table);
/* Fills the next cell of the row with printf's words. */
TESS_MUST_CHECK tess_status tess_table_add_cell(tess_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Fills the next cell with a number, which stays empty where it is not finite. */
TESS_MUST_CHECK tess_status tess_table_add_number(tess_table *table, const char *format,
                                                  double number);
/* Fills the next cell with the two ends of an interval. */
TESS_MUST_CHECK tess_status tess_table_add_interval(tess_table *table, const char *format,
                                                    double low, double high);
/* Marks a cell as best, by row and column from 0. */
void tess_table_mark(tess_table *table, int row, int column);
TESS_MUST_CHECK tess_status tess_table_print(const tess_table *table, FILE *stream);
void tess_table_free(tess_table *table);
