/* A thread block in the emulator: its threads as fibres on one core, run to completion.
 *
 * One object serves many blocks, one after another (a worker has one). A thread runs until it waits
 * (barrier, warp word) or ends. Stacks are taken from the top of a pile when a thread begins and go
 * back when it ends, so threads that never wait all use one hot stack. */
#ifndef TESS_THREAD_BLOCK_H
#define TESS_THREAD_BLOCK_H

#include "kernels/devices/emulator/device_memory.h"
#include "kernels/devices/emulator/tally.h"

enum { TESS_MAX_THREADS = 1024, TESS_SHARED_MAX = 256 * 1024 /* bytes */ };

struct params;

/* What all blocks of a launch share. */
typedef struct tess_grid {
    void (*kernel)(const struct params *params);
    const void *params;
    const struct simt_site *sites; /* of the module */
    tess_device_memory *memory;
    uint32_t launch; /* from 1 */
    int64_t n_blocks;
    int threads;          /* a block */
    int64_t shared_bytes; /* a block */
    uint64_t seed;        /* of the order of threads; 0: ascending */
    bool check, count;    /* where the module was compiled with SIMT_CHECK=1 */
} tess_grid;

typedef struct tess_thread_block tess_thread_block;

TESS_MUST_CHECK tess_status tess_thread_block_new(tess_thread_block **out);
void tess_thread_block_free(tess_thread_block *block);

/* Runs block `index` of the grid and adds what it counted to *counters. Fails (CHECK) with file,
 * line, block and thread on a divergent barrier, a wrong mask, an access outside of what is
 * allocated, a read of shared memory that nobody wrote, or a race. */
TESS_MUST_CHECK tess_status tess_thread_block_run(tess_thread_block *block, const tess_grid *grid,
                                                  int64_t index, tess_counters *counters);

#endif
