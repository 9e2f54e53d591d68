/* A record as JSON: what `tess show --json` and `tess export` print. */
#ifndef TESS_RECORD_JSON_H
#define TESS_RECORD_JSON_H

#include "experiments/archive/record.h"
#include <jansson.h>

/* Everything of a record: run, time, outcome, configuration, metrics with long_name, samples,
 * steps, check, environment, log, diff; numbers as {value, unit}. NULL when out of memory. */
json_t *tess_record_json(const tess_record *record);

/* The entries of a section by their keys: texts, or {value, unit}. */
json_t *tess_entries_json(const tess_entries *entries);

#endif
