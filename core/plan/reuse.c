/* Reuse: how often the blocks of a plan use the points that they load. */
#include "core/plan/reuse.h"

#include "core/base/array.h"
#include <stdlib.h>
#include <string.h>

static int64_t most_points(const tess_plan *plan, const tess_plan_set *set) {
    int64_t most = 0;
    for (int32_t b = 0; b < plan->n_blocks; b++)
        if (set->point_offset[b + 1] - set->point_offset[b] > most)
            most = set->point_offset[b + 1] - set->point_offset[b];
    return most;
}

/* Counts one slot of a block; `used` marks the block's points that any slot has reached. */
static void count_slot(const tess_plan *plan, const tess_plan_set *set, int32_t b, int slot,
                       bool *used, tess_reuse *to) {
    for (int64_t i = plan->block_offset[b]; i < plan->block_offset[b + 1]; i++) {
        const uint16_t local = set->local_index[i * set->n_slots + slot];
        if (local == TESS_NO_POINT)
            continue;
        to->accesses++;
        to->points += !used[local];
        used[local] = true;
    }
}

tess_status tess_reuse_count(const tess_bound_loop *bound, const tess_plan *plan, tess_reuse *out) {
    *out = (tess_reuse){.accesses = 0};
    for (int k = 0; k < plan->n_sets; k++) {
        const tess_plan_set *set = &plan->sets[k];
        const int64_t most = most_points(plan, set);
        bool *used = NULL;
        TRY(TESS_ALLOC(most, &used));
        for (int32_t b = 0; b < plan->n_blocks; b++) {
            memset(used, 0, (size_t)most * sizeof *used);
            for (int s = 0; s < set->n_slots; s++)
                if (tess_loop_target_counts(bound, &bound->targets[k], s, TESS_POINTS_INCREMENTS))
                    count_slot(plan, set, b, s, used, out);
        }
        free(used);
    }
    return TESS_OK;
}
