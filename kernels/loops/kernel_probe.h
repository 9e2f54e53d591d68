/* A probe: a user's kernel called on a few elements' own values, apart from every strategy, to see
 * that it keeps to its args. A check against the same function elsewhere would not show it. */
#pragma once

#include "kernels/loops/application.h"

/* Compiles the kernel alone and calls it on elements of `start`. Fails (INPUT), naming the arg,
 * where its parameters are not those that the description says, where it reads or writes outside of
 * an arg's values, writes what is read only or gives no number, computes for more than 2 s on one
 * element, and where equal args give different results. `header` and `description` are the files,
 * for messages. */
TESS_MUST_CHECK tess_status tess_kernel_probe(const tess_kernel *kernel,
                                              const tess_bound_loop *bound, const tess_state *start,
                                              const char *header, const char *description);
