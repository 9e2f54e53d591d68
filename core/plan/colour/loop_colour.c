/* Colours of a loop's elements. */
#include "core/plan/colour/loop_colour.h"

#include "core/base/array.h"
#include "core/plan/colour/colour.h"
#include <stdlib.h>

/* The points that each element increments, in the order given; points of the second set come behind
 * those of the first. */
static tess_status increments_list(const tess_bound_loop *bound, const int32_t *order,
                                   tess_incidence *out) {
    tess_status status = TESS_OK;
    int32_t *rows = NULL;
    int arity = 0, column = 0;
    for (int r = 0; r < bound->n_targets; r++)
        for (int s = 0; s < bound->targets[r].n_slots; s++)
            arity += bound->targets[r].slot_incremented[s];
    *out = (tess_incidence){.arity = arity};
    CHECK(TESS_ALLOC(bound->n_elements * arity, &rows));
    for (int r = 0; r < bound->n_targets; r++) {
        const tess_loop_target *target = &bound->targets[r];
        for (int s = 0; s < target->n_slots; s++) {
            if (!target->slot_incremented[s])
                continue;
            for (int64_t k = 0; k < bound->n_elements; k++) {
                const int64_t e = order ? order[k] : k;
                const int32_t point = tess_target_point(target, e, s);
                rows[k * arity + column] = point < 0 ? -1 : (int32_t)out->n_points + point;
            }
            column++;
        }
        out->n_points += bound->mesh->sets[target->set].size;
        if (out->n_points > INT32_MAX)
            CHECK(tess_fail(TESS_ERROR_INPUT, "the sets that loop %s increments have 2^31 points",
                            bound->loop->name));
    }
    out->index = TESS_TAKE(rows);
done:
    free(rows);
    return status;
}

tess_status tess_loop_colour(const tess_bound_loop *bound, const int32_t *order,
                             tess_colouring colouring, int32_t *colour, int32_t *n_colours) {
    tess_status status = TESS_OK;
    const int64_t n = bound->n_elements;
    int32_t *ordered = NULL;
    tess_incidence increments = {0};
    CHECK(increments_list(bound, order, &increments));
    CHECK(TESS_ALLOC(n, &ordered));
    if (colouring == TESS_COLOUR_FEWEST)
        CHECK(tess_colour_fewest(&increments, n, ordered, n_colours));
    else
        CHECK((colouring == TESS_COLOUR_SULYOK ? tess_colour_least_used : tess_colour_first_fit)(
            &increments, 1, n, ordered, n_colours));
    for (int64_t k = 0; k < n; k++)
        colour[order ? order[k] : k] = ordered[k];
done:
    free((void *)increments.index);
    free(ordered);
    return status;
}
