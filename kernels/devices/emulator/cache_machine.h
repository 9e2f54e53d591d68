/* A cache machine: how a GPU's multiprocessors hold blocks, and the caches that these share. */
#pragma once

#include "core/base/status.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct tess_cache_machine {
    const char *name;
    int multiprocessors;
    int threads, blocks;  /* that one holds */
    int64_t shared_bytes; /* for its blocks */
    /* Its first level: of `parts`, each for every parts-th warp. */
    int64_t l1_bytes;
    int l1_parts, l1_line;
    bool l1_shares;   /* the shared memory of its blocks is a part of it */
    bool l1_loads;    /* it caches loads; else what nobody writes, alone */
    int l1_stores;    /* lines of 128 bytes whose stores wait for more to the same sectors, which go
                         to the L2 as one */
    int64_t l2_bytes; /* the part of it that acts as one cache ... */
    int l2_picked;    /* ... of which the oldest of so many sectors goes (tess_cache_pick) */
    /* As launches find it that follow one another: so many bytes in so many sets
     * (tess_cache_divide); 0: as above. */
    int64_t l2_warm_bytes;
    int l2_warm_sets;
} tess_cache_machine;

/* Finds a machine by name; fails (USAGE) with a suggestion. */
TESS_MUST_CHECK tess_status tess_cache_machine_find(const char *name,
                                                    const tess_cache_machine **out);

/* Blocks that a multiprocessor holds at the same time, at least one, and what they leave of its
 * first level. */
int tess_cache_machine_resident(const tess_cache_machine *machine, int threads,
                                int64_t shared_bytes);
int64_t tess_cache_machine_l1(const tess_cache_machine *machine, int resident,
                              int64_t shared_bytes);
