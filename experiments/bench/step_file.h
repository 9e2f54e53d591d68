/* A step file: the settings of a step, as YAML.
 *
 *   application: airfoil          whose step it is; of a step of one's own the file, as --kernel
 *   mesh: airfoil:i=400:j=600     these are what a march has once; each may be missing
 *   precision: double
 *   device: cuda
 *   layout: soa,cells.q=aos
 *   renumber: owner
 *   pairs: own
 *   numbered_by: res_calc         the loop whose blocks number the mesh; else the primary one
 *   chains: auto:rings=1          runs of loops that are one kernel, as --chains takes them
 *   loops:                        what is a loop's own, as `tess run` takes it; a loop that is
 *     res_calc:                   missing is as if nothing were said of it
 *       strategy: point-parallel
 *       partitioner: mosaic:level=quick
 *       block_size: 320
 *       threads: 160
 */
#pragma once

#include "core/base/yaml_file.h"
#include "experiments/bench/step.h"

/* Takes what a march has once into an experiment, but for what is `said` [TESS_N_FIELDS] already.
 * Fails (INPUT) with file, line and key where the file is no settings of a step, of another
 * application than the experiment's, or has a wrong value. */
TESS_MUST_CHECK tess_status tess_step_file_share(tess_yaml *yaml, const bool *said,
                                                 tess_experiment *experiment);

/* Takes what is of loops into a step. Fails (INPUT) with file, line and key: of a loop or a key
 * that there is not, of a wrong value, and of a partitioner that executes code of the file's
 * writer. */
TESS_MUST_CHECK tess_status tess_step_file_apply(tess_yaml *yaml, tess_step *step);

/* Writes all settings of a step, below `about`, lines of which each begins with '#'. */
TESS_MUST_CHECK tess_status tess_step_file_write(const tess_step *step, const char *about,
                                                 const char *path);
