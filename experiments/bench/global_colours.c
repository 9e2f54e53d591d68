/* Global colours: how many colours the elements of a whole loop take, one launch each. */
#include "experiments/bench/global_colours.h"

#include "core/base/array.h"
#include "core/plan/colour/loop_colour.h"
#include <stdlib.h>

static bool has_global_colours(const tess_bound_loop *bound, const tess_run *run) {
    const tess_plan *plan = run->planned->plan;
    const tess_colouring colouring = (tess_colouring)run->experiment->colouring;
    const bool goes_once = colouring == TESS_COLOUR_GREEDY || colouring == TESS_COLOUR_SULYOK;
    return goes_once && plan && !plan->owns_points && !tess_loop_gathers(bound);
}

tess_status tess_global_colours_count(const tess_bound_loop *bound, const tess_run *run,
                                      int32_t *out) {
    *out = 0;
    if (!has_global_colours(bound, run))
        return TESS_OK;
    const tess_renumbering *renumbering = run->planned->renumbering;
    const tess_permutation *stored =
        renumbering ? tess_renumbering_of(renumbering, bound->set) : NULL;
    int32_t *colour = NULL;
    TRY(TESS_ALLOC(bound->n_elements, &colour));
    const tess_status status =
        tess_loop_colour(bound, stored ? stored->new_to_old : NULL,
                         (tess_colouring)run->experiment->colouring, colour, out);
    free(colour);
    return status;
}
