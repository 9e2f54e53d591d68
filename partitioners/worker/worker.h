/* The worker: the program that runs third-party partitioners, and how tess runs it. */
#pragma once

#include "core/plan/partition.h"
#include <limits.h>

enum { TESS_WORKER_FD = 3 }; /* where the worker finds its request */

/* What a partitioner cost. */
typedef struct tess_worker_cost {
    double cpu_seconds;       /* of the work: graphs, partitioning, the answer */
    double start_cpu_seconds; /* before it: starting programs, loading libraries */
    int64_t peak_bytes;       /* of the worker's memory, the problem and the programs included */
    int64_t grown_bytes;      /* of memory for the work alone */
} tess_worker_cost;

/* Finds the worker program: $TESS_WORKER, or tess-worker beside this program or in
 * ../libexec/tesselab; fails with MISSING without it. */
TESS_MUST_CHECK tess_status tess_worker_path(char path[PATH_MAX]);

/* Executes the worker program with the problem and the spec, waits for it, and fills block_of
 * [problem->n_elements] and what it cost.
 *
 * Fails with MISSING when there is no such program, and (CHECK) where it crashes, ends with an
 * error, or runs longer than problem->time_limit (it is killed), with the last of what it printed
 * in the message; nothing of it is left behind, neither what it started nor files in its folder.
 * The observer's progress is called ten times a second and may end the wait; the last of what a
 * worker prints that answers is a remark. */
TESS_MUST_CHECK tess_status tess_worker_run(const tess_partition_problem *problem, const char *spec,
                                            int32_t *block_of, tess_worker_cost *cost);
