/* Derived measures: what follows from a run's counters and times, an element or a second. */
#pragma once

#include "experiments/bench/run.h"

/* Adds to the run's record what its trial and counters allow: `flop_rate`, `l2_hit_rate`, and the
 * sectors of 32 bytes that an element of the loop asks of the L2 and of memory. */
TESS_MUST_CHECK tess_status tess_record_derived(const tess_run *run, int64_t n_elements);

/* One of them, or NaN. */
double tess_derived_measure(const tess_run *run, int64_t n_elements, const char *name);
