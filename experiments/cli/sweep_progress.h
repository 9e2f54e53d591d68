/* Progress of a sweep: one line on a terminal, with the time that is left as far as it is known. */
#pragma once

#include "experiments/campaign/sweep.h"

typedef struct tess_sweep_estimate {
    int64_t n_left;   /* points yet to be made */
    double seconds;   /* for those whose mesh and loop have been timed */
    int64_t n_unseen; /* the others */
} tess_sweep_estimate;

/* What is left and how long it takes: points on the same mesh and loop are expected to take as long
 * as those of them that were made in this sweep took in the mean. */
tess_sweep_estimate tess_sweep_estimate_of(const tess_sweep *sweep);

/* Notes the point at hand as what the task at hand is (core/base/progress.h). */
void tess_sweep_progress_show(const tess_sweep *sweep, int64_t point);
