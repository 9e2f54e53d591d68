/* A partition: which block each element of the partitioned set belongs to.
 *
 * The problem (core/plan/partition_problem.h) is what a partitioner is given, a partition is what
 * the workbench makes of its answer after it has enforced the contract (docs/concepts.md,
 * "Partition and plan"): every element in one block, no block over the block size, blocks numbered
 * densely, along the mesh or in the order of the partitioner's numbers (blocks of the repair last).
 */
#pragma once

#include "core/base/spec.h"
#include "core/plan/repair.h"

enum { TESS_REMARK_SIZE = 160 };

typedef struct tess_partition {
    int64_t n_elements;
    int32_t block_size;
    int32_t n_blocks;
    int32_t *block_of; /* [n_elements], each in [0, n_blocks); owned */
    /* What the partitioner gave, before the repair: kept so that a repair cannot make it look
     * worse, or better, than it is. */
    int64_t n_blocks_before; /* non-empty blocks */
    int64_t largest_before;
    int64_t n_moved; /* elements that the repair put elsewhere */
    double reuse_factor_before;
    /* What the partitioner cost, where tess_partitioner_run made it. A third party's worker also
     * has to start, which is kept apart, and its memory holds the problem and its programs. */
    double cpu_seconds;       /* of all threads; graphs and the like included */
    double start_cpu_seconds; /* of a worker, before its work */
    int64_t grown_bytes;      /* memory at its peak, beyond what was there before (0: not known) */
    int64_t peak_bytes;       /* all of a worker's memory at its peak; 0: none was needed */
    char place[TESS_PLACE_SIZE];   /* where it was cut; "": on the host */
    double place_seconds;          /* that it worked there, where that is not the host */
    char remark[TESS_REMARK_SIZE]; /* what the partitioner says of it, a sentence; or "" */
} tess_partition;

/* Enforces the contract on block_of [n_elements] as a partitioner gave it (any non-negative ids,
 * blocks of any size; a negative id fails with INPUT naming the element). */
TESS_MUST_CHECK tess_status tess_partition_build(const tess_partition_problem *problem,
                                                 const int32_t *block_of, tess_repair repair,
                                                 tess_partition **out);

/* Blocks of consecutive elements of a loop that has indirect args; where `position` is given
 * [n_elements], of those that are consecutive there, numbered in that order. */
TESS_MUST_CHECK tess_status tess_partition_in_order(const tess_bound_loop *bound,
                                                    const int32_t *position, int32_t block_size,
                                                    tess_partition **out);

/* A copy, the caller's. */
TESS_MUST_CHECK tess_status tess_partition_copy(const tess_partition *partition,
                                                tess_partition **out);
void tess_partition_free(tess_partition *partition);
