/* A block's sum: what strategies that sum a block's increments in shared memory share. */
#pragma once

#include "kernels/codegen/phase_options.h"

/* Their options; `sum_before`: what records mean that do not say `sum`. */
#define TESS_BLOCK_SUM_OPTIONS(sum_before)                                                         \
    TESS_OPTION("sum", "slots", "how the increments of a block come together", TESS_OPTION_CHOICE, \
                0, 0,                                                                              \
                "slots|thread-colours|increment-colours|block-gather|shared-atomics|mesh-order",   \
                sum_before),                                                                       \
        TESS_CHOICE_OPTION("stage", "all", "all|increments",                                       \
                           "whether what is read goes through shared memory, too"),                \
        TESS_CHOICE_OPTION("made", "together", "together|per-part",                                \
                           "of kernels in parts and sum=slots: whether a block sums all "          \
                           "increments of an element that has been computed, or those of each "    \
                           "instance of a part before the next is made"),                          \
        TESS_PARTS_OPTIONS,                                                                        \
        TESS_CHOICE_OPTION("passed", "thread", "thread|shared",                                    \
                           "of parts=staged: where what phases pass on of an element waits: with " \
                           "its thread, which has all of its elements under way, or in shared "    \
                           "memory, so that it has one after another"),                            \
        TESS_PREFETCH_OPTION, TESS_LAUNCH_OPTIONS("0")

/* What keeps the sums of blocks apart. */
typedef enum tess_block_sums {
    TESS_SUMS_ADDED,   /* points of several blocks are added to by atomics */
    TESS_SUMS_KEPT,    /* what all but the first add there is kept; a second launch adds it up */
    TESS_SUMS_OWNED,   /* blocks own points, and leave those of others alone */
    TESS_SUMS_COLOURED /* blocks of one colour have no common point: a launch for each colour */
} tess_block_sums;

/* Prepares a split loop, for texts that want phase_sum.h, where a spec says so with parts=staged or
 * separate; with parts=fused *split is false. Fails (USAGE) on options that have no effect. */
TESS_MUST_CHECK tess_status tess_block_phases_prepare(tess_page *page, const tess_spec *spec,
                                                      const tess_option *options,
                                                      tess_block_sums sums, const char *kernel,
                                                      bool *split);

/* Prepares an execution whose text calls block_sum, and for TESS_SUMS_KEPT add_border in
 * KERNEL_border. */
TESS_MUST_CHECK tess_status tess_block_sum_prepare(tess_page *page, const tess_spec *spec,
                                                   const tess_option *options, tess_block_sums sums,
                                                   const char *kernel);

/* Fails (USAGE) where a loop cannot be executed by blocks that own points. */
TESS_MUST_CHECK tess_status tess_block_sum_fits(const tess_bound_loop *bound, const char *strategy);
