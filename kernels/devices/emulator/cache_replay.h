/* A cache replay: the traces of a launch's blocks through the caches of a machine.
 *
 * Block i runs on multiprocessor i modulo their number, as soon as one there has ended; in turns
 * each multiprocessor executes the next access of one of its warps, which is chosen at random, and
 * what follows that does not ask the first level. Warps wait for each other at barriers, and for
 * nothing else. What the first level lacks is read from the L2; atomics go there, and stores, those
 * to one sector as one while they wait. The L2 keeps what it has from launch to launch. */
#pragma once

#include "kernels/devices/counters.h"
#include "kernels/devices/emulator/cache.h"
#include "kernels/devices/emulator/cache_machine.h"
#include "kernels/devices/emulator/trace.h"

typedef struct tess_cache_replay {
    const tess_cache_machine *machine;
    tess_cache *l2;
    int64_t n_blocks;
    int threads; /* a block */
    int64_t shared_bytes;
    uint64_t seed;
    bool leaves_traces; /* to who gave them; else they are freed */
    /* Gives the trace of a block, which is asked for once. */
    tess_status (*trace_of)(void *context, int64_t block, tess_trace **out);
    void *context;
} tess_cache_replay;

/* Replays a launch and adds what it counts. */
TESS_MUST_CHECK tess_status tess_cache_replay_run(const tess_cache_replay *replay,
                                                  tess_counters *counters);
