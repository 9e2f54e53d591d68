/* Recursive coordinate bisection on the host. */
#pragma once

#include "core/plan/cutter.h"

/* Fills block_of [what->n], by a rule that bisects. */
TESS_MUST_CHECK tess_status tess_rcb_cut(const tess_cut *what, int32_t *block_of);
