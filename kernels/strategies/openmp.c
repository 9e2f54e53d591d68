/* The strategy openmp: threads of the host run blocks, one block colour at a time. */
#include "kernels/tables/parts.h"
#include "kernels/text/embed.h"

TESS_EMBED(tess_openmp_text, "strategies/openmp.cu");

static const tess_option options[] = {{.key = NULL}};

static tess_status prepare(tess_execution *x) {
    TRY(tess_part_order(x));
    TRY(tess_part_index(x, NULL));
    TRY(tess_part_blocks(x));
    return tess_part_launch_colours(x, "openmp", 0);
}

const tess_strategy tess_strategy_openmp = {
    .name = "openmp",
    .summary = "threads of the host run blocks, one block colour at a time",
    .reference = "OP2: Mudalige et al. 2012",
    .options = options,
    .text = tess_openmp_text,
    .one_thread = true,
    .writes_points = true,
    .prepare = prepare,
};
