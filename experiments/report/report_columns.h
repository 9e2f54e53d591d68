/* The columns of a report: what can be said of each run that `tess partition` or `tess run` made.
 */
#pragma once

#include "experiments/campaign/campaign.h"
#include "experiments/report/table.h"

typedef struct tess_report_column {
    const char *name;   /* of the metric or setting in records */
    const char *format; /* of a number */
    int better;         /* 1: larger, -1: smaller; 0: neither is marked */
    int rank;           /* above 0: left out on narrow terminals, the highest first */
    /* Of a text, "" where a run has none, which the caller frees; NULL: it is a number. */
    tess_status (*text)(const tess_run *run, const char *name, char **out);
    bool where_varied; /* it is usual only where runs differ in it */
    const char *title; /* as printed, and the scale of what is printed, per what is recorded */
    double scale;      /* (core/plan/quantities.h) */
} tess_report_column;

enum {
    TESS_MOST_REPORT_COLUMNS = 48,
    TESS_RUN_ID_SHOWN = 14 /* letters of an id: its time and enough of the rest to name it */
};

typedef struct tess_report_columns {
    int n;
    tess_report_column items[TESS_MOST_REPORT_COLUMNS];
} tess_report_columns;

/* The columns that `names` asks for, separated by commas: NULL the usual ones of a kind,
 * "+NAME,..." these and others. Where none of them tells runs apart, those that do come first, and
 * are shown where runs differ in them. A name is a title, a metric or a setting; else it fails
 * (USAGE). */
TESS_MUST_CHECK tess_status tess_report_columns_choose(const char *names, tess_experiment_kind kind,
                                                       tess_report_columns *out);

/* Finds one column by name, as above. */
TESS_MUST_CHECK tess_status tess_report_column_find(const char *name, tess_experiment_kind kind,
                                                    tess_report_column *out);

/* What is printed of a run in a column; the caller frees it. */
TESS_MUST_CHECK tess_status tess_report_cell(const tess_report_column *column, const tess_run *run,
                                             char **out);

/* The number of a run in a column as it is printed; NaN where it has none. */
double tess_report_number(const tess_report_column *column, const tess_run *run);

/* Begins a row with how an experiment is run: block size, partitioner, strategy, layout. */
TESS_MUST_CHECK tess_status tess_table_add_variant(tess_table *table,
                                                   const tess_experiment *experiment);
