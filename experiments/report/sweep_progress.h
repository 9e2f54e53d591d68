/* Progress of a sweep: one line on a terminal, with the time that is left as far as it is known. */
#pragma once

#include "experiments/campaign/sweep.h"

/* Notes the point at hand as what the task at hand is (core/base/progress.h). */
void tess_sweep_progress_show(const tess_sweep *sweep, int64_t point);
