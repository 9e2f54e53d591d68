/* Moving a trial: what it has on the device lies elsewhere afterwards, as in another process. */
#pragma once

#include "kernels/run/trial.h"

/* Whether an open trial can be moved: one whose memory is all known, on a device that copies. */
bool tess_trial_can_move(const tess_trial *trial);

/* Moves its dats and arrays, with their values, to memory that is taken while they still hold what
 * they had. After a failure some may be where they were. */
TESS_MUST_CHECK tess_status tess_trial_move(tess_trial *trial);
