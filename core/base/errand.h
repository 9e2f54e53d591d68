/* An errand: a call that another thread makes while this one goes on. */
#pragma once

#include "core/base/status.h"
#include <stdbool.h>

typedef struct tess_errand tess_errand;

/* Begins to make the call; the context outlives the errand. */
TESS_MUST_CHECK tess_status tess_errand_begin(tess_status (*call)(void *context), void *context,
                                              tess_errand **out);

/* Whether it is over, well or not. */
bool tess_errand_is_over(const tess_errand *errand);

/* Waits until it is over; fails as the call did, in its words. May be asked again, by any thread.
 */
TESS_MUST_CHECK tess_status tess_errand_wait(tess_errand *errand);
/* That; where it is not over, these words tell of the progress meanwhile. */
TESS_MUST_CHECK tess_status tess_errand_wait_for(tess_errand *errand, const char *words);

/* Waits until it is over. Accepts NULL. */
void tess_errand_free(tess_errand *errand);
