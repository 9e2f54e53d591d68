/* A filing: the mesh of a bench, stored in the lab by another thread while its loop is run. */
#include "experiments/bench/filing.h"

#include "core/base/array.h"
#include "core/base/hdf_file.h"
#include "core/base/interrupt.h"
#include "core/base/step_back.h"
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct tess_filing {
    tess_workload_names names;
    tess_lab *lab;
    pthread_t thread;
    bool is_joined; /* the thread */
    atomic_bool over;
    tess_status status;
    char *message; /* of the failure; NULL; owned */
    char digest[TESS_DIGEST_SIZE];
};

static tess_status file_mesh(tess_filing *filing) {
    tess_workload load = {.mesh = NULL};
    TRY(tess_workload_open(&filing->names, &load));
    tess_hdf_take(); /* and what the lab remembers */
    const tess_status status = tess_lab_store_mesh(filing->lab, load.mesh, filing->digest);
    tess_hdf_leave();
    tess_workload_clear(&load);
    return status;
}

static void *work(void *context) {
    tess_filing *filing = context;
    tess_thread_step_back();
    filing->status = file_mesh(filing);
    if (filing->status != TESS_OK && tess_text_copy(tess_message(), &filing->message) != TESS_OK)
        filing->message = NULL;
    atomic_store(&filing->over, true);
    return NULL;
}

tess_status tess_filing_begin(const tess_workload_names *names, tess_lab *lab, tess_filing **out) {
    tess_filing *filing = NULL;
    TRY(TESS_ZEROS(1, &filing));
    filing->names = *names;
    filing->names.all_maps = filing->names.unexecuted = true;
    filing->names.reference_beside = false;
    filing->lab = lab;
    if (pthread_create(&filing->thread, NULL, work, filing) != 0) {
        free(filing);
        FAIL(TESS_ERROR_MEMORY, "no thread can be started");
    }
    *out = filing;
    return TESS_OK;
}

bool tess_filing_is_over(const tess_filing *filing) {
    return atomic_load(&filing->over);
}

tess_status tess_filing_wait(tess_filing *filing, char digest[TESS_DIGEST_SIZE]) {
    if (!filing->is_joined)
        pthread_join(filing->thread, NULL);
    filing->is_joined = true;
    if (filing->status != TESS_OK)
        FAIL(filing->status, "%s", filing->message ? filing->message : "a mesh cannot be stored");
    memcpy(digest, filing->digest, TESS_DIGEST_SIZE);
    return TESS_OK;
}

void tess_filing_end(tess_filing *filing) {
    if (!filing)
        return;
    if (!filing->is_joined) {
        tess_interrupt_at(0);
        pthread_join(filing->thread, NULL);
        tess_interrupt_at(INFINITY);
    }
    free(filing->message);
    free(filing);
}
