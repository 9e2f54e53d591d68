/* A record: what a run leaves (docs/concepts.md, "The lab").
 *
 * tess_record_new takes the provenance, so it is called before the run; the steps of the run then
 * add to it, and the lab stores it whole (experiments/archive/lab.h). */
#pragma once

#include "core/plan/chain_blocks.h"
#include "core/plan/metrics.h"
#include "experiments/archive/digest.h"
#include "experiments/archive/values.h"
#include <jansson.h>
#include <stdbool.h>

enum { TESS_RUN_ID_SIZE = 27, TESS_TIME_SIZE = 25, TESS_SOURCE_SIZE = 16 };

typedef enum tess_outcome { TESS_UNCHECKED, TESS_PASSED, TESS_FAILED } tess_outcome;

const char *tess_outcome_name(tess_outcome outcome); /* "unchecked", "passed", "failed" */

/* One metric of a run. The same name from two sources is two values. */
typedef struct tess_measure {
    char name[TESS_METRIC_NAME_SIZE];
    char unit[TESS_NAME_SIZE];
    char source[TESS_SOURCE_SIZE]; /* "plan", "counter", "timer", "driver", "system",
                                      "emulator", "sample" (estimated from some blocks) */
    double value;
} tess_measure;

/* Every sample of one quantity, in the order in which they were taken. Beside "time", of the same
 * length, the round of its session that each was taken in and the seconds since that began. */
#define TESS_SERIES_ROUND "round"
#define TESS_SERIES_START "start"
/* And, where the device tells, the clocks just after it. */
#define TESS_SERIES_CLOCK "clock"
#define TESS_SERIES_MEMORY_CLOCK "memory_clock"
typedef struct tess_series {
    char name[TESS_NAME_SIZE]; /* "time", "clock" */
    char unit[TESS_NAME_SIZE];
    int64_t n, capacity;
    double *values;
} tess_series;

/* Sets with more elements are not kept, of ranks nor of chains. */
enum { TESS_MOST_KEPT_ELEMENTS = 1000000 /* as many as a view is written of */ };

/* Which rank each element of the set that was cut belongs to. */
typedef struct tess_rank_map {
    char set[TESS_NAME_SIZE]; /* "": nothing is kept */
    int32_t n_ranks;
    int64_t n;         /* elements of the set */
    int32_t *rank_of;  /* [n]; owned */
    int32_t *n_copies; /* [n]: how many other ranks have a copy; owned */
} tess_rank_map;

/* The blocks of a chain. */
typedef struct tess_chain_map {
    char set[TESS_NAME_SIZE];  /* whose points blocks own; "": nothing is kept */
    char *loops;               /* "res_calc+update"; owned */
    tess_chain_blocks *blocks; /* with their rings, without what they gather; owned */
} tess_chain_map;

typedef struct tess_record {
    char id[TESS_RUN_ID_SIZE];                           /* "" until it is stored */
    char time[TESS_TIME_SIZE];                           /* UTC, "2026-11-21T04:20:00.123Z" */
    char mesh[TESS_DIGEST_SIZE], plan[TESS_DIGEST_SIZE]; /* or "" */
    tess_outcome outcome;
    /* configuration: what was asked for (mesh, loop, partitioner, block_size ...); environment:
     * where and with what; steps: seconds of each; check: its message and errors */
    tess_values configuration, environment, steps, check;
    int64_t n_measures, measures_capacity;
    tess_measure *measures;
    int64_t n_series, series_capacity;
    tess_series *series;
    tess_rank_map ranks;
    tess_chain_map chain;
    char *log;  /* "" or lines */
    char *diff; /* of the program against its commit, or "" */
} tess_record;

/* A record with time and provenance of now; argc and argv are the program's. */
TESS_MUST_CHECK tess_status tess_record_new(int argc, char *const *argv, tess_record **out);
/* A record without time and provenance, of a run that was made elsewhere. */
TESS_MUST_CHECK tess_status tess_record_new_blank(tess_record **out);
void tess_record_free(tess_record *record);

/* Sets the time to now. */
void tess_record_date(tess_record *record);

TESS_MUST_CHECK tess_status tess_record_add_measure(tess_record *record, const char *name,
                                                    const char *unit, const char *source,
                                                    double value);
/* All values of `metrics`. */
TESS_MUST_CHECK tess_status tess_record_add_metrics(tess_record *record,
                                                    const tess_metrics *metrics);
/* A value by name, or NaN; source NULL: the first of any. */
double tess_record_measure(const tess_record *record, const char *name, const char *source);

TESS_MUST_CHECK tess_status tess_record_add_sample(tess_record *record, const char *series,
                                                   const char *unit, double value);
/* True for a series that says when the others were taken and has no median worth knowing. */
bool tess_series_is_timing(const char *name);
/* The samples of that name, or NULL. */
const tess_series *tess_record_series(const tess_record *record, const char *name);

TESS_MUST_CHECK tess_status tess_record_add_step(tess_record *record, const char *step,
                                                 double seconds);
/* Keeps copies of rank_of and n_copies [n]. */
TESS_MUST_CHECK tess_status tess_record_set_ranks(tess_record *record, const tess_rank_map *ranks);
/* Keeps copies of a chain's name, of its owner and of its blocks' points, unless these are too
 * many. */
TESS_MUST_CHECK tess_status tess_record_set_chain(tess_record *record, const char *loops,
                                                  const char *set, const tess_chain_blocks *blocks);
/* What the check said; `message` may be "". */
TESS_MUST_CHECK tess_status tess_record_set_check(tess_record *record, tess_outcome outcome,
                                                  const char *message);
/* Appends a line to the log. */
TESS_MUST_CHECK tess_status tess_record_log(tess_record *record, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Everything of a record: run, time, outcome, configuration, metrics with long_name, samples,
 * steps, check, environment, log, diff; numbers as {value, unit}. NULL when out of memory. */
json_t *tess_record_json(const tess_record *record);
