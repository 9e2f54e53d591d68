/* A tally: the warp-level instructions of emulated blocks, counted from the accesses of threads.
 *
 * Threads of an emulated warp run one after another, so accesses are kept until a barrier (or the
 * end of the block) and then put together. A warp-level instruction is the k-th execution since the
 * last barrier, in one turn of the TURNS around it, by each lane that comes there, of one memory
 * word of the text: what a compiler makes of it when lanes reconverge after every branch. A
 * plain_add is a load and a store. */
#ifndef TESS_TALLY_H
#define TESS_TALLY_H

#include "core/base/status.h"
#include "kernels/devices/emulator/simt_emulator.h"
#include <stdbool.h>

/* DESIGN section 7, source `emulator`. */
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

typedef struct tess_tally tess_tally;

TESS_MUST_CHECK tess_status tess_tally_new(tess_tally **out);
void tess_tally_free(tess_tally *tally);

/* Keeps one access of a thread. `site` is the word's id. False when there is no memory. */
bool tess_tally_keep(tess_tally *tally, int thread, int site, int turn, enum simt_access access,
                     bool shared, uint64_t address, int size);

/* Puts together what has been kept of all warps, adds it to *counters and forgets it. */
bool tess_tally_flush(tess_tally *tally, tess_counters *counters);

/* Forgets what has been kept. */
void tess_tally_forget(tess_tally *tally);

#endif
