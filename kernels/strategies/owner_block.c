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
    return tess_block_sum_prepare(page, spec, options, TESS_SUMS_OWNED, "owner_block");
}

static tess_same_bits bits_by(const tess_spec *spec) {
    tess_parts_variant variant;
    const bool together =
        tess_parts_way_of(spec, options, &variant) == TESS_OK && variant == TESS_PARTS_TOGETHER;
    return tess_spec_is(spec, options, "sum", "shared-atomics") ? TESS_BITS_VARY
           : together && (tess_spec_is(spec, options, "sum", "block-gather") ||
                          tess_spec_is(spec, options, "sum", "mesh-order"))
               ? TESS_BITS_OF_ANY
               : TESS_BITS_OF_RUN;
}

static const tess_variant variants[] = {
    {"owner-block", .tuned = TESS_LOOPS_THAT_ADD},
    {"owner-block:sum=block-gather", .same_bits = TESS_LOOPS_THAT_ADD},
    {"owner-block:sum=mesh-order", .same_bits = TESS_LOOPS_THAT_ADD},
    {0}};

const tess_strategy tess_strategy_owner_block = {
    .name = "owner-block",
    .summary =
        "blocks own points and compute all that increments them: no atomics, no block colours",
    .reference = "OP2 between ranks, Mudalige et al. 2012; here between blocks",
    .options = options,
    .variants = variants,
    .text = tess_owner_block_text,
    .wants = TESS_WANT_BLOCK_SUM,
    .owns_points = true,
    .colourless = true,
    .tables_there = true,
    .bits_by = bits_by,
    .fits = fits,
    .prepare = prepare,
};
