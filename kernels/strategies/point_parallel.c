/* The strategy point-parallel: one thread a point recomputes its elements and sums in registers. */
#include "kernels/block_sum_parts.h"
#include "kernels/embed.h"

TESS_EMBED(tess_point_parallel_text, "strategies/point_parallel.cu");

static const tess_option options[] = {
    {.key = "stage",
     .value = "all",
     .help = "whether what is read goes through shared memory",
     .kind = TESS_OPTION_CHOICE,
     .choices = "all|none"},
    {.key = NULL},
};

static tess_status fits(const tess_bound_loop *bound, const tess_spec *spec) {
    (void)spec;
    return tess_block_sum_fits(bound, "point-parallel");
}

static tess_status prepare(tess_execution *x) {
    const bool reads = tess_spec_is(x->options.spec, options, "stage", "all");
    tess_page_print(&x->page, "#define STAGE_READS %d\n", reads);
    TRY(tess_part_order(x));
    TRY(tess_part_own(x));
    TRY(reads ? tess_part_points(x, TESS_MARK_NONE) : tess_part_index(x));
    return tess_part_launch_blocks(x, "point_parallel", reads ? tess_part_read_bytes(x) : 0);
}

const tess_strategy tess_strategy_point_parallel = {
    .name = "point-parallel",
    .summary = "one thread a point recomputes its elements and sums in registers",
    .reference = "ours",
    .options = options,
    .text = tess_point_parallel_text,
    .over_to_set = true,
    .fits = fits,
    .prepare = prepare,
};
