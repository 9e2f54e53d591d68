/* A worker request: a problem, a spec and the answer to them in memory that tess and its worker
 * program share. */
#pragma once

#include "core/base/temporary_folder.h"
#include "core/plan/partition.h"
#include "partitioners/worker/process_cost.h"

enum { TESS_WORKER_MESSAGE_SIZE = 2048 };

/* What the worker leaves. */
typedef struct tess_worker_report {
    bool finished; /* false: it died before it could say anything */
    tess_status status;
    int64_t peak_bytes;     /* of the worker's memory, the request included */
    int64_t grown_bytes;    /* of it for the work alone: without the request and the programs */
    tess_process_mark mark; /* where the work begins; its processor time is that of starting
                               programs and loading libraries */
    char message[TESS_WORKER_MESSAGE_SIZE];
} tess_worker_report;

typedef struct tess_worker_request {
    int fd; /* of the shared memory; closed with the request by whoever made it */
    int64_t bytes;
    void *memory;
    tess_worker_report *report;     /* in the memory, as is all below */
    int32_t *block_of;              /* [problem.n_elements] */
    const char *spec;               /* as typed */
    char *folder;                   /* [TESS_TEMPORARY_SIZE]: for its files, or "" */
    int n_threads;                  /* that the worker may use */
    tess_partition_problem problem; /* its maps are owned, what they point to is in the memory */
} tess_worker_request;

/* Puts a copy of the problem and the spec into new shared memory. */
TESS_MUST_CHECK tess_status tess_worker_request_new(const tess_partition_problem *problem,
                                                    const char *spec, tess_worker_request **out);

/* Finds the parts of a request in the shared memory `fd`. */
TESS_MUST_CHECK tess_status tess_worker_request_open(int fd, tess_worker_request **out);
void tess_worker_request_free(tess_worker_request *request);
