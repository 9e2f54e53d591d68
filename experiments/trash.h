/* The trash of a lab: lab/trash/<id>.hdf and trash/<id>/ (its notes), runs that were removed. */
#ifndef TESS_TRASH_H
#define TESS_TRASH_H

#include "experiments/lab.h"

/* Moves a run with its notes to the trash, or back. */
TESS_MUST_CHECK tess_status tess_trash_put(const tess_lab *lab, const char *id);
TESS_MUST_CHECK tess_status tess_trash_restore(const tess_lab *lab, const char *id);

/* True when the run is in the trash. */
bool tess_trash_has(const tess_lab *lab, const char *id);

/* Deletes the runs in the trash for good, and the plans and views that only they referred to and
 * that nobody has stored within the last hour (somebody may be about to refer to those). */
TESS_MUST_CHECK tess_status tess_trash_empty(const tess_lab *lab, int64_t *n_runs,
                                             int64_t *n_plans);

#endif
