/* A report of a gate: a table for people, JUnit's XML for CI. */
#pragma once

#include "experiments/campaign/gate.h"
#include <jansson.h>
#include <stdio.h>

/* Prints a row a case, those first that are slower or failed, and a line that sums them up. */
TESS_MUST_CHECK tess_status tess_gate_report_print(const tess_gate *gate, FILE *stream);

/* Writes a test case a case: slower and failed ones are failures, those out of time are skipped. */
TESS_MUST_CHECK tess_status tess_gate_junit_write(const tess_gate *gate, const char *path);

/* The whole as one JSON object that the caller owns; NULL when out of memory. */
json_t *tess_gate_report_json(const tess_gate *gate);
