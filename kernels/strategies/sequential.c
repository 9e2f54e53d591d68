/* The strategy sequential: one thread of the host goes through all elements. */
#include "kernels/codegen/tables.h"
#include "kernels/devices/embed.h"
#include "kernels/strategies/strategy.h"

TESS_EMBED(tess_sequential_text, "kernels/strategies/sequential.cu");

static const tess_option options[] = {{.key = NULL}};

static tess_status prepare(tess_page *page, const tess_spec *spec) {
    (void)spec;
    TRY(tess_table_index(page, NULL));
    return tess_table_launch_flat(page, "sequential", 0, 1);
}

static const tess_variant variants[] = {{"sequential", .tuned = TESS_LOOPS_OF_ANY_KIND}, {0}};

const tess_strategy tess_strategy_sequential = {
    .name = "sequential",
    .summary = "one thread of the host goes through all elements",
    .reference = "docs/concepts.md, \"Kernels are written once\"",
    .options = options,
    .variants = variants,
    .text = tess_sequential_text,
    .same_bits = TESS_BITS_OF_RUN,
    .wants = TESS_WANT_WHOLE_ELEMENT,
    .one_thread = true,
    .writes_points = true,
    .in_storage_order = true,
    .prepare = prepare,
};
