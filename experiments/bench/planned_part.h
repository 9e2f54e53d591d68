/* A planned part: blocks of a part of a mesh, as ranks have them. */
#pragma once

#include "experiments/bench/planned.h"

/* As tess_planned_cut, of the first n points of the owned set; 0: of all. */
TESS_MUST_CHECK tess_status tess_planned_cut_first(tess_planned *planned,
                                                   const tess_experiment *experiment,
                                                   const tess_bound_loop *bound,
                                                   const char *owned_set, int64_t n);
