/* Derived measures: what follows from what caches were asked for, a share or an element. */
#pragma once

#include "core/plan/metrics.h"

/* Adds to the values of a run, where they have what it follows from, l2_hit_rate and the sectors of
 * 32 bytes that an element of the loop asks of the L2 and of memory. */
TESS_MUST_CHECK tess_status tess_derive_measures(int64_t n_elements, tess_metrics *values);
