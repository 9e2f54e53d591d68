/* A launch: a point of a sweep whose ranks are processes. A launcher starts them as `tess run`,
 * which archives the point's record. */
#pragma once

#include "experiments/bench/experiment_value.h"

typedef struct tess_sweep_launch {
    const char *launcher; /* NULL: srun inside of an allocation of Slurm, else mpiexec */
    const char *lab, *sweep, *digest;
    bool view, fresh; /* as for tess run */
} tess_sweep_launch;

/* Whether an experiment needs processes that a launcher starts. */
bool tess_sweep_launches(const tess_experiment *experiment);

/* Makes the point that a launch describes. *exit_code is that of `tess run`, -1 where the launcher
 * was killed; *reason, which the caller frees, is what was said last where it is not 0. */
TESS_MUST_CHECK tess_status tess_sweep_launch_make(const tess_sweep_launch *launch,
                                                   const tess_experiment *experiment,
                                                   int *exit_code, char **reason);
