/* A chain's execution: one chain, compiled for a device, ready to run again and again. */
#include "kernels/run/chain_execution.h"

#include "core/base/array.h"
#include <stdlib.h>

typedef struct one_chain {
    tess_chained_step *step; /* owned */
    int first;
} one_chain;

static tess_status run(const void *of) {
    const one_chain *chain = of;
    return tess_chained_step_run(chain->step, chain->first);
}

static void close_chain(void *of) {
    one_chain *chain = of;
    tess_chained_step_free(chain->step);
    free(chain);
}

tess_status tess_chain_execution_new(tess_chained_step *step, int first, tess_execution **out) {
    tess_status status = TESS_OK;
    tess_execution *x = NULL;
    one_chain *chain = NULL;
    CHECK(TESS_ZEROS(1, &x));
    CHECK(TESS_ZEROS(1, &chain));
    *chain = (one_chain){TESS_TAKE(step), first};
    const tess_ready_chain *ready = tess_chained_step_ready(chain->step, first);
    *x = (tess_execution){.page = ready->page,
                          .module = ready->kernel.module,
                          .run = run,
                          .free = close_chain,
                          .of = TESS_TAKE(chain)};
    *out = TESS_TAKE(x);
done:
    tess_chained_step_free(step);
    free(chain);
    free(x);
    return status;
}

const tess_chained_step *tess_chain_execution_step(const tess_execution *execution) {
    const one_chain *chain = execution->of;
    return chain->step;
}
