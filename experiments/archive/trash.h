/* The trash of a lab: lab/trash/<id>.hdf and trash/<id>/ (its notes), runs that were removed. */
#pragma once

#include "experiments/archive/lab.h"

/* Moves a run with its notes to the trash, or back. */
TESS_MUST_CHECK tess_status tess_trash_put(const tess_lab *lab, const char *id);
TESS_MUST_CHECK tess_status tess_trash_restore(const tess_lab *lab, const char *id);

/* Whether the run is in the trash. */
bool tess_trash_has(const tess_lab *lab, const char *id);

typedef struct tess_trash_count {
    int64_t runs, plans, meshes;
} tess_trash_count;

/* Deletes the runs in the trash for good, then every plan, mesh and view of the lab that no run
 * refers to, but for plans of the last hour and meshes of the last day, which somebody may be about
 * to refer to. Others may write to the lab meanwhile. Fails (CHECK) where a run of the lab cannot
 * be read: what it refers to is unknown, and no plan or mesh is deleted. */
TESS_MUST_CHECK tess_status tess_trash_empty(const tess_lab *lab, tess_trash_count *deleted);
