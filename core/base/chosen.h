/* Chosen numbers: those below n that are wanted, ascending. */
#pragma once

#include "core/base/status.h"
#include <stdbool.h>
#include <stdint.h>

/* Gives those of 0 ... n - 1 that `is_wanted` says, *n_chosen of them, which the caller frees; it
 * is asked twice of each, on any thread. The same on any number of threads. */
TESS_MUST_CHECK tess_status tess_choose(int64_t n,
                                        bool (*is_wanted)(const void *context, int64_t i),
                                        const void *context, int64_t *n_chosen, int32_t **chosen);
