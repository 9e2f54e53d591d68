/* A winner: which of some runs is best for a loop, and by how much. */
#pragma once

#include "experiments/campaign/campaign.h"

/* For each of n runs: true where it is the best of those that were timed, or may be as fast. */
TESS_MUST_CHECK tess_status tess_winner_fastest(const tess_run *const *runs, int64_t n,
                                                bool *among);

/* One sentence that the caller frees: by measured time where runs were timed, by counted or else
 * predicted traffic where not; "" where less than two runs can be compared. */
TESS_MUST_CHECK tess_status tess_winner_words(const tess_run *const *runs, int64_t n, char **out);
