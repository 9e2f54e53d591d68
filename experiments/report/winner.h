/* A winner: which of some runs is best for a loop, and by how much. */
#pragma once

#include "experiments/model/expectation.h"

/* For each of n runs: true where it is the best of those that were timed, or may be as fast. */
TESS_MUST_CHECK tess_status tess_winner_fastest(const tess_run *const *runs, int64_t n,
                                                bool *among);

/* Gives the run that is best: by measured time where runs were timed, else by predicted time, else
 * by traffic, counted or estimated; -1 where none has any of these. */
TESS_MUST_CHECK tess_status tess_winner_find(const tess_run *const *runs, int64_t n,
                                             const tess_expectation *expectation, int64_t *out);

/* One sentence that the caller frees, by the same rule; with what the best gains over the mesh as
 * it is stored where that is expected. `expectation` may be NULL; "" where nothing can be said. */
TESS_MUST_CHECK tess_status tess_winner_words(const tess_run *const *runs, int64_t n,
                                              const tess_expectation *expectation, char **out);

/* Whether the mesh is too small for a GPU to care how it is cut, by what is predicted. */
TESS_MUST_CHECK tess_status tess_winner_is_small(const tess_run *const *runs, int64_t n,
                                                 const tess_expectation *expectation, bool *out);
