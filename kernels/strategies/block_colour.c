/* The strategy block-colour: staged in shared memory, thread and block colours: the paper's
 * Algorithm 1. */
#include "kernels/devices/embed.h"
#include "kernels/strategies/block_sum_strategy.h"
#include "kernels/strategies/strategy.h"

TESS_EMBED(tess_block_colour_text, "kernels/strategies/block_colour.cu");

static const tess_option options[] = {
    TESS_CHOICE_OPTION("stage", "all", "all|increments|none", "what goes through shared memory"),
    TESS_CHOICE_OPTION(
        "loads", "async", "async|vector|single",
        "how it gets there: by asynchronous copies, rows of aos in pieces of 16 bytes, or each "
        "value by itself"),
    TESS_CHOICE_OPTION(
        "sums", "preloaded", "preloaded|cleared",
        "whether a block adds to the old values, or to zeros that it adds to the old values in "
        "the end, as Algorithm 1 does"),
    TESS_PARTS_OPTIONS,
    TESS_LAUNCH_OPTIONS("0"),
};

static tess_status prepare(tess_page *page, const tess_spec *spec) {
    bool split;
    TRY(tess_block_phases_prepare(page, spec, options, TESS_SUMS_COLOURED, "block_colour", &split));
    if (split)
        return TESS_OK;
    const tess_copies copies = {.reads = tess_spec_is(spec, options, "stage", "all"),
                                .sums = !tess_spec_is(spec, options, "stage", "none"),
                                .preload = tess_spec_is(spec, options, "sums", "preloaded"),
                                .async = tess_spec_is(spec, options, "loads", "async"),
                                .vectors = tess_spec_is(spec, options, "loads", "vector")};
    /* One element a thread: all have been read before the first increment, so sums may take the
     * place of the copies. */
    const bool writes = tess_loop_writes_points(page->bound->loop);
    const bool overlay =
        copies.reads && !copies.preload && !writes && page->threads >= page->plan->block_size;
    const int64_t read_end = copies.reads ? tess_page_stage_reads(page) : 0;
    const int64_t sum_start = overlay ? 0 : read_end;
    const int64_t sum_end = copies.sums ? tess_page_stage_sums(page, sum_start) : sum_start;
    tess_page_print(page,
                    "#define STAGE_READS %d\n#define STAGE_SUMS %d\n#define OVERLAY %d\n"
                    "#define CLEAR_SUMS %d\n#define COPY_ASYNC %d\n",
                    copies.reads, copies.sums, overlay, !copies.preload,
                    copies.sums && copies.async);
    TRY(tess_table_order(page));
    if (!copies.reads || !copies.sums || writes)
        TRY(tess_table_index(page, NULL));
    TRY(tess_table_packed(page, &copies));
    return tess_table_launch_colours(page, "block_colour", sum_end > read_end ? sum_end : read_end);
}

static const tess_variant variants[] = {
    {"block-colour", .tuned = TESS_LOOPS_THAT_ADD, .predicted = TESS_LOOPS_THAT_READ}, {0}};

const tess_strategy tess_strategy_block_colour = {
    .name = "block-colour",
    .summary = "staged in shared memory, thread and block colours: the paper's Algorithm 1",
    .reference = "Sulyok et al. 2019, section 2.2",
    .options = options,
    .variants = variants,
    .text = tess_block_colour_text,
    .same_bits = TESS_BITS_OF_RUN,
    .wants = TESS_WANT_PHASE_SUM,
    .writes_points = true,
    .tables_there = true,
    .prepare = prepare,
};
