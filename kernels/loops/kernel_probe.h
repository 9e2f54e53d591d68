/* A probe: a user's kernel called on a few elements' own values, apart from every strategy, to see
 * that it keeps to its args. A check against the same function elsewhere would not show it. */
#pragma once

#include "kernels/loops/user_kernel.h"

/* What is probed with which data. */
typedef struct tess_probe_setting {
    const char *header, *description; /* the kernel's files, for messages */
    const tess_state *start;          /* values of the dats that its args read */
    bool any_numbers;                 /* they are a caller's: results need not be numbers */
} tess_probe_setting;

/* Compiles the kernel alone and calls it on elements of `start`. Fails (INPUT), naming the arg,
 * where its parameters are not those that the description says, where it reads or writes outside of
 * an arg's values, writes what is read only or gives no number, computes for more than 2 s on one
 * element, and where equal args give different results; (MISSING) without a compiler. */
TESS_MUST_CHECK tess_status tess_kernel_probe(const tess_kernel *kernel,
                                              const tess_bound_loop *bound,
                                              const tess_probe_setting *setting);

/* Probes what a user wrote: one function, or parts, called one after another as strategies use
 * them, or both. `bound` is of the kernel that runs. */
TESS_MUST_CHECK tess_status tess_user_kernel_probe(const tess_user_kernel *user,
                                                   const tess_bound_loop *bound,
                                                   const tess_probe_setting *setting);
