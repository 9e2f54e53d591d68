/* A problem: what a partitioner is given, the elements to cut into blocks and the points they
 * reach. */
#pragma once

#include "core/base/observer.h"
#include "core/mesh/centroid.h"
#include "core/plan/cutter.h"
#include "core/plan/incidence.h"
#include "core/plan/loop.h"

/* How blocks are numbered: along the mesh, so that neighbours are near in memory, or in the order
 * of the numbers that the partitioner gave them. Numbers along the mesh depend on those given: the
 * blocks of an earlier partition have the same only where they are kept. */
typedef enum tess_block_numbers {
    TESS_BLOCKS_ALONG,
    TESS_BLOCKS_GIVEN,
    TESS_BLOCKS_KEPT, /* as given, and all else as along */
} tess_block_numbers;

typedef struct tess_partition_problem {
    int64_t n_elements;
    int n_maps; /* one incidence for each to-set (from-set) that counts */
    tess_incidence *maps;
    int order_map; /* into maps: the first that is incremented, else the first; its points are put
                      in order, as the renumbering by gps and rcm puts them */
    int n_reads;   /* what elements read beside: it weighs, but links no elements in graphs */
    tess_incidence *reads;
    int dimension;             /* of the coordinates; 0 where there are none */
    const double *coordinates; /* [n_elements][dimension] centroids, or NULL; owned */
    tess_centroids centroids;  /* where there are none, for want of memory: one by one */
    int64_t shape[3]; /* of the partitioned set, where it is a box in lexicographic order; or 0 */
    /* Else a map whose points are one, the cells or the nodes of a structured mesh, and its shape.
     */
    int box_map; /* into maps */
    int64_t box[3];
    int32_t block_size;
    tess_block_numbers block_numbers; /* of its partition */
    uint64_t seed;
    double time_limit;             /* seconds for third-party code; 0: none */
    const tess_observer *observer; /* or NULL */
    const tess_cutter *cutter;     /* of partitioners that cut elsewhere; NULL: the host cuts */
} tess_partition_problem;

/* Whether a set is the cells or the nodes of a box in lexicographic order, whose shape it gives.
 */
bool tess_box_of_set(const tess_mesh *mesh, int set, int64_t shape[3]);

/* Builds the problem of a bound loop: its from-set with the points that count. Where all slots that
 * lead from the from-set to itself count, an element is a point of its own as well. `coordinates`
 * are the elements' centroids (core/mesh/centroid.h). Owns what it allocates; the mesh outlives it.
 * Fails (USAGE) on a block size below 1. */
TESS_MUST_CHECK tess_status tess_partition_problem_build(const tess_bound_loop *bound,
                                                         tess_points points, int32_t block_size,
                                                         uint64_t seed,
                                                         tess_partition_problem **out);

/* Builds it without coordinates, where they are known one by one: for a partitioner that
 * `places_elements`. */
TESS_MUST_CHECK tess_status tess_partition_problem_build_lean(const tess_bound_loop *bound,
                                                              tess_points points,
                                                              int32_t block_size, uint64_t seed,
                                                              tess_partition_problem **out);

/* Whether it is known where the elements are. */
bool tess_partition_problem_is_placed(const tess_partition_problem *problem);

/* Fills places [n][dimension] with where these elements are; NULL: n elements from `first` on. */
void tess_partition_problem_places(const tess_partition_problem *problem, const int32_t *elements,
                                   int64_t first, int64_t n, double *places);

/* All slots of a target; the caller clears it. */
TESS_MUST_CHECK tess_status tess_target_incidence(const tess_bound_loop *bound,
                                                  const tess_loop_target *target,
                                                  tess_incidence *out);

/* The slots for which blocks that own points of a to-set, an index into mesh->sets, execute an
 * element: the incremented ones that lead to it, or all of them where none is. The caller
 * clears it. Fails (USAGE) when the loop does not reach the set. */
TESS_MUST_CHECK tess_status tess_owned_incidence(const tess_bound_loop *bound, int to_set,
                                                 tess_incidence *out);

/* The problem of a to-set (blocks own points): the inverse of these slots. Fails as that. */
TESS_MUST_CHECK tess_status tess_partition_problem_build_inverse(const tess_bound_loop *bound,
                                                                 int to_set, int32_t block_size,
                                                                 uint64_t seed,
                                                                 tess_partition_problem **out);
/* Adds to the problem of a to-set what the elements of its points read through maps: blocks that
 * own points compute all elements of these and bring what those read. It weighs by its bytes, an
 * element by those of its direct args and an index; neighbours in graphs stay those that share
 * elements. */
TESS_MUST_CHECK tess_status tess_partition_problem_add_reads(const tess_bound_loop *bound,
                                                             tess_partition_problem *problem);
void tess_partition_problem_free(tess_partition_problem *problem);
