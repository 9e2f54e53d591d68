/* A partition: which block each element of the partitioned set belongs to. */
#include "core/plan/partition.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include "core/plan/block_order.h"
#include "core/plan/repair.h"
#include <stdlib.h>

/* The largest id given, or -1. */
static tess_status largest_id(const int32_t *given, int64_t n, int32_t *out) {
    int32_t largest = -1;
    int64_t first_negative = n;
#pragma omp parallel for reduction(max : largest) reduction(min : first_negative)
    for (int64_t e = 0; e < n; e++) {
        if (given[e] < 0 && e < first_negative)
            first_negative = e;
        if (given[e] > largest)
            largest = given[e];
    }
    if (first_negative < n)
        FAIL(TESS_ERROR_INPUT, "element %lld is in block %d: blocks are numbered from 0",
             (long long)first_negative, given[first_negative]);
    *out = largest;
    return TESS_OK;
}

/* Numbers ids of a moderate range densely in their order, by a table. */
static tess_status ids_densify_by_table(const int32_t *given, int64_t n, int32_t largest,
                                        int32_t *dense, int64_t *n_blocks) {
    int32_t *number = NULL;
    TRY(TESS_ZEROS((int64_t)largest + 1, &number));
#pragma omp parallel for
    for (int64_t e = 0; e < n; e++)
        __atomic_store_n(&number[given[e]], 1, __ATOMIC_RELAXED);
    int32_t n_used = 0;
    for (int64_t id = 0; id <= largest; id++)
        if (number[id])
            number[id] = n_used++;
#pragma omp parallel for
    for (int64_t e = 0; e < n; e++)
        dense[e] = number[given[e]];
    free(number);
    *n_blocks = n_used;
    return TESS_OK;
}

/* Numbers ids of any range, by sorting them. */
static tess_status ids_densify_by_sort(const int32_t *given, int64_t n, int32_t *dense,
                                       int64_t *n_blocks) {
    int32_t *ids = NULL;
    TRY(TESS_COPY(n, given, &ids));
    const int64_t n_ids = tess_sort_unique(ids, n);
    for (int64_t e = 0; e < n; e++)
        dense[e] = (int32_t)tess_sorted_position(ids, n_ids, given[e]);
    free(ids);
    *n_blocks = n_ids;
    return TESS_OK;
}

static tess_status ids_densify(const int32_t *given, int64_t n, int32_t *dense, int64_t *n_blocks) {
    int32_t largest = -1;
    TRY(largest_id(given, n, &largest));
    if (largest < 4 * n + 1024)
        return ids_densify_by_table(given, n, largest, dense, n_blocks);
    return ids_densify_by_sort(given, n, dense, n_blocks);
}

/* Numbers the blocks along the mesh, unless they keep their numbers; gives their largest size and
 * the reuse factor. */
static tess_status renumber_blocks(const tess_partition_problem *problem, int32_t *block_of,
                                   int64_t n_blocks, int64_t *largest, double *reuse_factor) {
    int32_t *number = NULL;
    TRY(tess_block_order_build(problem, block_of, n_blocks, &number, largest, reuse_factor));
    if (problem->block_numbers == TESS_BLOCKS_ALONG) {
#pragma omp parallel for
        for (int64_t e = 0; e < problem->n_elements; e++)
            block_of[e] = number[block_of[e]];
    }
    free(number);
    return TESS_OK;
}

tess_status tess_partition_build(const tess_partition_problem *problem, const int32_t *block_of,
                                 tess_repair repair, tess_partition **out) {
    tess_status status = TESS_OK;
    tess_partition *partition = NULL;
    if (problem->block_size < 1)
        FAIL(TESS_ERROR_USAGE, "a block of %d elements: the block size is at least 1",
             problem->block_size);
    CHECK(TESS_ZEROS(1, &partition));
    partition->n_elements = problem->n_elements;
    partition->block_size = problem->block_size;
    CHECK(TESS_ALLOC(problem->n_elements, &partition->block_of));
    int64_t n_blocks = 0;
    CHECK(ids_densify(block_of, problem->n_elements, partition->block_of, &n_blocks));
    partition->n_blocks_before = n_blocks;
    CHECK(renumber_blocks(problem, partition->block_of, n_blocks, &partition->largest_before,
                          &partition->reuse_factor_before));
    if (partition->largest_before > problem->block_size) {
        CHECK(tess_repair_overfull(problem, repair, partition->block_of, &n_blocks,
                                   &partition->n_moved));
        int64_t largest = 0;
        double reuse_factor = 0;
        CHECK(renumber_blocks(problem, partition->block_of, n_blocks, &largest, &reuse_factor));
    }
    partition->n_blocks = (int32_t)n_blocks;
    *out = TESS_TAKE(partition);
done:
    tess_partition_free(partition);
    return status;
}

tess_status tess_partition_in_order(const tess_bound_loop *bound, const int32_t *position,
                                    int32_t block_size, tess_partition **out) {
    tess_status status = TESS_OK;
    tess_partition_problem *problem = NULL;
    int32_t *block_of = NULL;
    CHECK(tess_partition_problem_build(bound, TESS_POINTS_INCREMENTS, block_size, 1, &problem));
    if (position)
        problem->block_numbers = TESS_BLOCKS_GIVEN;
    CHECK(TESS_ALLOC(bound->n_elements, &block_of));
    for (int64_t e = 0; e < bound->n_elements; e++)
        block_of[e] = (int32_t)((position ? position[e] : e) / block_size);
    CHECK(tess_partition_build(problem, block_of, TESS_REPAIR_SPLIT, out));
done:
    free(block_of);
    tess_partition_problem_free(problem);
    return status;
}

tess_status tess_partition_copy(const tess_partition *partition, tess_partition **out) {
    tess_status status = TESS_OK;
    tess_partition *copy = NULL;
    CHECK(TESS_COPY(1, partition, &copy));
    copy->block_of = NULL;
    CHECK(TESS_COPY(partition->n_elements, partition->block_of, &copy->block_of));
    *out = TESS_TAKE(copy);
done:
    tess_partition_free(copy);
    return status;
}

void tess_partition_free(tess_partition *partition) {
    if (!partition)
        return;
    free(partition->block_of);
    free(partition);
}
