/* The strategy atomics: increments straight to global memory, atomically. */
#include "kernels/embed.h"
#include "kernels/parts.h"

TESS_EMBED(tess_atomics_text, "strategies/atomics.cu");

static const tess_option options[] = {{.key = NULL}};

static tess_status prepare(tess_execution *x) {
    TRY(tess_part_order(x));
    TRY(tess_part_index(x));
    return tess_part_launch_flat(x, "atomics", 0, x->plan->n_executed);
}

const tess_strategy tess_strategy_atomics = {
    .name = "atomics",
    .summary = "increments straight to global memory, atomically",
    .reference = "Sulyok et al. 2019, section 2.1",
    .options = options,
    .text = tess_atomics_text,
    .prepare = prepare,
};
