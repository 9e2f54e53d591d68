/* A report of executed loops: the runs of one `tess run` as a table and as JSON. */
#ifndef TESS_RUN_REPORT_H
#define TESS_RUN_REPORT_H

#include "experiments/campaign/campaign.h"
#include <stdio.h>

typedef struct tess_run_report {
    const tess_campaign *campaign;
    const char *lab; /* folder, NULL: nothing is archived */
} tess_run_report;

TESS_MUST_CHECK tess_status tess_run_report_print(const tess_run_report *report, FILE *stream);
json_t *tess_run_report_json(const tess_run_report *report);

#endif
