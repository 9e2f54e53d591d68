/* The RCM partitioner: elements after their points in reverse Cuthill-McKee order, chopped. */
#include "core/plan/order/graph_order.h"
#include "partitioners/partitioner.h"
#include "partitioners/point_order.h"

#include <stddef.h>

static const tess_option options[] = {{.key = NULL}};

static tess_status partition(const tess_partition_problem *problem, const tess_spec *spec,
                             int32_t *block_of) {
    (void)spec;
    return tess_point_order_chop(problem, tess_order_rcm, block_of);
}

const tess_partitioner tess_partitioner_rcm = {
    .name = "rcm",
    .seconds = 3,
    .summary = "points by reverse Cuthill-McKee, elements after them, chopped at the block size",
    .reference =
        "George and Liu, Computer Solution of Large Sparse Positive Definite Systems, 1981",
    .options = options,
    .partition = partition,
};
