/* Imported runs: records of what another program has measured, under its own names.
 *
 * Nothing of this machine is in them: the environment says what the file says of its own, and which
 * file that was. */
#pragma once

#include "experiments/archive/record.h"

typedef struct tess_imported_runs {
    int64_t n, capacity;
    tess_record **runs;   /* owned */
    int64_t n_left_out;   /* rows that are no runs, such as means of others */
    const char *left_out; /* what they are: "aggregates" */
    char path[256];       /* of the file, its end */
    const char *importer;
    json_t *keys; /* the position of the run of each; owned */
} tess_imported_runs;

void tess_imported_runs_clear(tess_imported_runs *runs);

/* Whether there is a run of that key, which is given; else the next that is added has it: rows that
 * share a key are of one run. */
bool tess_imported_run_find(tess_imported_runs *runs, const char *key, tess_record **out);

/* Adds a run of what the file calls `application` and `loop`, each cut at 255 bytes. */
TESS_MUST_CHECK tess_status tess_imported_run_add(tess_imported_runs *runs, const char *application,
                                                  const char *loop, tess_record **out);

/* The time at which it was made, of a text in ISO 8601, with 'T' or a blank, with or without an
 * offset; others are kept in the log. */
TESS_MUST_CHECK tess_status tess_imported_run_set_time(tess_record *run, const char *iso);
TESS_MUST_CHECK tess_status tess_imported_run_set_milliseconds(tess_record *run, double since_1970);

/* A setting under its own name: a number where the text is one. What has no place among settings (a
 * name of more than 47 bytes) stands in the log. */
TESS_MUST_CHECK tess_status tess_imported_run_set(tess_record *run, const char *name,
                                                  const char *text);

/* A JSON value, likewise; lists and objects stand in the log, as they are. */
TESS_MUST_CHECK tess_status tess_imported_run_set_json(tess_record *run, const char *name,
                                                       json_t *value);

/* A JSON value as it is, which stands in the log. */
TESS_MUST_CHECK tess_status tess_imported_run_log_json(tess_record *run, const char *name,
                                                       json_t *value);

/* A measured value under its own name; a time in seconds, whatever unit of time it is given in. */
TESS_MUST_CHECK tess_status tess_imported_run_measure(tess_record *run, const char *name,
                                                      const char *unit, double value);

/* One more sample of a quantity, likewise; a '/' in its name becomes ':'. */
TESS_MUST_CHECK tess_status tess_imported_run_sample(tess_record *run, const char *name,
                                                     const char *unit, double value);

/* A run that did not come to a result, and why. */
TESS_MUST_CHECK tess_status tess_imported_run_fail(tess_record *run, const char *why);

/* Seconds of a unit of time ("ns", "usecond", "milliseconds"); 0 of any other unit. */
double tess_time_unit_seconds(const char *unit);

/* Notes in each run what tells it from others, `import_digest`: all that the file says of it but
 * where the file lies; a run that is there twice stays once. */
TESS_MUST_CHECK tess_status tess_imported_runs_finish(tess_imported_runs *runs);
