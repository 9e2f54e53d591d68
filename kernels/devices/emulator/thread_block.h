/* A thread block in the emulator: its threads as fibres on one core, run to completion.
 *
 * One object serves many blocks, one after another (a worker has one). A thread runs until it waits
 * (barrier, warp word) or ends. Stacks are taken from the top of a pile when a thread begins and go
 * back when it ends, so threads that never wait all use one hot stack. */
#pragma once

#include "kernels/devices/counters.h"
#include "kernels/devices/emulator/grid.h"
#include "kernels/devices/emulator/trace.h"

typedef struct tess_thread_block tess_thread_block;

TESS_MUST_CHECK tess_status tess_thread_block_new(tess_thread_block **out);
void tess_thread_block_free(tess_thread_block *block);

/* Runs block `index` of the grid and adds what it counted to *counters, its accesses to an empty
 * trace unless that is NULL. Fails (CHECK) with file,
 * line, block and thread on a divergent barrier, a wrong mask, an access outside of what is
 * allocated, a read of shared memory that nobody wrote, or a race. */
TESS_MUST_CHECK tess_status tess_thread_block_run(tess_thread_block *block, const tess_grid *grid,
                                                  int64_t index, tess_counters *counters,
                                                  tess_trace *trace);
