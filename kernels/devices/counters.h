/* Counters: what a device counted of the launches that it ran. */
#ifndef TESS_COUNTERS_H
#define TESS_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

/* docs/concepts.md, "Metrics", source `emulator`. */
typedef struct tess_counters {
    int64_t blocks_executed, blocks_launched; /* the first are fewer where a sample ran */
    int64_t thread_steps; /* a thread begun, or a barrier or warp word passed by one thread */
    /* Of all blocks; where a sample ran, estimated. */
    int64_t barriers;     /* passed by a block */
    int64_t warp_words;   /* passed by a warp or the part of it that its mask names */
    int64_t instructions; /* warp-level memory instructions ... */
    int64_t active_lanes; /* ... and the lanes in them */
    int64_t read_sectors, write_sectors, atomic_sectors; /* distinct 32-byte ones, global memory */
    int64_t atomics;                                     /* to global memory, by threads */
    int64_t shared_wavefronts;                           /* of shared memory */
    int64_t shared_bank_conflicts; /* those beyond the first of each part of a request */
} tess_counters;

void tess_counters_add(tess_counters *to, const tess_counters *from);

/* Makes of what was counted in one launch's sample of blocks an estimate for all it launched. */
void tess_counters_scale(tess_counters *counters);

/* Whether a sample ran. */
bool tess_counters_estimated(const tess_counters *counters);

#endif
