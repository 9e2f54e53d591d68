/* Global colours: how many colours the elements of a whole loop take, one launch each. */
#pragma once

#include "experiments/bench/run.h"

/* Counts the colours that the strategy global-colour needs by the run's colouring, the elements
 * taken as they are stored. Only greedy and sulyok go once through the elements: 0 for other
 * colourings, loops that increment nothing and plans whose blocks own points. */
TESS_MUST_CHECK tess_status tess_global_colours_count(const tess_bound_loop *bound,
                                                      const tess_run *run, int32_t *out);
