/* The colours of a plan's blocks. */
#include "core/plan/block_colours.h"

#include "core/base/array.h"
#include "core/base/key_order.h"
#include "core/plan/colour/colour.h"
#include "core/plan/colour/tabu_colour.h"
#include <stdlib.h>
#include <string.h>

/* Marks the points of a block that its elements increment (not only read). */
static void mark_incremented(const tess_plan *plan, const tess_plan_set *set, int32_t b,
                             bool *marked) {
    for (int64_t i = plan->block_offset[b]; i < plan->block_offset[b + 1]; i++)
        for (int s = 0; s < set->n_slots; s++)
            if (set->slot_incremented[s] && set->local_index[i * set->n_slots + s] != TESS_NO_POINT)
                marked[set->point_offset[b] + set->local_index[i * set->n_slots + s]] = true;
}

/* The incremented points of each block: all of them, or those of the incremented slots. */
static tess_status incremented_points(const tess_bound_loop *bound, const tess_plan *plan, int k,
                                      tess_incidence *out) {
    tess_status status = TESS_OK;
    const tess_plan_set *set = &plan->sets[k];
    const int64_t n_points = set->point_offset[plan->n_blocks];
    bool *marked = NULL;
    int32_t *index = NULL;
    bool all = true;
    for (int s = 0; s < set->n_slots; s++)
        all &= set->slot_incremented[s];
    *out = (tess_incidence){.index = set->points,
                            .offset = set->point_offset,
                            .n_points = bound->mesh->sets[bound->targets[k].set].size};
    if (all)
        return TESS_OK;
    CHECK(TESS_ZEROS(n_points, &marked));
    CHECK(TESS_ALLOC(n_points, &index));
#pragma omp parallel for schedule(dynamic, 32)
    for (int32_t b = 0; b < plan->n_blocks; b++)
        mark_incremented(plan, set, b, marked);
    for (int64_t i = 0; i < n_points; i++)
        index[i] = marked[i] ? set->points[i] : -1;
    out->index = index;
    out->owned = true;
done:
    free(marked);
    return status;
}

/* So few blocks are worth DSATUR and a long search for one colour less. */
enum { FEW_BLOCKS = 4096 };

/* Moves in vain after which no colour less is sought. */
static int64_t patience_of(int64_t n_blocks) {
    enum { LEAST = 2000, LONGEST = 50000, BY_BLOCK = 200 };
    if (n_blocks > FEW_BLOCKS)
        return LEAST + n_blocks;
    const int64_t wanted = LEAST + n_blocks * BY_BLOCK;
    return wanted < LONGEST ? wanted : LONGEST;
}

/* Gives the blocks by their first element: those of a chopped mesh as they were chopped. */
static tess_status order_by_first_element(const tess_plan *plan, int32_t **order) {
    const int32_t n = plan->n_blocks;
    uint64_t *key = NULL;
    TRY(TESS_ALLOC(n, &key));
    for (int32_t b = 0; b < n; b++) {
        int32_t first = INT32_MAX;
        for (int64_t i = plan->block_offset[b]; i < plan->block_offset[b + 1]; i++)
            first = plan->executed[i] < first ? plan->executed[i] : first;
        key[b] = (uint64_t)first;
    }
    const tess_status status = tess_key_order(key, n, order);
    free(key);
    return status;
}

/* Colours blocks by the least used colour, the block with the first element first, as Sulyok et al.
 * 2019 take the blocks of a chopped mesh. */
static tess_status colour_by_least_used(const tess_incidence *maps, int n_maps,
                                        const tess_plan *plan, int32_t *colour,
                                        int32_t *n_colours) {
    tess_status status = TESS_OK;
    const int32_t n = plan->n_blocks;
    int32_t *order = NULL, *ordered = NULL;
    tess_incidence *in_order = NULL;
    CHECK(TESS_ALLOC(n, &ordered));
    CHECK(TESS_ZEROS(n_maps, &in_order));
    CHECK(order_by_first_element(plan, &order));
    for (int m = 0; m < n_maps; m++)
        CHECK(tess_incidence_in_order(&maps[m], n, order, &in_order[m]));
    CHECK(tess_colour_least_used(in_order, n_maps, n, ordered, n_colours));
    for (int32_t i = 0; i < n; i++)
        colour[order[i]] = ordered[i];
done:
    for (int m = 0; in_order && m < n_maps; m++) {
        free((void *)in_order[m].index);
        free((void *)in_order[m].offset);
    }
    free(order);
    free(ordered);
    free(in_order);
    return status;
}

/* The fewest colours of blocks that we find: a search from first fit's or DSATUR's, and another one
 * from the least used where these are fewer still. */
static tess_status fewest_of_blocks(tess_incidence *maps, int n_maps, tess_plan *plan) {
    tess_status status = TESS_OK;
    const int32_t n = plan->n_blocks;
    int32_t *other = NULL, n_other = 0;
    CHECK(TESS_ALLOC(n, &other));
    if (n_maps == 1 && n <= FEW_BLOCKS)
        CHECK(tess_colour_dsatur(maps, n, plan->block_colour, &plan->n_block_colours));
    else
        CHECK(tess_colour_first_fit(maps, n_maps, n, plan->block_colour, &plan->n_block_colours));
    CHECK(tess_colour_reduce_of_maps(maps, n_maps, n, patience_of(n), plan->block_colour,
                                     &plan->n_block_colours));
    CHECK(colour_by_least_used(maps, n_maps, plan, other, &n_other));
    if (n_other < plan->n_block_colours) {
        CHECK(tess_colour_reduce_of_maps(maps, n_maps, n, patience_of(n), other, &n_other));
        memcpy(plan->block_colour, other, (size_t)n * sizeof *other);
        plan->n_block_colours = n_other;
    }
done:
    free(other);
    return status;
}

tess_status tess_block_colours_find(const tess_bound_loop *bound, tess_colouring colouring,
                                    tess_plan *plan) {
    tess_status status = TESS_OK;
    tess_incidence *maps = NULL;
    int n_maps = 0;
    CHECK(TESS_ALLOC(plan->n_sets, &maps));
    for (int k = 0; k < plan->n_sets && !plan->owns_points; k++)
        if (plan->sets[k].incremented)
            CHECK(incremented_points(bound, plan, k, &maps[n_maps++]));
    if (colouring == TESS_COLOUR_FEWEST)
        CHECK(fewest_of_blocks(maps, n_maps, plan));
    else if (colouring == TESS_COLOUR_SULYOK)
        CHECK(colour_by_least_used(maps, n_maps, plan, plan->block_colour, &plan->n_block_colours));
    else
        CHECK(tess_colour_first_fit(maps, n_maps, plan->n_blocks, plan->block_colour,
                                    &plan->n_block_colours));
done:
    for (int m = 0; m < n_maps; m++)
        if (maps[m].owned)
            free((void *)maps[m].index);
    free(maps);
    return status;
}
