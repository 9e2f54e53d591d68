/* A renumbering: a new order of the elements of some sets, for locality in memory. */
#include "core/plan/order/renumber.h"

#include "core/base/array.h"
#include "core/plan/colour/loop_colour.h"
#include "core/plan/order/renumber_orders.h"
#include "core/plan/plan.h"
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"none", "gps", "rcm", "blocks", "owner", "colours"};

const char *tess_renumber_name(tess_renumber_method method) {
    return names[method];
}

tess_status tess_renumber_parse(const char *name, tess_renumber_method *method) {
    for (tess_renumber_method m = TESS_RENUMBER_NONE; m <= TESS_RENUMBER_COLOURS; m++) {
        if (strcmp(name, names[m]) == 0) {
            *method = m;
            return TESS_OK;
        }
    }
    FAIL(TESS_ERROR_USAGE,
         "unknown renumbering '%s': known are none, gps, rcm, blocks, owner, "
         "colours",
         name);
}

/* Adds the permutation of a set and takes over new_to_old. */
static tess_status add_permutation(const tess_bound_loop *bound, int set, int32_t *new_to_old,
                                   tess_renumbering *renumbering) {
    tess_permutation *added = &renumbering->sets[renumbering->n_sets++];
    *added = (tess_permutation){
        .set = set, .size = bound->mesh->sets[set].size, .new_to_old = new_to_old};
    TRY(TESS_ALLOC(added->size, &added->old_to_new));
    for (int64_t i = 0; i < added->size; i++)
        added->old_to_new[new_to_old[i]] = (int32_t)i;
    return TESS_OK;
}

/* The reach whose graph decides: the first that is incremented, else the first. */
static int deciding_reach(const tess_bound_loop *bound) {
    for (int r = 0; r < bound->n_reaches; r++)
        if (bound->reaches[r].incremented)
            return r;
    return 0;
}

/* Sorts the elements by the colours that they get in their order, stably. */
static tess_status sort_by_colour(const tess_bound_loop *bound, tess_permutation *elements) {
    tess_status status = TESS_OK;
    int32_t *colour = NULL, *sorted = NULL, n_colours = 0;
    CHECK(TESS_ALLOC(elements->size, &colour));
    CHECK(tess_loop_colour(bound, elements->new_to_old, true, colour, &n_colours));
    CHECK(tess_order_elements_by_colour(elements, colour, n_colours, &sorted));
    for (int64_t i = 0; i < elements->size; i++)
        elements->old_to_new[sorted[i]] = (int32_t)i;
    free(elements->new_to_old);
    elements->new_to_old = sorted;
done:
    free(colour);
    return status;
}

/* GPS, RCM, COLOURS: the deciding points along their graph, elements by them, other points by these
 * elements; then elements by colour, where they are not points as well. */
static tess_status renumber_by_graph(const tess_bound_loop *bound, tess_renumbering *renumbering) {
    const int deciding = deciding_reach(bound);
    const tess_reach *reach = &bound->reaches[deciding];
    int32_t *order = NULL;
    TRY(tess_order_points_by_graph(bound, reach, renumbering->method, &order));
    TRY(add_permutation(bound, reach->set, order, renumbering));
    const tess_permutation *elements = tess_renumbering_of(renumbering, bound->set);
    if (!elements) {
        TRY(tess_order_elements_by_points(bound, reach, renumbering->sets[0].old_to_new, &order));
        TRY(add_permutation(bound, bound->set, order, renumbering));
        elements = tess_renumbering_of(renumbering, bound->set);
    }
    for (int r = 0; r < bound->n_reaches; r++) {
        if (tess_renumbering_of(renumbering, bound->reaches[r].set))
            continue;
        TRY(tess_order_points_by_elements(bound, &bound->reaches[r], elements->new_to_old, &order));
        TRY(add_permutation(bound, bound->reaches[r].set, order, renumbering));
    }
    if (renumbering->method == TESS_RENUMBER_COLOURS && elements != &renumbering->sets[0])
        TRY(sort_by_colour(bound, &renumbering->sets[1]));
    return TESS_OK;
}

/* The points of one reach by the plan's blocks. */
static tess_status renumber_points(const tess_bound_loop *bound, const tess_plan *plan, int r,
                                   tess_renumbering *renumbering) {
    tess_rows *blocks = NULL;
    int32_t *order = NULL;
    const int set = bound->reaches[r].set;
    const bool is_over = strcmp(bound->mesh->sets[set].name, plan->over) == 0;
    const tess_incidence points = {.index = plan->sets[r].points,
                                   .offset = plan->sets[r].point_offset,
                                   .n_points = bound->mesh->sets[set].size};
    TRY(tess_incidence_invert(&points, plan->n_blocks, &blocks));
    const tess_status status =
        renumbering->method == TESS_RENUMBER_BLOCKS
            ? tess_order_points_by_blocks(blocks, plan->n_blocks, &order)
            : tess_order_points_by_owner(blocks, is_over ? plan->owner : NULL, plan->n_blocks,
                                         &order);
    tess_rows_free(blocks);
    TRY(status);
    return add_permutation(bound, set, order, renumbering);
}

/* BLOCKS and OWNER: points by the plan's blocks, elements in the order of the plan. */
static tess_status renumber_by_plan(const tess_bound_loop *bound, const tess_plan *plan,
                                    tess_renumbering *renumbering) {
    for (int r = 0; r < bound->n_reaches; r++)
        TRY(renumber_points(bound, plan, r, renumbering));
    if (tess_renumbering_of(renumbering, bound->set))
        return TESS_OK;
    int32_t *order = NULL;
    TRY(tess_order_elements_by_plan(plan, &order));
    return add_permutation(bound, bound->set, order, renumbering);
}

tess_status tess_renumber_build(const tess_bound_loop *bound, const tess_plan *plan,
                                tess_renumber_method method, tess_renumbering **out) {
    tess_status status = TESS_OK;
    tess_renumbering *renumbering = NULL;
    CHECK(TESS_ZEROS(1, &renumbering));
    renumbering->method = method;
    CHECK(TESS_ZEROS(bound->n_reaches + 1, &renumbering->sets));
    if (method == TESS_RENUMBER_GPS || method == TESS_RENUMBER_RCM ||
        method == TESS_RENUMBER_COLOURS)
        CHECK(renumber_by_graph(bound, renumbering));
    else if (method != TESS_RENUMBER_NONE && !plan)
        CHECK(tess_fail(TESS_ERROR_INTERNAL, "renumbering by %s needs a plan", names[method]));
    else if (method != TESS_RENUMBER_NONE)
        CHECK(renumber_by_plan(bound, plan, renumbering));
    *out = renumbering;
    renumbering = NULL;
done:
    tess_renumbering_free(renumbering);
    return status;
}

const tess_permutation *tess_renumbering_of(const tess_renumbering *renumbering, int set) {
    for (int i = 0; i < renumbering->n_sets; i++)
        if (renumbering->sets[i].set == set)
            return &renumbering->sets[i];
    return NULL;
}

void tess_renumbering_free(tess_renumbering *renumbering) {
    if (!renumbering)
        return;
    for (int i = 0; i < renumbering->n_sets; i++) {
        free(renumbering->sets[i].new_to_old);
        free(renumbering->sets[i].old_to_new);
    }
    free(renumbering->sets);
    free(renumbering);
}
