/* A look at a lab: which points of a sweep are made, by this sweep or by others. */
#ifndef TESS_SWEEP_LOOK_H
#define TESS_SWEEP_LOOK_H

#include "experiments/campaign/sweep_work.h"

/* When the last look ended and how long it took, in seconds. */
typedef struct tess_sweep_look {
    double when, cost;
} tess_sweep_look;

/* Marks the points that the lab has (with retry_failed those that failed are left), and those that
 * failed in an execution before this one. */
TESS_MUST_CHECK tess_status tess_sweep_look_at(tess_sweep_work *work);

/* The same, where it takes little beside the time since the last look. */
TESS_MUST_CHECK tess_status tess_sweep_look_again(tess_sweep_work *work, tess_sweep_look *last);

#endif
