/* A restart: this program executed anew in its own place, since a run broke the device for good.
 *
 * A kernel that faults takes its context with it, and what NVIDIA's driver then gives back in the
 * same process is often as broken ("the process must be terminated and relaunched", CUDA driver
 * API, CUDA_ERROR_ILLEGAL_ADDRESS). The new execution makes the same command without the runs that
 * broke the device, which it reports as failed. They are handed over in the environment. */
#ifndef TESS_RESTART_H
#define TESS_RESTART_H

#include "experiments/record.h"

/* A run that broke the device. */
typedef struct tess_breaker {
    char *key;                  /* what names it in this command */
    char *words;                /* how it failed */
    char run[TESS_RUN_ID_SIZE]; /* in the lab; "" where nothing is archived */
} tess_breaker;

typedef struct tess_restart {
    double seconds;   /* that executions before this one took */
    double began;     /* this one */
    int64_t n_handed; /* breakers that they handed over, the first of them all */
    int64_t n, capacity;
    tess_breaker *breakers; /* owned */
} tess_restart;

/* Reads what the execution before handed over, and takes it out of the environment: nothing where
 * this is the first. Fails (USAGE) where it cannot be understood. */
TESS_MUST_CHECK tess_status tess_restart_read(tess_restart *out);
void tess_restart_clear(tess_restart *restart);

/* The breaker of that key, or NULL. */
const tess_breaker *tess_restart_find(const tess_restart *restart, const char *key);

TESS_MUST_CHECK tess_status tess_restart_add(tess_restart *restart, const char *key,
                                             const char *words, const char *run);

/* True when a run broke the device in this execution: a new one would do without it. */
bool tess_restart_helps(const tess_restart *restart);

/* Executes the program anew with the same command line. Comes back only with a failure (IO). What
 * is to be kept is flushed and closed before. */
TESS_MUST_CHECK tess_status tess_restart_go(const tess_restart *restart);

#endif
