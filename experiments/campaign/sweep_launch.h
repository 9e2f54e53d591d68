/* A launch: a point of a sweep whose ranks are processes. A launcher starts them as `tess run`,
 * which archives the point's record. */
#pragma once

#include "experiments/campaign/sweep.h"

/* True where a point needs processes that a launcher starts. */
bool tess_sweep_launches(const tess_experiment *experiment);

/* Makes point i, an experiment, by processes, and fills its result. The launcher is the sweep's, or
 * srun inside of an allocation of Slurm, else mpiexec. */
TESS_MUST_CHECK tess_status tess_sweep_launch(tess_sweep *sweep, int64_t i,
                                              const tess_experiment *experiment);
