/* A report of executed loops: the runs of one `tess run` as a table and as JSON. */
#ifndef TESS_RUN_REPORT_H
#define TESS_RUN_REPORT_H

#include "core/metrics.h"
#include "experiments/hardware_counters.h"
#include "experiments/record.h"
#include "kernels/trial.h"
#include <jansson.h>
#include <stdio.h>

typedef struct tess_run_row {
    char *partitioner, *strategy; /* canonical specs; owned */
    int32_t block_size;
    char *failure;    /* words, NULL where it went well; owned */
    bool misfit;      /* the strategy is none for this loop: nothing failed */
    bool interrupted; /* before enough samples were taken: not kept */
    tess_trial trial; /* owned */
    bool graph;       /* its launches are made as one */
    tess_hardware_counters hardware;
    char *uncounted;                /* why there are none though asked for; NULL; owned */
    double redundancy;              /* elements executed per element */
    double bandwidth;               /* useful bytes a second; NaN where nothing was timed */
    char *run;                      /* id in the lab, NULL where not archived; owned */
    char session[TESS_RUN_ID_SIZE]; /* of the runs timed in turns with it; "": not timed */
} tess_run_row;

typedef struct tess_run_report {
    const char *application, *loop, *mesh, *device;
    const char *lab; /* folder, NULL: nothing is archived */
    double copy_bandwidth;
    int n_rows;
    int64_t capacity;
    tess_run_row **rows; /* owned; each stays where it is */
} tess_run_report;

/* A row with nothing in it, and what frees it. */
TESS_MUST_CHECK tess_status tess_run_row_new(tess_run_row **out);
void tess_run_row_free(tess_run_row *row);

/* Adds a new row, which the report owns. */
TESS_MUST_CHECK tess_status tess_run_report_add(tess_run_report *report, tess_run_row **out);
TESS_MUST_CHECK tess_status tess_run_report_print(const tess_run_report *report, FILE *stream);
json_t *tess_run_report_json(const tess_run_report *report);
void tess_run_report_clear(tess_run_report *report);

#endif
