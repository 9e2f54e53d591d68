/* A block's sum: what strategies that sum a block's increments in shared memory share. */
#pragma once

#include "kernels/tables/tables.h"

/* Their options. */
#define TESS_BLOCK_SUM_OPTIONS(sum)                                                                \
    TESS_CHOICE_OPTION("sum", sum,                                                                 \
                       "slots|thread-colours|increment-colours|block-gather|shared-atomics",       \
                       "how the increments of a block come together"),                             \
        TESS_CHOICE_OPTION("stage", "all", "all|increments",                                       \
                           "whether what is read goes through shared memory, too"),                \
        TESS_AHEAD_OPTION, TESS_REGISTERS_OPTION("0"), TESS_OPTION(.key = NULL)

/* Prepares an execution whose text calls block_sum: blocks own points, or elements. */
TESS_MUST_CHECK tess_status tess_block_sum_prepare(tess_page *page, const tess_spec *spec,
                                                   const tess_option *options, bool owned,
                                                   const char *kernel);

/* Fails (USAGE) where a loop cannot be executed by blocks that own points. */
TESS_MUST_CHECK tess_status tess_block_sum_fits(const tess_bound_loop *bound, const char *strategy);
