/* A report of compared partitions: the runs of one `tess partition` as a table and as JSON. */
#ifndef TESS_PARTITION_REPORT_H
#define TESS_PARTITION_REPORT_H

#include "core/mesh/mesh.h"
#include "core/plan/metrics.h"
#include <jansson.h>
#include <stdio.h>

/* One run: a partitioner at a block size. All owned by the report. */
typedef struct tess_report_run {
    char *partitioner; /* canonical spec */
    int32_t block_size;
    char *failure;         /* NULL where the run is done */
    tess_metrics *metrics; /* NULL where it failed */
    double partition_seconds, plan_seconds;
    int64_t largest_before; /* block sizes before the repair, and what it moved */
    int64_t n_moved;
    char *run;       /* id in the lab; NULL where nothing was archived */
    char *plan_file; /* path, or NULL */
    char *view_file; /* path, or NULL */
} tess_report_run;

typedef struct tess_report {
    const tess_mesh *mesh;
    const char *loop; /* its name */
    const char *lab;  /* folder, or NULL where nothing was archived */
    int n_runs;
    int64_t capacity;
    tess_report_run *runs;
} tess_report;

/* Appends an empty run and gives a pointer to it, valid until the next one is added. */
TESS_MUST_CHECK tess_status tess_report_add(tess_report *report, tess_report_run **out);

/* Takes the last run away again. */
void tess_report_drop(tess_report *report);

/* Prints the table, by block size, the best values of each block size marked. */
TESS_MUST_CHECK tess_status tess_report_print(const tess_report *report, FILE *stream);

/* The whole report as one JSON object that the caller owns; NULL when out of memory. */
json_t *tess_report_json(const tess_report *report);

/* Frees the runs, not the report itself. */
void tess_report_clear(tess_report *report);

#endif
