/* Counters: what a device counted of the launches that it ran. */
#pragma once

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
    int64_t atomic_repeats;    /* those at the address of a lower lane's in the same instruction */
    int64_t shared_wavefronts; /* of shared memory */
    int64_t shared_bank_conflicts; /* those beyond the first of each part of a request */
    /* Through the caches of a machine (emulator:caches); 0 without. */
    int64_t l2_read_sectors, l2_write_sectors, l2_atomic_sectors;
    int64_t dram_read_bytes, dram_write_bytes;
    /* Through these, or of a sample. */
    int64_t block_read_sectors, block_write_sectors, block_atomic_sectors; /* distinct in a block */
    int64_t memory_instructions; /* of warps, to global memory */
    int64_t memory_lines; /* of 128 bytes, distinct in each of these: those that it writes, and
                             those of which it reads sectors that its block has not read before */
} tess_counters;

void tess_counters_add(tess_counters *to, const tess_counters *from);

/* Makes of what was counted in one launch's sample of blocks an estimate for all it launched. */
void tess_counters_scale(tess_counters *counters);

/* Whether accesses went through caches; and what was counted of these, as metrics. */
bool tess_counters_cached(const tess_counters *counters);

typedef struct tess_cache_counter {
    const char *name, *unit;
    int64_t value;
} tess_cache_counter;

enum { TESS_CACHE_COUNTERS = 8 };

void tess_counters_of_caches(const tess_counters *counters,
                             tess_cache_counter out[TESS_CACHE_COUNTERS]);

/* Mean share of lanes that were active in an instruction; NaN where none was counted. */
double tess_counters_efficiency(const tess_counters *counters);

/* Whether a sample ran. */
bool tess_counters_estimated(const tess_counters *counters);
