/* A report of a sweep: how many of its points are done, and what became of the others. */
#pragma once

#include "experiments/campaign/sweep.h"
#include <jansson.h>
#include <stdio.h>

/* Prints how many points are in which state. */
TESS_MUST_CHECK tess_status tess_sweep_report_print(const tess_sweep *sweep, FILE *stream);

/* Prints the reasons of what failed and what was skipped, those that are the same for many points
 * once. */
TESS_MUST_CHECK tess_status tess_sweep_reasons_print(const tess_sweep *sweep, FILE *stream);

/* Prints the commands that make the points that are left, one a line. */
TESS_MUST_CHECK tess_status tess_sweep_commands_print(const tess_sweep *sweep, FILE *stream);

/* The whole report as one JSON object that the caller owns; NULL when out of memory. */
json_t *tess_sweep_report_json(const tess_sweep *sweep);
