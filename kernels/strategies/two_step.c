/* The strategy two-step: increments into a temporary array, then a gather over points. */
#include "kernels/tables/parts.h"
#include "kernels/text/embed.h"

TESS_EMBED(tess_two_step_text, "strategies/two_step.cu");

static const tess_option options[] = {{.key = NULL}};

static tess_status prepare(tess_execution *x) {
    const tess_bound_loop *bound = x->bound;
    int64_t most = 0;
    for (int r = 0; r < bound->n_reaches; r++)
        if (bound->reaches[r].incremented && bound->mesh->sets[bound->reaches[r].set].size > most)
            most = bound->mesh->sets[bound->reaches[r].set].size;
    TRY(tess_part_order(x));
    TRY(tess_part_index(x, NULL));
    TRY(tess_part_point_lists(x));
    TRY(tess_part_launch_flat(x, "two_step_compute", 0, x->plan->n_executed));
    return most > 0 ? tess_part_launch_flat(x, "two_step_gather", 0, most) : TESS_OK;
}

const tess_strategy tess_strategy_two_step = {
    .name = "two-step",
    .summary = "increments into a temporary array, then a gather over points",
    .reference = "Sulyok et al. 2019, section 2.1",
    .options = options,
    .text = tess_two_step_text,
    .prepare = prepare,
};
