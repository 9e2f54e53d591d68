/* The strategy openmp: threads of the host run blocks, one block colour at a time. */
#include "kernels/codegen/tables.h"
#include "kernels/devices/embed.h"
#include "kernels/strategies/strategy.h"

TESS_EMBED(tess_openmp_text, "kernels/strategies/openmp.cu");

static const tess_option options[] = {
    TESS_CHOICE_OPTION(
        "copies", "shared", "shared|private",
        "elements' own values that no loop changes, and rows of maps: shared, or "
        "each thread has a copy for its elements and a march is one parallel region"),
    {.key = NULL}};

static tess_status prepare(tess_page *page, const tess_spec *spec) {
    page->thread_copies = tess_spec_is(spec, options, "copies", "private");
    TRY(tess_table_order(page));
    TRY(tess_table_index(page, NULL));
    TRY(tess_table_blocks(page));
    TRY(tess_table_blocks_by_colour(page));
    return tess_table_launch_colours(page, "openmp", 0);
}

static const tess_variant variants[] = {{"openmp", .tuned = TESS_LOOPS_OF_ANY_KIND}, {0}};

const tess_strategy tess_strategy_openmp = {
    .name = "openmp",
    .summary = "threads of the host run blocks, one block colour at a time",
    .reference =
        "OP2: Mudalige et al. 2012; copies=shared and private are the versions simple and full "
        "of Langguth et al. 2015, section 3.3",
    .options = options,
    .variants = variants,
    .text = tess_openmp_text,
    .same_bits = TESS_BITS_OF_RUN,
    .wants = TESS_WANT_WHOLE_ELEMENT,
    .one_thread = true,
    .writes_points = true,
    .prepare = prepare,
};
