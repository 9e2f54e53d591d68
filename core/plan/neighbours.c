/* Neighbours: elements that a loop reaches from others of its own set, and how blocks divide them.
 */
#include "core/plan/neighbours.h"

#include "core/base/array.h"
#include <stdlib.h>

const tess_loop_target *tess_neighbours_target(const tess_bound_loop *bound) {
    for (int r = 0; r < bound->n_targets; r++)
        if (bound->targets[r].set == bound->set)
            return &bound->targets[r];
    return NULL;
}

/* The element that `element` reaches through a slot, -1: none, or one that is not of this part of a
 * loop. Maps name elements by their numbers in the set, the plan by those in the part. */
static int64_t reached(const tess_bound_loop *bound, const tess_loop_target *target,
                       int64_t element, int slot) {
    const int32_t in_set = tess_target_point(target, element, slot);
    const int64_t other = in_set - bound->first;
    return in_set < 0 || other < 0 || other >= bound->n_elements ? -1 : other;
}

/* Whether one of the first n slots of an element reaches `other`. */
static bool reaches(const tess_bound_loop *bound, const tess_loop_target *target, int64_t element,
                    int n, int64_t other) {
    for (int s = 0; s < n; s++)
        if (reached(bound, target, element, s) == other)
            return true;
    return false;
}

/* Counts the pairs that are element e's: those that it reaches, less those that a lower number
 * reaches, too, and so are counted there. */
static int64_t count_cut(const tess_bound_loop *bound, const tess_loop_target *target,
                         const int32_t *block_of, int64_t e, uint8_t *on_border) {
    int64_t cut = 0;
    for (int s = 0; s < target->n_slots; s++) {
        const int64_t other = reached(bound, target, e, s);
        if (other < 0 || block_of[other] == block_of[e] || reaches(bound, target, e, s, other) ||
            (other < e && reaches(bound, target, other, target->n_slots, e)))
            continue;
        cut++;
        __atomic_store_n(&on_border[e], 1, __ATOMIC_RELAXED);
        __atomic_store_n(&on_border[other], 1, __ATOMIC_RELAXED);
    }
    return cut;
}

tess_status tess_neighbours_count(const tess_bound_loop *bound, const tess_plan *plan,
                                  tess_neighbour_counts *out) {
    tess_status status = TESS_OK;
    const tess_loop_target *target = tess_neighbours_target(bound);
    int32_t *block_of = NULL;
    uint8_t *on_border = NULL;
    int64_t cut = 0, border = 0;
    CHECK(TESS_ALLOC(plan->n_elements, &block_of));
    CHECK(TESS_ZEROS(plan->n_elements, &on_border));
    for (int32_t b = 0; b < plan->n_blocks; b++)
        for (int64_t i = plan->block_offset[b]; i < plan->block_offset[b + 1]; i++)
            block_of[plan->executed[i]] = b;
#pragma omp parallel for schedule(static) reduction(+ : cut)
    for (int64_t e = 0; e < plan->n_elements; e++)
        cut += count_cut(bound, target, block_of, e, on_border);
    for (int64_t e = 0; e < plan->n_elements; e++)
        border += on_border[e];
    *out = (tess_neighbour_counts){.cut = cut, .border = border};
done:
    free(block_of);
    free(on_border);
    return status;
}
