/* tess-worker: runs one third-party partitioner for tess, so that its crash is not tess's. */
#include "partitioners/partitioner.h"
#include "partitioners/worker/worker.h"
#include "partitioners/worker/worker_request.h"

#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static tess_status answer(tess_worker_request *request) {
    tess_status status = TESS_OK;
    tess_spec *specs = NULL;
    int n_specs = 0;
    const tess_partitioner *partitioner = NULL;
    omp_set_num_threads(request->n_threads);
    CHECK(tess_spec_list_parse(request->spec, &specs, &n_specs));
    CHECK(tess_partitioner_find(specs[0].name, &partitioner));
    CHECK(tess_spec_check(&specs[0], partitioner->options));
    request->report->mark = tess_process_mark_now();
    CHECK(partitioner->partition(&request->problem, &specs[0], request->block_of));
done:
    tess_spec_list_free(specs, n_specs);
    return status;
}

int main(int argc, char **argv) {
    if (argc != 2 || strcmp(argv[1], "--run") != 0) {
        fputs("tess-worker is started by tess, with a request on file descriptor 3\n", stderr);
        return 2;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* nobody waits for an answer any more */
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    tess_worker_request *request = NULL;
    if (tess_worker_request_open(TESS_WORKER_FD, &request) != TESS_OK) {
        fprintf(stderr, "%s\n", tess_message());
        return 2;
    }
    tess_worker_report *report = request->report;
    report->status = answer(request);
    snprintf(report->message, sizeof report->message, "%s",
             report->status == TESS_OK ? "" : tess_message());
    const int64_t children = tess_process_children_peak_bytes();
    report->peak_bytes = larger(tess_process_peak_bytes(), children);
    report->grown_bytes = larger(tess_process_grown_bytes(&report->mark), children);
    report->finished = true;
    tess_worker_request_free(request);
    return 0;
}
