/* The emulator: runs a strategy's text on the CPU, checks every access and counts what a GPU would
 * do. Blocks run to completion, spread over the cores. */
#pragma once

#include "kernels/devices/emulator/cache_machine.h"
#include "kernels/devices/emulator/thread_block.h"

typedef struct tess_emulator_options {
    int workers;               /* threads of the host that run blocks; 0: one a core */
    uint64_t seed;             /* of the order of threads inside a block; 0: ascending */
    bool check;                /* races, bounds, uninitialised shared memory */
    bool count;                /* sectors, lanes, conflicts */
    int64_t memory;            /* bytes; 0: as many as the machine has */
    int64_t sample;            /* blocks of a launch to execute, evenly spaced; 0: all */
    tess_cache_machine caches; /* whose caches are emulated; without multiprocessors: none are */
    bool profiled;             /* what they are asked for is counted as profilers do */
    bool warm; /* ... is counted of launches that follow others: the L2 is as these have it */
} tess_emulator_options;

typedef struct tess_emulator tess_emulator;

TESS_MUST_CHECK tess_status tess_emulator_open(const tess_emulator_options *options,
                                               tess_emulator **out);
void tess_emulator_close(tess_emulator *emulator);

/* Memory of the emulated device: the emulator's, zeroed, freed by it at the latest when closed. */
TESS_MUST_CHECK tess_status tess_emulator_alloc(tess_emulator *emulator, const char *name,
                                                int64_t size, void **out);
void tess_emulator_free(tess_emulator *emulator, void *base);

typedef struct tess_emulator_launch {
    void (*kernel)(const struct params *params);
    const void *params;            /* the kernel's struct params */
    const struct simt_site *sites; /* simt_module_sites() of its module */
    int64_t n_blocks;
    int threads;
    int64_t shared_bytes;
} tess_emulator_launch;

/* Runs a kernel. Fails (CHECK) with the first wrong thing that a block does (of the lowest block
 * among those that ran). */
TESS_MUST_CHECK tess_status tess_emulator_run(tess_emulator *emulator,
                                              const tess_emulator_launch *launch);

/* What was counted since the emulator was opened or last reset; with a sample, estimated launch by
 * launch. */
const tess_counters *tess_emulator_counters(const tess_emulator *emulator);
void tess_emulator_reset_counters(tess_emulator *emulator);
