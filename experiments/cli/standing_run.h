/* A standing run: one experiment that is made ready once, and timed whenever a line asks for it. */
#pragma once

#include "experiments/bench/bench.h"

/* Runs until the standard input ends. Prints "PREFIXready", then for each line that it reads
 * "PREFIXSECONDS", the median of the experiment's samples, whose data were placed anew and whose
 * result was checked. Fails as the experiment does. Nothing is archived. */
TESS_MUST_CHECK tess_status tess_standing_run(const tess_experiment *experiment,
                                              const tess_bench_options *options);
