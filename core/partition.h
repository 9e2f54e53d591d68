/* A partition: which block each element of the partitioned set belongs to.
 *
 * The problem is what a partitioner is given, a partition is what the workbench makes of its
 * answer after it has enforced the contract of DESIGN section 5: every element in one block, no
 * block over the block size, blocks numbered densely along the mesh. */
#ifndef TESS_PARTITION_H
#define TESS_PARTITION_H

#include "core/loop.h"
#include "core/observer.h"
#include "core/spec.h"

/* The points of each element through one map: the points of element e are
 *   index[e * arity ... (e + 1) * arity)        where offset is NULL, -1 being no point, or
 *   index[offset[e] ... offset[e + 1])          otherwise (inverse maps). */
typedef struct tess_incidence {
    const int32_t *index;
    const int64_t *offset; /* NULL: fixed arity */
    int arity;             /* 0 where offset is given */
    int64_t n_points;
    double weight; /* of one point: the bytes accessed there */
} tess_incidence;

typedef struct tess_problem {
    int64_t n_elements;
    int n_maps; /* one incidence for each to-set (from-set) that counts */
    tess_incidence *maps;
    int dimension;             /* of the coordinates; 0 where there are none */
    const double *coordinates; /* [n_elements][dimension] centroids, or NULL */
    int64_t shape[3]; /* of the partitioned set, where it is a box in lexicographic order; or 0 */
    int32_t block_size;
    uint64_t seed;
    double time_limit;             /* seconds for third-party code; 0: none */
    const tess_observer *observer; /* or NULL */
} tess_problem;

/* Builds the problem of a bound loop: its from-set with the points that count. `coordinates` are
 * the centroids of the elements' nodes (through from:nodes, or the nodes of the cells they join).
 * Owns what it allocates; the mesh outlives it. */
TESS_MUST_CHECK tess_status tess_problem_build(const tess_bound_loop *bound, tess_points points,
                                               int32_t block_size, uint64_t seed,
                                               tess_problem **out);
/* The problem of a to-set (blocks own points): the inverse of the maps that lead to it. */
TESS_MUST_CHECK tess_status tess_problem_build_inverse(const tess_bound_loop *bound, int to_set,
                                                       int32_t block_size, uint64_t seed,
                                                       tess_problem **out);
void tess_problem_free(tess_problem *problem);

typedef enum tess_repair { TESS_REPAIR_SPLIT, TESS_REPAIR_MOVE } tess_repair;

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
} tess_partition;

/* Enforces the contract on block_of [n_elements] as a partitioner gave it (any non-negative ids,
 * blocks of any size; a negative id fails with INPUT naming the element). */
TESS_MUST_CHECK tess_status tess_partition_build(const tess_problem *problem,
                                                 const int32_t *block_of, tess_repair repair,
                                                 tess_partition **out);
void tess_partition_free(tess_partition *partition);

#endif
