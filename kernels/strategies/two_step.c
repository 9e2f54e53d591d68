/* The strategy two-step: increments into a temporary array, then a gather over points. */
#include "kernels/codegen/tables.h"
#include "kernels/devices/embed.h"
#include "kernels/strategies/strategy.h"

TESS_EMBED(tess_two_step_text, "kernels/strategies/two_step.cu");

static const tess_option options[] = {TESS_LAUNCH_OPTIONS("0")};

static tess_status prepare(tess_page *page, const tess_spec *spec) {
    (void)spec;
    const tess_bound_loop *bound = page->bound;
    int64_t most = 0;
    for (int r = 0; r < bound->n_targets; r++)
        if (bound->targets[r].incremented && bound->mesh->sets[bound->targets[r].set].size > most)
            most = bound->mesh->sets[bound->targets[r].set].size;
    TRY(tess_table_order(page));
    TRY(tess_table_index(page, NULL));
    TRY(tess_table_point_lists(page));
    TRY(tess_table_launch_flat(page, "two_step_compute", 0, page->plan->n_executed));
    return most > 0 ? tess_table_launch_flat(page, "two_step_gather", 0, most) : TESS_OK;
}

static const tess_variant variants[] = {
    {"two-step", .tuned = TESS_LOOPS_THAT_ADD, .predicted = TESS_LOOPS_THAT_READ}, {0}};

const tess_strategy tess_strategy_two_step = {
    .name = "two-step",
    .summary = "increments into a temporary array, then a gather over points",
    .reference = "Sulyok et al. 2019, section 2.1",
    .options = options,
    .variants = variants,
    .text = tess_two_step_text,
    .colourless = true,
    .tables_there = true,
    .same_bits = TESS_BITS_OF_RUN,
    .prepare = prepare,
};
