/* A launch: a point of a sweep that processes of its own make. They archive the point's record: a
 * launcher starts its ranks as `tess run`, and `tess record` times another program. */
#pragma once

#include "experiments/bench/experiment_value.h"

typedef struct tess_sweep_launch {
    const char *launcher; /* NULL: srun inside of an allocation of Slurm, else mpiexec */
    const char *lab, *sweep, *digest;
    bool view, fresh; /* as for tess run */
} tess_sweep_launch;

/* Whether an experiment needs processes of its own. */
bool tess_sweep_launches(const tess_experiment *experiment);

/* Makes the point that a launch describes. *exit_code is that of the command, -1 where it or its
 * launcher was killed; *reason, which the caller frees, is what was said last where it is not 0. */
TESS_MUST_CHECK tess_status tess_sweep_launch_make(const tess_sweep_launch *launch,
                                                   const tess_experiment *experiment,
                                                   int *exit_code, char **reason);
