/* A report: the runs of one `tess partition` or `tess run` as a table with a verdict, and as JSON.
 */
#pragma once

#include "experiments/campaign/campaign.h"
#include "experiments/cli/command.h"
#include <stdio.h>

typedef struct tess_report {
    const tess_campaign *campaign; /* runs that were made and not interrupted are shown */
    const char *lab;               /* folder, or NULL where nothing was archived */
    const char *columns, *sort;    /* as typed; NULL */
} tess_report;

/* --columns and --sort: their lines in a command's own options, and their part of its parser, which
 * gives ARGP_ERR_UNKNOWN for other keys. */
enum { TESS_KEY_COLUMNS = 'c', TESS_KEY_SORT = 'k' };
#define TESS_REPORT_OPTIONS                                                                        \
    {"columns",                                                                                    \
     TESS_KEY_COLUMNS,                                                                             \
     "NAME,...",                                                                                   \
     0,                                                                                            \
     "Show these columns ('+NAME,...': besides the usual ones): titles, metrics and settings",     \
     8},                                                                                           \
    {                                                                                              \
        "sort", TESS_KEY_SORT, "NAME,...", 0,                                                      \
            "Sort the table by these columns; -NAME: largest first (--sort=-reuse)", 8             \
    }
error_t tess_report_parse(int key, char *arg, tess_report *into);

/* Fails (USAGE) where --columns or --sort name what there is not. */
TESS_MUST_CHECK tess_status tess_report_check(const tess_report *report, tess_experiment_kind kind);

/* Prints the table, the best values marked: of each block size, or the fastest and what may be as
 * fast; and one line that says what is best for this loop. */
TESS_MUST_CHECK tess_status tess_report_print(const tess_report *report, FILE *stream);

/* The whole report as one JSON object that the caller owns; NULL when out of memory. */
json_t *tess_report_json(const tess_report *report);
