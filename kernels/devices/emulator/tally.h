/* A tally: the warp-level instructions of emulated blocks, counted from the accesses of threads.
 *
 * Threads of an emulated warp run one after another, so accesses are kept until a barrier (or the
 * end of the block) and then put together. A warp-level instruction is the k-th execution since the
 * last barrier, in one turn of the TURNS around it, by each lane that comes there, of one memory
 * word of the text: what a compiler makes of it when lanes reconverge after every branch. A
 * plain_add is a load and a store. */
#pragma once

#include "core/base/status.h"
#include "kernels/devices/counters.h"
#include "kernels/devices/emulator/simt_emulator.h"
#include "kernels/devices/emulator/trace.h"

/* The most bytes of a run. */
enum { TESS_RUN_BYTES = 4096 };

typedef struct tess_tally tess_tally;

TESS_MUST_CHECK tess_status tess_tally_new(tess_tally **out);
void tess_tally_free(tess_tally *tally);

typedef struct tess_tally_access {
    int site; /* the word's id */
    int turn;
    enum simt_access access;
    bool shared;
    uint64_t address;
    int size;
} tess_tally_access;

/* Keeps one access of a thread. False when there is no memory. */
bool tess_tally_keep(tess_tally *tally, int thread, const tess_tally_access *of);

/* Puts together what has been kept of all warps, adds it to *counters and, unless NULL, what goes
 * to global memory to the trace as an interval; forgets it. */
bool tess_tally_flush(tess_tally *tally, tess_counters *counters, tess_trace *trace);

/* Forgets what has been kept. */
void tess_tally_forget(tess_tally *tally);
