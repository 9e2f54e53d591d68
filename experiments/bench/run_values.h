/* The values of a run: all that is known of it in numbers, by the names of core/plan/quantities.h.
 */
#pragma once

#include "experiments/bench/bench.h"
#include "experiments/bench/hardware_counters.h"
#include "experiments/bench/run.h"

/* Fills run->values once its samples are taken: what its plan, its trial and the emulator counted,
 * what was timed, and what follows from these. `hardware` is what ncu counted, NULL where nothing
 * was asked for. */
TESS_MUST_CHECK tess_status tess_run_note_values(const tess_bench *bench,
                                                 const tess_hardware_counters *hardware,
                                                 tess_run *run);

/* Adds what a halo and its timed exchanges came to. */
TESS_MUST_CHECK tess_status tess_ranks_note_values(const tess_ranked_march *march,
                                                   tess_metrics *values);
