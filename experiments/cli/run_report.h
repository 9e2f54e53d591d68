/* A report of executed loops: the runs of one `tess run` as a table and as JSON. */
#ifndef TESS_RUN_REPORT_H
#define TESS_RUN_REPORT_H

#include "experiments/cli/run_row.h"
#include <stdio.h>

typedef struct tess_run_report {
    const char *application, *loop, *mesh, *device;
    const char *lab; /* folder, NULL: nothing is archived */
    double copy_bandwidth;
    int n_rows;
    int64_t capacity;
    tess_run_row **rows; /* owned; each stays where it is */
} tess_run_report;

/* Adds a new row, which the report owns. */
TESS_MUST_CHECK tess_status tess_run_report_add(tess_run_report *report, tess_run_row **out);
TESS_MUST_CHECK tess_status tess_run_report_print(const tess_run_report *report, FILE *stream);
json_t *tess_run_report_json(const tess_run_report *report);
void tess_run_report_clear(tess_run_report *report);

#endif
