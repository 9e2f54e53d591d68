/* A restart: this program executed anew in its own place, since a run broke the device for good.
 *
 * A kernel that faults takes its context with it, and what NVIDIA's driver then gives back in the
 * same process is often as broken ("the process must be terminated and relaunched", CUDA driver
 * API, CUDA_ERROR_ILLEGAL_ADDRESS). The new execution makes the same command without the runs that
 * are over, those that broke the device among them, and reports them as they ended. They are handed
 * over as JSON in a file without a name, whose number is in the environment. */
#pragma once

#include "core/base/status.h"
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* A run that is over. */
typedef struct tess_ended_run {
    char *key;   /* what names it in this command; owned, as is the next */
    json_t *how; /* it ended, in the words of the command */
} tess_ended_run;

typedef struct tess_restart {
    double seconds; /* that executions before this one took */
    double began;   /* this one */
    bool broken;    /* a run of this one broke the device: a new one would do without it */
    int64_t n, capacity;
    tess_ended_run *runs; /* owned */
} tess_restart;

/* Reads what the execution before handed over, and takes it out of the environment: nothing where
 * this is the first. Fails (USAGE) where it cannot be understood. */
TESS_MUST_CHECK tess_status tess_restart_read(tess_restart *out);
void tess_restart_clear(tess_restart *restart);

/* How the run of that key ended, which no other run of the command has; NULL: it is not over. */
const json_t *tess_restart_take(const tess_restart *restart, const char *key);

/* Notes that a run is over; takes `how`, where it is NULL fails (MEMORY). */
TESS_MUST_CHECK tess_status tess_restart_add(tess_restart *restart, const char *key, json_t *how,
                                             bool broke_the_device);

/* Executes the program anew with the same command line. Comes back only with a failure (IO). What
 * is to be kept is flushed and closed before. */
TESS_MUST_CHECK tess_status tess_restart_go(const tess_restart *restart);
