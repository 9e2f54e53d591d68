/* A pass that is run: what this machine takes for it. */
#pragma once

#include "experiments/model/pass_cost.h"
#include "kernels/devices/device.h"

/* Runs the pass in its numbering by one thread, again and again; gives the median seconds of
 * processor time. Fails (MISSING) without a compiler. */
TESS_MUST_CHECK tess_status tess_pass_run(const tess_pass *pass, double *seconds);
