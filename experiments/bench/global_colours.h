/* Global colours: how many colours the elements of a whole loop take, one launch each. */
#pragma once

#include "experiments/bench/run.h"

/* Adds the measure global_colours to the record of a run: the colours that the strategy
 * global-colour needs by the run's colouring, the elements taken as they are stored. Only greedy
 * and sulyok go once through the elements: other colourings, loops that increment nothing and plans
 * whose blocks own points have no such measure. */
TESS_MUST_CHECK tess_status tess_record_global_colours(const tess_bound_loop *bound,
                                                       const tess_run *run);
