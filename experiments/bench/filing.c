/* A filing: the mesh of a bench, stored in the lab by another thread while its loop is run. */
#include "experiments/bench/filing.h"

#include "core/base/array.h"
#include "core/base/errand.h"
#include "core/base/hdf_file.h"
#include "core/base/interrupt.h"
#include "core/base/step_back.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct tess_filing {
    tess_workload_names names;
    const tess_mesh *mesh; /* NULL: opened by its name */
    tess_lab *lab;
    tess_errand *errand;
    char digest[TESS_DIGEST_SIZE];
};

static tess_status store(tess_filing *filing, const tess_mesh *mesh) {
    tess_hdf_take(); /* and what the lab remembers */
    const tess_status status = tess_lab_store_mesh(filing->lab, mesh, filing->digest);
    tess_hdf_leave();
    return status;
}

static tess_status file_mesh(void *context) {
    tess_filing *filing = context;
    tess_workload load = {.mesh = NULL};
    tess_thread_step_back();
    if (filing->mesh)
        return store(filing, filing->mesh);
    TRY(tess_workload_open(&filing->names, &load));
    const tess_status status = store(filing, load.mesh);
    tess_workload_clear(&load);
    return status;
}

tess_status tess_filing_begin(const tess_workload_names *names, const tess_mesh *mesh,
                              tess_lab *lab, tess_filing **out) {
    tess_filing *filing = NULL;
    TRY(TESS_ZEROS(1, &filing));
    filing->names = *names;
    filing->names.all_maps = filing->names.unexecuted = true;
    filing->names.reference_beside = false;
    filing->mesh = mesh;
    filing->lab = lab;
    const tess_status status = tess_errand_begin(file_mesh, filing, &filing->errand);
    if (status == TESS_OK)
        *out = filing;
    else
        free(filing);
    return status;
}

bool tess_filing_is_over(const tess_filing *filing) {
    return tess_errand_is_over(filing->errand);
}

tess_status tess_filing_wait(tess_filing *filing, char digest[TESS_DIGEST_SIZE]) {
    TRY(tess_errand_wait(filing->errand));
    memcpy(digest, filing->digest, TESS_DIGEST_SIZE);
    return TESS_OK;
}

void tess_filing_end(tess_filing *filing) {
    if (!filing)
        return;
    const bool over = tess_errand_is_over(filing->errand);
    if (!over)
        tess_interrupt_at(0);
    tess_errand_free(filing->errand);
    if (!over)
        tess_interrupt_at(INFINITY);
    free(filing);
}
