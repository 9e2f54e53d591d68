/* Block colours for tests: as many as a plan gives blocks. */
#pragma once

#include "core/plan/plan.h"
#include "tests/core/small_problem.h"

static inline int32_t block_colours_of(const small_problem *f, const int32_t *block_of) {
    const tess_plan_options options = {.thread_colouring = TESS_COLOUR_FEWEST};
    tess_partition *partition = NULL;
    tess_plan *plan = NULL;
    OK(tess_partition_build(f->problem, block_of, TESS_REPAIR_SPLIT, &partition));
    OK(tess_plan_build(f->bound, partition, &options, &plan));
    const int32_t n_colours = plan->n_block_colours;
    tess_plan_free(plan);
    tess_partition_free(partition);
    return n_colours;
}
