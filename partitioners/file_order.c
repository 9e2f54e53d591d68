/* The file-order partitioner: the elements as the mesh numbers them, chopped at the block size. */
#include "partitioners/partitioner.h"

#include <stddef.h>

static tess_status partition(const tess_partition_problem *problem, const tess_spec *spec,
                             int32_t *block_of) {
    (void)spec;
#pragma omp parallel for
    for (int64_t e = 0; e < problem->n_elements; e++)
        block_of[e] = (int32_t)(e / problem->block_size);
    return TESS_OK;
}

static const tess_option options[] = {{.key = NULL}};

const tess_partitioner tess_partitioner_file_order = {
    .name = "file-order",
    .seconds = 0.01,
    .summary = "the mesh's own numbering, chopped at the block size",
    .reference = "what a loop does without a partitioner; Sulyok et al. 2019, section 2.2",
    .options = options,
    .partition = partition,
};
