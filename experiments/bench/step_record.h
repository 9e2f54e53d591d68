/* A step's record: the settings of a step in the configuration of a run, and taken from there. */
#pragma once

#include "experiments/archive/record.h"
#include "experiments/bench/step.h"

/* The key of the loop whose blocks number the mesh, in a march's record and in a chain's. */
#define TESS_NUMBERED_BY "numbered_by"

/* Notes of each loop what it has of its own, as SETTING/LOOP (strategy/res_calc), and which one
 * numbers the mesh. */
TESS_MUST_CHECK tess_status tess_step_record(const tess_step *step, tess_values *configuration);

/* Takes from a run, of a loop or of a march, what a march has once, but for what is `said`
 * [TESS_N_FIELDS] already. Fails (INPUT) where the run is of another application than the
 * experiment's, of blocks alone, or failed. */
TESS_MUST_CHECK tess_status tess_step_record_share(const tess_record *record, const bool *said,
                                                   tess_experiment *experiment);

/* Takes from a run of one loop all of its settings, but for what is `said` and where it ran. Fails
 * (INPUT) as the one above, and where it is a march's, a chain's or ranks'. */
TESS_MUST_CHECK tess_status tess_step_record_take(const tess_record *record, const bool *said,
                                                  tess_experiment *experiment);

/* Takes what is of loops: of a run that loop's settings, and it numbers the mesh, where it can; of
 * a chain's run, which joins the step's chains, those of the loop whose blocks it had; of a march
 * those of all. Fails (INPUT) by the run and the setting of what this program does not
 * know, and of a partitioner that executes somebody's code. */
TESS_MUST_CHECK tess_status tess_step_record_apply(const tess_record *record, tess_step *step);
