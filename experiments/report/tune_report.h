/* A report of a search: its candidates as a table and as JSON. */
#pragma once

#include "experiments/campaign/tune.h"
#include <jansson.h>
#include <stdio.h>

/* Prints the candidates that were tried, in their order, whether there is a winner, and what the
 * budget left out. */
TESS_MUST_CHECK tess_status tess_tune_report_print(const tess_tune *tune, FILE *stream);

/* Where the time went, in seconds, by kinds; NULL where memory is short. */
json_t *tess_tune_spent_json(const tess_tune *tune);

/* All candidates as a JSON array that the caller owns. */
json_t *tess_tune_candidates_json(const tess_tune *tune);
