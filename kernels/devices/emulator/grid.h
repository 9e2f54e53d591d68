/* A grid: what all thread blocks of an emulated launch share. */
#pragma once

#include "kernels/devices/emulator/device_memory.h"
#include <stdbool.h>

enum { TESS_MAX_THREADS = 1024, TESS_SHARED_MAX = 256 * 1024 /* bytes */ };

struct params;

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
