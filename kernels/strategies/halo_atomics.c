/* The strategy halo-atomics: one launch: inner points stored plainly, border points by atomics. */
#include "kernels/devices/embed.h"
#include "kernels/strategies/block_sum_strategy.h"
#include "kernels/strategies/strategy.h"

TESS_EMBED(tess_halo_atomics_text, "kernels/strategies/halo_atomics.cu");

static const tess_option options[] = {
    TESS_CHOICE_OPTION("border", "atomics", "atomics|ordered",
                       "how the sums of blocks come together at points of several: by atomics, or "
                       "by a second launch that adds them in the order of blocks"),
    TESS_BLOCK_SUM_OPTIONS(NULL)};

static bool is_ordered(const tess_spec *spec) {
    return tess_spec_is(spec, options, "border", "ordered");
}

static tess_status prepare(tess_page *page, const tess_spec *spec) {
    return tess_block_sum_prepare(
        page, spec, options, is_ordered(spec) ? TESS_SUMS_KEPT : TESS_SUMS_ADDED, "halo_atomics");
}

static tess_same_bits bits_by(const tess_spec *spec) {
    return is_ordered(spec) && !tess_spec_is(spec, options, "sum", "shared-atomics")
               ? TESS_BITS_OF_RUN
               : TESS_BITS_VARY;
}

static const tess_variant variants[] = {
    {"halo-atomics", .tuned = TESS_LOOPS_OF_ANY_KIND},
    {"halo-atomics:parts=staged", .tuned = TESS_LOOPS_IN_PARTS},
    {"halo-atomics:parts=separate", .tuned = TESS_LOOPS_IN_PARTS},
    {"halo-atomics:border=ordered", .same_bits = TESS_LOOPS_THAT_ADD},
    {"halo-atomics:border=ordered:parts=staged", .same_bits = TESS_LOOPS_IN_PARTS},
    {0}};

const tess_strategy tess_strategy_halo_atomics = {
    .name = "halo-atomics",
    .summary = "one launch: inner points stored plainly, border points by atomics",
    .reference = "Tesselab",
    .options = options,
    .variants = variants,
    .text = tess_halo_atomics_text,
    .wants = TESS_WANT_BLOCK_SUM,
    .colourless = true,
    .tables_there = true,
    .bits_by = bits_by,
    .prepare = prepare,
};
