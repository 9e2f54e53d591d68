/* Point owners: the blocks of a plan that own the points of its targets. */
#pragma once

#include "core/plan/loop.h"

/* Who owns the points of a target, where blocks own those of a set: these by the plan, pairs of
 * them the block of their row; owner NULL: nobody. */
typedef struct tess_point_owners {
    const int32_t *owner;
    const int32_t *pairs; /* [][2]: rows and columns; NULL: the points themselves are owned */
} tess_point_owners;
tess_point_owners tess_point_owners_of(const tess_bound_loop *bound, const char *owned_set,
                                       const int32_t *owner, int target);
static inline int32_t tess_point_owner(tess_point_owners of, int32_t point) {
    return of.owner[of.pairs ? of.pairs[2 * point] : point];
}

/* Refuses (USAGE) a loop that increments another set than `set`, whose points blocks own: elements
 * that several blocks execute would do it twice. Pairs of these points may be incremented by
 * elements that increment the pair's row as well. */
TESS_MUST_CHECK tess_status tess_points_may_be_owned(const tess_bound_loop *bound, int set);
