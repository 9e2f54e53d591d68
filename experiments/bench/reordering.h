/* A reordering: new numbers for all sets of a mesh, from blocks of a loop or from an order, and the
 * plan in these. */
#pragma once

#include "core/plan/order/renumber_mesh.h"
#include "core/plan/plan.h"

/* What is asked for. */
typedef struct tess_reordering_asked {
    const char *map;   /* of the loop; NULL: cells:nodes, or else the one over sides */
    const char *dat;   /* that it increments, as tess_loop_of_map takes it */
    const char *order; /* a partitioner's spec, or an order (data/order_mesh.h) */
    const char *given; /* instead of an order: a file of permutations; NULL */
    int32_t block_size;
    uint64_t seed;
    bool wants_plan; /* for colours and owners */
    bool
        is_derived; /* sides and pairs that no file states are derived anew by who reads the mesh */
} tess_reordering_asked;

typedef struct tess_reordering {
    tess_loop *loop;
    tess_bound_loop *bound;
    int64_t n_blocks;          /* of a partitioner; 0: of an order */
    tess_partition *partition; /* NULL: where no plan is wanted */
    tess_plan *plan; /* of the mesh as it is; elements in the new order; NULL: not wanted */
    tess_renumbering *renumbering;
} tess_reordering;

/* Makes it. The map is derived into the mesh, which keeps its numbers and outlives it. Fails
 * (INPUT) on a mesh whose file has what new numbers would lose (tess_mesh.tied), naming it; (USAGE)
 * as the partitioner does, or the derivation. Sets that a given file lacks follow. */
TESS_MUST_CHECK tess_status tess_reordering_make(const tess_reordering_asked *asked,
                                                 tess_mesh *mesh, tess_reordering *out);
void tess_reordering_release(tess_reordering *reordering);
