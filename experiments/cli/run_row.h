/* A row: one run of a loop as reports show it, and its JSON. */
#ifndef TESS_RUN_ROW_H
#define TESS_RUN_ROW_H

#include "experiments/archive/run_id.h"
#include "experiments/bench/hardware_counters.h"
#include "kernels/run/trial.h"
#include <jansson.h>

typedef struct tess_run_row {
    char *partitioner, *strategy; /* canonical specs; owned */
    int32_t block_size;
    char *failure;    /* words, NULL where it went well; owned */
    bool misfit;      /* the strategy is none for this loop: nothing failed */
    bool interrupted; /* before enough samples were taken: not kept */
    tess_trial trial; /* owned */
    bool graph;       /* its launches are made as one */
    tess_hardware_counters hardware;
    char *uncounted;                /* why there are none though asked for; NULL; owned */
    double redundancy;              /* elements executed per element */
    double bandwidth;               /* useful bytes a second; NaN where nothing was timed */
    double copy_bandwidth;          /* of the process that timed it, B/s; 0 where nothing was */
    char *run;                      /* id in the lab, NULL where not archived; owned */
    char session[TESS_RUN_ID_SIZE]; /* of the runs timed in turns with it; "": not timed */
} tess_run_row;

/* A row with nothing in it, and what frees it. */
TESS_MUST_CHECK tess_status tess_run_row_new(tess_run_row **out);
void tess_run_row_free(tess_run_row *row);

/* One word of how it ended: passed, unchecked, FAILED, no fit, interrupted. */
const char *tess_run_row_check(const tess_run_row *row);

/* Mean share of lanes that were active in an instruction; NaN where none was counted. */
double tess_run_row_lanes(const tess_counters *counters);

/* The row as JSON, NULL where memory is short. */
json_t *tess_run_row_json(const tess_run_row *row);

/* Fills a new row that tess_run_row_name named with all else that its JSON says, but for the
 * counters of the device, which only the emulator has. Fails (INPUT) where that is no row. */
TESS_MUST_CHECK tess_status tess_run_row_read(const json_t *json, tess_run_row *row);

#endif
