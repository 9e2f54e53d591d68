/* The GPS partitioner: elements after their points in Gibbs-Poole-Stockmeyer order, chopped. */
#include "core/plan/order/graph_order.h"
#include "partitioners/partitioner.h"
#include "partitioners/point_order.h"

#include <stddef.h>

static const tess_option options[] = {{.key = NULL}};

static tess_status partition(const tess_partition_problem *problem, const tess_spec *spec,
                             int32_t *block_of) {
    (void)spec;
    return tess_point_order_chop(problem, tess_order_gps, block_of);
}

const tess_partitioner tess_partitioner_gps = {
    .name = "gps",
    .seconds = 4,
    .summary = "points by Gibbs-Poole-Stockmeyer, elements after them, chopped at the block size",
    .reference = "Gibbs, Poole and Stockmeyer 1976; for maps Sulyok et al. 2019, section 2.3.1",
    .options = options,
    .partition = partition,
};
