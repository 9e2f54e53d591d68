/* The reference: the state after a loop ran once, in double, against which results are checked. */
#pragma once

#include "kernels/loops/application.h"

/* The state after the kernel's loop ran once on `start`, in double: by the compiled-in reference,
 * else by the strategy `sequential` on the host. */
TESS_MUST_CHECK tess_status tess_reference_run(const tess_kernel *kernel, const tess_state *start,
                                               tess_state **out);

/* The state after n loops, one after the other. */
TESS_MUST_CHECK tess_status tess_reference_run_all(const tess_kernel *const *kernels, int n,
                                                   const tess_state *start, tess_state **out);
