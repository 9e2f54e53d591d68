/* A cache profile: a launch through caches as a profiler counts it.
 *
 * NVIDIA's profiler, ncu, runs a launch several times, once for each group of counters, and before
 * each but the first it puts back what the launch changed. So a launch finds in the L2 what the one
 * before it left there, and what was put back as still to be written to memory. An H200 writes all
 * of that before counting ends, and all that the launch wrote (docs/results/emulator.md). */
#pragma once

#include "kernels/devices/emulator/cache_replay.h"

/* Replays a launch twice, puts back in between what it changes, and adds what the second counts.
 * Each trace is asked for once; they are freed. */
TESS_MUST_CHECK tess_status tess_cache_profile_run(const tess_cache_replay *replay,
                                                   tess_counters *counters);
