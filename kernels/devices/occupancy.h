/* Occupancy: the share of a multiprocessor's warps that registers and shared memory let it hold. */
#pragma once

#include <stdint.h>

/* Bytes of shared memory that a block may have from capability 90 on. */
enum { TESS_MOST_SHARED = 232448 };

/* What one thread block takes. */
typedef struct tess_block_needs {
    int threads, registers; /* registers: of a thread */
    int64_t shared_bytes;   /* static and dynamic */
} tess_block_needs;

/* Warps of the resident blocks / warps a multiprocessor holds, on an NVIDIA GPU of that compute
 * capability, say 90 (CUDA programming guide, "Technical specifications per compute capability";
 * registers go to warps by 256, each quarter of a multiprocessor has a quarter of them). 0: not
 * even one block fits; NaN: a capability that is not known. */
double tess_occupancy(int capability, const tess_block_needs *needs);

/* kB of a multiprocessor's memory that are shared where as many such blocks run on it as can, from
 * capability 80 on (the same guide: of 0, 8, 16, 32, 64, 100, 132, 164, 196 and 228, those that it
 * has); the rest is L1. -1: a capability that is not known. */
int tess_carveout(int capability, const tess_block_needs *needs);
