/* A report of compared partitions: the runs of one `tess partition` as a table and as JSON. */
#ifndef TESS_PARTITION_REPORT_H
#define TESS_PARTITION_REPORT_H

#include "experiments/campaign/campaign.h"
#include <stdio.h>

typedef struct tess_report {
    const tess_campaign *campaign; /* its runs that were interrupted are left out */
    const char *lab;               /* folder, or NULL where nothing was archived */
} tess_report;

/* Prints the table, by block size, the best values of each block size marked. */
TESS_MUST_CHECK tess_status tess_report_print(const tess_report *report, FILE *stream);

/* The whole report as one JSON object that the caller owns; NULL when out of memory. */
json_t *tess_report_json(const tess_report *report);

/* The report's runs, in the order in which they were made: those that were made and not
 * interrupted. NULL past the last. */
const tess_run *tess_report_run(const tess_report *report, int64_t i);

#endif
