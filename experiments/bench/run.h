/* A run: one experiment while it is made, then what came of it, as reports show it. */
#pragma once

#include "experiments/bench/planned.h"
#include "experiments/bench/ranked_march.h"
#include "kernels/run/trial.h"
#include <jansson.h>

typedef struct tess_run {
    const tess_experiment *experiment; /* the caller's, which outlives the run */
    int64_t number;                    /* of the experiment in its campaign */

    /* While it is made. */
    const tess_observer *observer; /* of the partitioner; the caller's; NULL */
    tess_record *record;           /* owned */
    tess_planned *planned;         /* a share; NULL before the blocks are there */
    tess_ranked_march *ranked;     /* of its loop on ranks; NULL: without ranks; owned */
    tess_status status;            /* of its samples */
    bool left;                     /* it takes no more samples, those that it has are kept */
    double value;                  /* that it is chosen by, where it is; NaN */

    /* What came of it. */
    char *failure;       /* a message, NULL where it went well; owned */
    bool not_applicable; /* the partitioner or strategy does not fit the loop: nothing failed */
    bool refused;        /* what it was given to read is wrong: nothing ran */
    bool missing;        /* it failed for what this machine lacks: nothing ran */
    bool interrupted;    /* before enough samples were taken: not kept */
    char *run;           /* id in the lab, NULL where not archived; owned */
    double seconds;      /* that it took; of those timed in turns the first has all the turns */

    tess_metrics *values; /* all its numbers (experiments/bench/run_values.h); owned */

    /* Where blocks were cut. */
    char *plan_file, *view_file; /* or NULL; owned, as the next */
    char *unviewed;              /* why the view cannot be written; NULL */

    /* Where the loop was executed. */
    tess_trial trial;               /* owned */
    bool graph;                     /* its launches are made as one */
    bool is_ranked;                 /* on ranks */
    bool is_agreed;                 /* all processes of its job know how it stands */
    char *uncounted;                /* why ncu counted nothing though asked to; NULL; owned */
    char session[TESS_RUN_ID_SIZE]; /* of the runs timed in turns with it; "": not timed */
} tess_run;

/* A run with nothing in it, and what frees it. */
TESS_MUST_CHECK tess_status tess_run_new(const tess_experiment *experiment, int64_t number,
                                         tess_run **out);
void tess_run_free(tess_run *run);

/* Gives back what it holds on the device. */
void tess_run_close(tess_run *run);

/* Frees what it needs only while it is made. */
void tess_run_settle(tess_run *run);

/* One word of how it ended: passed, unchecked, FAILED, not applicable, interrupted. */
const char *tess_run_check(const tess_run *run);

/* A number of the run by the name of core/plan/quantities.h, NaN where it has none: one of its
 * values, the median of its samples (median_time), or how far its result was off (difference). */
double tess_run_value(const tess_run *run, const char *name);

/* Puts all its values into an object: those of the hardware's counters into its `counters`, those
 * of ranks into its `ranks`. */
void tess_run_set_values(const tess_run *run, json_t *object);

/* The run as JSON, NULL where memory is short. */
json_t *tess_run_json(const tess_run *run);

/* Fills a new run with all that its JSON says. Fails (INPUT) where that is no run. */
TESS_MUST_CHECK tess_status tess_run_read(const json_t *json, tess_run *run);
