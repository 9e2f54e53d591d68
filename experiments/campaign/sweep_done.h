/* What of a sweep is done: the points whose records a lab has, by their digests. */
#pragma once

#include "experiments/archive/lab.h"

typedef struct tess_sweep_entry {
    char digest[TESS_DIGEST_SIZE];
    char run[TESS_RUN_ID_SIZE]; /* the latest that passed; the latest where all failed */
    bool failed;
} tess_sweep_entry;

typedef struct tess_sweep_done {
    int64_t n;
    tess_sweep_entry *entries; /* one a point, sorted by digest */
} tess_sweep_done;

/* Reads which points the lab has; a run that ended without a check's verdict counts as done.
 * *n_unreadable records could not be read and are as if they were not there. */
TESS_MUST_CHECK tess_status tess_sweep_done_read(const tess_lab *lab, tess_sweep_done *out,
                                                 int64_t *n_unreadable);
void tess_sweep_done_clear(tess_sweep_done *done);

/* The entry of a point, NULL where the lab has none. */
const tess_sweep_entry *tess_sweep_done_find(const tess_sweep_done *done, const char *digest);
