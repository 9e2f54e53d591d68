/* A report: the runs of one `tess partition` or `tess run` as a table with a verdict, and as JSON.
 */
#pragma once

#include "core/base/option_row.h"
#include "experiments/campaign/campaign.h"
#include "experiments/model/expectation.h"
#include <stdio.h>

typedef struct tess_report {
    const tess_campaign *campaign; /* runs that were made and not interrupted are shown */
    const char *lab;               /* folder, or NULL where nothing was archived */
    const char *columns, *sort;    /* as typed; NULL */
    const char *machine;           /* as typed; NULL: h200 */
    tess_expectation *expectation; /* by the model of it; NULL: none; owned */
} tess_report;

/* --columns, --sort and --machine. */
extern const tess_option_row tess_report_rows[];

/* Fails (USAGE) where --columns or --sort name what there is not. */
TESS_MUST_CHECK tess_status tess_report_check(const tess_report *report, tess_experiment_kind kind);

/* Has the times of runs predicted for the GPU of --machine, where it is not refused;
 * tess_report_clear frees it. */
TESS_MUST_CHECK tess_status tess_report_expect(tess_report *report);
void tess_report_clear(tess_report *report);

/* Prints the table, the best values marked: of each block size, or the fastest and what may be as
 * fast; and one line that says what is best for this loop. */
TESS_MUST_CHECK tess_status tess_report_print(const tess_report *report, FILE *stream);

/* The whole report as one JSON object that the caller owns; NULL when out of memory. */
json_t *tess_report_json(const tess_report *report);
