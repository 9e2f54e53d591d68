/* Thread copies: what each thread of the host keeps for itself of the elements that it computes:
 * their own values that no loop changes, and their rows of maps. */
#pragma once

#include "kernels/codegen/page.h"

typedef struct tess_thread_copies tess_thread_copies;

/* Makes the copies of a page that is placed and compiled on the host. Of each launch a thread has
 * consecutive blocks, and touches its copies first, so that they lie in the memory next to it.
 * Values that a loop of `application` (NULL: none) changes are not copied. Page and module outlive
 * them. Fails (MEMORY) where the system gives no addresses for them. */
TESS_MUST_CHECK tess_status tess_thread_copies_make(const tess_page *page,
                                                    const tess_device_module *module,
                                                    const tess_application *application,
                                                    tess_thread_copies **out);
void tess_thread_copies_free(tess_thread_copies *copies);

/* Runs loops of one target one after another, n times, in one parallel region: threads wait for
 * each other after each launch. `after`, if any, is called by the calling thread after each time;
 * where it fails all stop, and so does this. */
TESS_MUST_CHECK tess_status tess_thread_copies_run(const tess_thread_copies *const *loops,
                                                   int n_loops, int n, tess_status (*after)(void));
