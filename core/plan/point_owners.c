/* Point owners: the blocks of a plan that own the points of its targets. */
#include "core/plan/point_owners.h"

#include "core/mesh/pairs.h"
#include <string.h>

/* Whether an element reaches a point of the partitioned set so that its block executes it. */
static bool is_executed_for(const tess_bound_loop *bound, const tess_loop_target *target,
                            int32_t point, int64_t element) {
    const tess_points which = target->incremented ? TESS_POINTS_INCREMENTS : TESS_POINTS_ALL;
    for (int s = 0; s < target->n_slots; s++)
        if (tess_target_point(target, element, s) == point &&
            tess_loop_target_counts(bound, target, s, which))
            return true;
    return false;
}

/* Refuses a loop that increments pairs in rows whose owner does not execute the element. */
static tess_status rows_are_executed(const tess_bound_loop *bound, const tess_loop_target *pairs,
                                     const tess_map *map) {
    const tess_loop_target *rows = bound->targets;
    while (rows < bound->targets + bound->n_targets && rows->set != map->to)
        rows++;
    for (int s = 0; s < pairs->n_slots; s++)
        for (int64_t e = 0; e < bound->n_elements && pairs->slot_incremented[s]; e++) {
            const int32_t pair = tess_target_point(pairs, e, s);
            if (pair < 0 || is_executed_for(bound, rows, map->index[2 * pair], e))
                continue;
            FAIL(TESS_ERROR_USAGE,
                 "loop %s increments pair (%d, %d) of %s by element %lld, which does not increment "
                 "its row: blocks that own %s cannot own these pairs",
                 bound->loop->name, map->index[2 * pair], map->index[2 * pair + 1],
                 bound->mesh->sets[pairs->set].name, (long long)e, bound->mesh->sets[map->to].name);
        }
    return TESS_OK;
}

tess_status tess_points_may_be_owned(const tess_bound_loop *bound, int set) {
    for (int r = 0; r < bound->n_targets; r++) {
        const tess_loop_target *target = &bound->targets[r];
        const tess_map *pairs = tess_pairs_of_set(bound->mesh, target->set);
        if (!target->incremented || target->set == set)
            continue;
        if (!pairs || pairs->to != set)
            FAIL(TESS_ERROR_USAGE,
                 "loop %s increments %s, too: blocks that own %s would do that more than once",
                 bound->loop->name, bound->mesh->sets[target->set].name,
                 bound->mesh->sets[set].name);
        TRY(rows_are_executed(bound, target, pairs));
    }
    return TESS_OK;
}

tess_point_owners tess_point_owners_of(const tess_bound_loop *bound, const char *owned_set,
                                       const int32_t *owner, int target) {
    const int set = bound->targets[target].set;
    const tess_map *pairs = tess_pairs_of_set(bound->mesh, set);
    if (strcmp(bound->mesh->sets[set].name, owned_set) == 0)
        return (tess_point_owners){.owner = owner};
    if (pairs && strcmp(bound->mesh->sets[pairs->to].name, owned_set) == 0)
        return (tess_point_owners){.owner = owner, .pairs = pairs->index};
    return (tess_point_owners){.owner = NULL};
}
