/* The proof of the inside of a block: its points, local indices and thread colours. */
#include "core/plan/plan_check_parts.h"

#include "core/base/array.h"
#include <stdlib.h>

enum { MOST_COLOURS = 1 << 16 };

tess_status tess_block_marks_new(const tess_plan *plan, tess_block_marks *marks) {
    int64_t most_points = 0, most_elements = 0;
    for (int32_t b = 0; b < plan->n_blocks; b++) {
        const int64_t n = plan->block_offset[b + 1] - plan->block_offset[b];
        most_elements = n > most_elements ? n : most_elements;
        for (int k = 0; k < plan->n_sets; k++) {
            const int64_t m = plan->sets[k].point_offset[b + 1] - plan->sets[k].point_offset[b];
            most_points = m > most_points ? m : most_points;
        }
    }
    TRY(TESS_ALLOC(most_points, &marks->reached));
    TRY(TESS_ALLOC(most_points, &marks->position));
    TRY(TESS_ALLOC(most_points, &marks->colour));
    TRY(TESS_ALLOC(most_elements, &marks->next));
    return TESS_ALLOC(MOST_COLOURS, &marks->head);
}

void tess_block_marks_free(tess_block_marks *marks) {
    free(marks->reached);
    free(marks->position);
    free(marks->colour);
    free(marks->next);
    free(marks->head);
}

/* One slot of one position: its local index addresses its point. */
static tess_status local_check(const tess_bound_loop *bound, const tess_plan *plan, int k,
                               int32_t b, int64_t i, int slot, bool *reached) {
    const tess_plan_set *set = &plan->sets[k];
    const int64_t first = set->point_offset[b], n = set->point_offset[b + 1] - first;
    const int32_t e = plan->executed[i];
    const int32_t point = tess_reach_point(&bound->reaches[k], e, slot);
    const uint16_t local = set->local_index[i * set->n_slots + slot];
    if (point < 0) {
        if (local != TESS_NO_POINT)
            DEFECT("block %d, position %" PRId64 ", element %d, slot %d: the map is padded, but "
                   "local index %d of %s is given",
                   b, i, e, slot, local, set->set);
        return TESS_OK;
    }
    if (local < n && set->points[first + local] == point) {
        reached[local] = true;
        return TESS_OK;
    }
    for (int64_t j = 0; j < n; j++)
        if (set->points[first + j] == point)
            DEFECT("block %d, position %" PRId64 ", element %d, slot %d: local index %d is wrong, "
                   "%s %d is the block's point %" PRId64,
                   b, i, e, slot, local, set->set, point, j);
    DEFECT("block %d, position %" PRId64 ", element %d, slot %d: %s %d is missing from the block's "
           "points",
           b, i, e, slot, set->set, point);
}

/* The points of a block are distinct, ascending, and exactly those that its elements reach. */
static tess_status points_check(const tess_bound_loop *bound, const tess_plan *plan, int k,
                                int32_t b, tess_block_marks *marks) {
    const tess_plan_set *set = &plan->sets[k];
    const int64_t first = set->point_offset[b], n = set->point_offset[b + 1] - first;
    const int64_t size = bound->mesh->sets[bound->reaches[k].set].size;
    for (int64_t j = 0; j < n; j++) {
        const int32_t point = set->points[first + j];
        if (point < 0 || point >= size)
            DEFECT("block %d: its point %" PRId64 " is %s %d, which does not exist", b, j, set->set,
                   point);
        if (j > 0 && set->points[first + j - 1] >= point)
            DEFECT("block %d: its points %" PRId64 " and %" PRId64 ", %s %d and %d, do not ascend",
                   b, j - 1, j, set->set, set->points[first + j - 1], point);
        marks->reached[j] = false;
    }
    for (int64_t i = plan->block_offset[b]; i < plan->block_offset[b + 1]; i++)
        for (int s = 0; s < set->n_slots; s++)
            TRY(local_check(bound, plan, k, b, i, s, marks->reached));
    for (int64_t j = 0; j < n; j++)
        if (!marks->reached[j])
            DEFECT("block %d: its point %" PRId64 ", %s %d, is extra: no element reaches it", b, j,
                   set->set, set->points[first + j]);
    return TESS_OK;
}

/* One position takes its incremented points of a set for its colour; fails where another position
 * of the colour has one. */
static tess_status position_take(const tess_plan *plan, int k, int32_t b, int64_t i,
                                 tess_block_marks *marks) {
    const tess_plan_set *set = &plan->sets[k];
    const int32_t colour = plan->thread_colour[i];
    for (int s = 0; s < set->n_slots; s++) {
        const uint16_t local = set->local_index[i * set->n_slots + s];
        if (!set->slot_incremented[s] || local == TESS_NO_POINT)
            continue;
        if (marks->colour[local] == colour && marks->position[local] != i)
            DEFECT("block %d, positions %" PRId64 " and %" PRId64 ": elements %d and %d (slot %d) "
                   "of thread colour %d increment the same %s %d",
                   b, marks->position[local], i, plan->executed[marks->position[local]],
                   plan->executed[i], s, colour, set->set,
                   set->points[set->point_offset[b] + local]);
        marks->colour[local] = colour;
        marks->position[local] = i;
    }
    return TESS_OK;
}

/* Lists the block's positions by colour in head and next; the block has exactly as many colours as
 * it says. */
static tess_status positions_list(const tess_plan *plan, int32_t b, tess_block_marks *marks) {
    const int32_t n_colours = plan->thread_colours[b];
    const int64_t start = plan->block_offset[b], end = plan->block_offset[b + 1];
    if (n_colours < 0 || n_colours > MOST_COLOURS)
        DEFECT("block %d says it has %d thread colours", b, n_colours);
    for (int32_t c = 0; c < n_colours; c++)
        marks->head[c] = -1;
    for (int64_t i = end - 1; i >= start; i--) {
        const int32_t c = plan->thread_colour[i];
        if (c >= n_colours)
            DEFECT("block %d, position %" PRId64 ", element %d: thread colour %d of %d", b, i,
                   plan->executed[i], c, n_colours);
        marks->next[i - start] = marks->head[c];
        marks->head[c] = i;
    }
    for (int32_t c = 0; c < n_colours; c++)
        if (marks->head[c] < 0)
            DEFECT("block %d: no element has thread colour %d of %d", b, c, n_colours);
    return TESS_OK;
}

/* No two elements of a colour increment a common point of set k. */
static tess_status thread_colours_check(const tess_plan *plan, int k, int32_t b,
                                        tess_block_marks *marks) {
    const tess_plan_set *set = &plan->sets[k];
    const int64_t n_points = set->point_offset[b + 1] - set->point_offset[b];
    for (int64_t j = 0; j < n_points; j++)
        marks->colour[j] = -1;
    for (int32_t c = 0; c < plan->thread_colours[b]; c++)
        for (int64_t i = marks->head[c]; i >= 0; i = marks->next[i - plan->block_offset[b]])
            TRY(position_take(plan, k, b, i, marks));
    return TESS_OK;
}

tess_status tess_block_check(const tess_bound_loop *bound, const tess_plan *plan, int32_t b,
                             tess_block_marks *marks) {
    for (int k = 0; k < plan->n_sets; k++)
        TRY(points_check(bound, plan, k, b, marks));
    TRY(positions_list(plan, b, marks));
    for (int k = 0; k < plan->n_sets; k++)
        if (plan->sets[k].incremented)
            TRY(thread_colours_check(plan, k, b, marks));
    return TESS_OK;
}
