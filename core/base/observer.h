/* An observer: is told of the steps of a long computation, without the core knowing who listens. */
#pragma once

#include "core/base/status.h"
#include <stdint.h>

typedef struct tess_observer {
    void *context;
    /* A partition in the making: block_of [n_elements] after `step`; may be NULL. */
    tess_status (*partition)(void *context, const char *what, int step, int64_t n_elements,
                             const int32_t *block_of);
    /* Progress in [0, 1]; may be NULL. Returning other than TESS_OK asks the computation to end
     * with that status. */
    tess_status (*progress)(void *context, const char *what, double fraction);
    /* What a user should know of a result that is given nevertheless, a sentence; may be NULL. */
    void (*remark)(void *context, const char *text);
    /* Where else than on the host the result was made, and the seconds that took there; may be
     * NULL. */
    void (*elsewhere)(void *context, const char *place, double seconds);
} tess_observer;
