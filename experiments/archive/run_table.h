/* A run table: all scalars of all runs, a row a run and a column a name.
 *
 * Columns: `run` (the id), `time`, `outcome`, `mesh_digest`, `plan_digest`; the keys of a record's
 * configuration and environment; NAME_seconds for its steps; median_NAME for its samples;
 * NAME@SOURCE for its metrics. A name without source means the first source that a run has of plan,
 * counter, timer, driver, emulator. Text that a run lacks is "", a number NaN; texts are cut at 255
 * bytes.
 *
 * It is kept in the lab as index.hdf, derived and disposable (docs/concepts.md, "The lab"):
 * /columns   name, unit, kind ("text" or "number") of each column, in order
 * /runs      a compound with these columns, a row a run, sorted by id */
#pragma once

#include "experiments/archive/lab.h"

enum { TESS_COLUMN_SIZE = TESS_METRIC_NAME_SIZE + TESS_SOURCE_SIZE + 1, TESS_COLUMN_SOURCES = 8 };

typedef struct tess_run_column {
    char name[TESS_COLUMN_SIZE];
    char unit[TESS_NAME_SIZE]; /* of numbers; "" for texts */
    bool is_text;
    size_t width, offset; /* bytes, and place in a row; texts end with a zero within the width */
} tess_run_column;

typedef struct tess_run_table {
    int64_t n_rows, n_columns, columns_capacity;
    tess_run_column *columns; /* the first is `run` */
    size_t row_size;
    char *rows; /* in the order of the ids */
} tess_run_table;

/* The rows of `table` (NULL: none) whose runs are among `ids` [n_ids], sorted, and those of
 * `records` [n_records], sorted by id: a run that is in both is what the record says. */
TESS_MUST_CHECK tess_status tess_run_table_build(const tess_run_table *table, char *const *ids,
                                                 int64_t n_ids, tess_record *const *records,
                                                 int64_t n_records, tess_run_table **out);
void tess_run_table_free(tess_run_table *table);

/* Where a name is found: columns to be tried in turn. */
typedef struct tess_run_field {
    char name[TESS_COLUMN_SIZE];
    const tess_run_column *columns[TESS_COLUMN_SOURCES];
    int n_columns;
    bool is_text;
    const char *unit;
    double scale; /* of the unit that the name asked for says, per `unit`: 1e3 of "ms" */
} tess_run_field;

/* Finds a field by its name in records, by that of an earlier version, or by its title
 * (experiments/archive/titles.h); false when no run of the table has it. */
bool tess_run_table_find(const tess_run_table *table, const char *name, tess_run_field *field);
/* Finds a field, or fails (USAGE) with a suggestion. */
TESS_MUST_CHECK tess_status tess_run_table_require(const tess_run_table *table, const char *name,
                                                   tess_run_field *field);

/* The value of a field in a row. */
double tess_run_number(const tess_run_table *table, const tess_run_field *field, int64_t row);
const char *tess_run_text(const tess_run_table *table, const tess_run_field *field, int64_t row);
/* The run's id. */
const char *tess_run_table_id(const tess_run_table *table, int64_t row);

/* A column's value of one row. */
double tess_run_column_number(const tess_run_table *table, const tess_run_column *column,
                              int64_t row);
const char *tess_run_column_text(const tess_run_table *table, const tess_run_column *column,
                                 int64_t row);

/* Called with the runs read so far while an index is made; `progress` may be NULL. */
typedef void (*tess_index_progress)(int64_t n_read, int64_t n);

/* Gives the table of all runs of a lab: from its index, with those that are new since read, and
 * without those that are gone. An index that was missing, damaged or behind is written anew (where
 * that is possible: a lab may be read-only). *n_unreadable runs could not be read and are left out;
 * the message says why of the last one. */
TESS_MUST_CHECK tess_status tess_lab_table(const tess_lab *lab, tess_index_progress progress,
                                           tess_run_table **out, int64_t *n_unreadable);

/* Puts runs of a lab into its index that somebody has just read, `records` [n], sorted by id: the
 * next tess_lab_table need not read their files. */
TESS_MUST_CHECK tess_status tess_lab_table_add(const tess_lab *lab, tess_record *const *records,
                                               int64_t n);
