/* The strategy owner-block: blocks own points and compute all that increments them: no atomics, no
 * block colours. */
#include "kernels/devices/embed.h"
#include "kernels/strategies/block_sum_strategy.h"
#include "kernels/strategies/strategy.h"

TESS_EMBED(tess_owner_block_text, "kernels/strategies/owner_block.cu");

static const tess_option options[] = {TESS_BLOCK_SUM_OPTIONS("increment-colours")};

static tess_status fits(const tess_bound_loop *bound, const tess_spec *spec) {
    (void)spec;
    return tess_block_sum_fits(bound, "owner-block");
}

static tess_status prepare(tess_page *page, const tess_spec *spec) {
    return tess_block_sum_prepare(page, spec, options, true, "owner_block");
}

static const tess_variant variants[] = {{"owner-block", .tuned = TESS_LOOPS_THAT_ADD}, {0}};

const tess_strategy tess_strategy_owner_block = {
    .name = "owner-block",
    .summary =
        "blocks own points and compute all that increments them: no atomics, no block colours",
    .reference = "ours",
    .options = options,
    .variants = variants,
    .text = tess_owner_block_text,
    .wants = TESS_WANT_BLOCK_SUM,
    .owns_points = true,
    .fits = fits,
    .prepare = prepare,
};
