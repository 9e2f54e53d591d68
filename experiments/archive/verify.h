/* Verification of a lab: every file read, every checksum, digest and plan proved again. */
#pragma once

#include "experiments/archive/lab.h"

/* What a verification says to its caller. */
typedef struct tess_verify_listener {
    void *context;
    /* A defect of a file, a message that begins with its path. */
    void (*defect)(void *context, const char *message);
    /* A file that cannot be read now, for somebody holds it open to write. */
    void (*in_use)(void *context, const char *path);
    /* Files verified so far, of how many; may be NULL. */
    void (*progress)(void *context, int64_t n, int64_t n_files);
} tess_verify_listener;

typedef struct tess_verify_counts {
    int64_t n_meshes, n_plans, n_runs, n_views, n_defects, n_in_use;
    int64_t n_temporaries; /* of writers that are gone: removed */
} tess_verify_counts;

/* Verifies meshes (checksums, digest), plans (checksums, digest, plan_check on their mesh, and that
 * the metrics are those of the plan), runs (checksums, id, that mesh and plan are there) and views
 * (checksums); the index is made again where it is damaged. Removes temporaries of writers that are
 * gone. Defects go to the listener and are not failures of the call; nor is it a defect that
 * somebody writes to a file. */
TESS_MUST_CHECK tess_status tess_lab_verify(const tess_lab *lab,
                                            const tess_verify_listener *listener,
                                            tess_verify_counts *counts);
