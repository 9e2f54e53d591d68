/* The strategy openmp: threads of the host run blocks, one block colour at a time. */
#include "kernels/strategies/strategy.h"
#include "kernels/tables/tables.h"
#include "kernels/text/embed.h"

TESS_EMBED(tess_openmp_text, "strategies/openmp.cu");

static const tess_option options[] = {{.key = NULL}};

static tess_status prepare(tess_page *page, const tess_spec *spec) {
    (void)spec;
    TRY(tess_table_order(page));
    TRY(tess_table_index(page, NULL));
    TRY(tess_table_blocks(page));
    return tess_table_launch_colours(page, "openmp", 0);
}

const tess_strategy tess_strategy_openmp = {
    .name = "openmp",
    .summary = "threads of the host run blocks, one block colour at a time",
    .reference = "OP2: Mudalige et al. 2012",
    .options = options,
    .text = tess_openmp_text,
    .wants = TESS_WANT_WHOLE_ELEMENT,
    .one_thread = true,
    .writes_points = true,
    .prepare = prepare,
};
