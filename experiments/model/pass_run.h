/* Passes that are run: what this machine takes for each. */
#pragma once

#include "experiments/model/pass_cost.h"
#include "kernels/devices/device.h"

/* Runs passes, at most two, that differ in their numberings alone, by one thread, in turns, so that
 * all of them meet what others leave of the caches meanwhile; fills [n_turns][n_passes] seconds of
 * processor time. Turns that take seconds are fewer, seven at least: n_turns is how many there
 * were. A time is taken over 5 ms at least; of one pass alone over the 150th part of what this
 * thread took before, or 2 ms where that is less: sixteen times of a small mesh are a ninth of what
 * it takes to read and order it. Fails (MISSING) without a compiler. The device is NULL for this
 * processor, or a GPU, where passes read, compute, add and write alone: values are floats where
 * those of a point are no doubles, a thread has an element, of a window a block, and it adds by
 * atomics. */
TESS_MUST_CHECK tess_status tess_pass_run(const char *device, const tess_pass *passes, int n_passes,
                                          int *n_turns, double *seconds);

/* Gives the text of a pass for this processor or a GPU; free it. */
TESS_MUST_CHECK tess_status tess_pass_page(const tess_pass *pass, bool on_gpu, char **out);
