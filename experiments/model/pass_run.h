/* A pass that is run: what this machine takes for it in two numberings. */
#pragma once

#include "experiments/model/pass_cost.h"
#include "kernels/devices/device.h"

/* Runs the pass in the numberings of both, which differ in nothing else, in turns, by one thread;
 * gives the least seconds of processor time of each, so that what else runs matters little. Fails
 * (MISSING) without a compiler. */
TESS_MUST_CHECK tess_status tess_pass_run(const tess_pass passes[2], double seconds[2]);
