/* A line order: elements by the lines of memory in which their points lie. */
#include "core/plan/order/line_order.h"

#include "core/base/array.h"
#include "core/base/key_order.h"
#include <stdlib.h>

enum { LINE_BITS = 4, POINT_BITS = 32 }; /* a line of 16 points */

/* The to-set of which an element takes most bytes. */
static const tess_loop_target *heaviest_target(const tess_bound_loop *bound) {
    const tess_loop_target *heaviest = bound->targets;
    for (const tess_loop_target *t = bound->targets; t < bound->targets + bound->n_targets; t++)
        if (t->bytes * t->n_slots > heaviest->bytes * heaviest->n_slots)
            heaviest = t;
    return heaviest;
}

/* Where the data of an element's point lie; last where it has none. */
static uint64_t position_of(const tess_loop_target *target, const int32_t *positions,
                            int64_t element, int slot) {
    if (slot >= target->n_slots)
        return 0;
    const int32_t point = tess_target_point(target, element, slot);
    return (uint64_t)(point < 0 ? INT32_MAX : positions ? positions[point] : point);
}

tess_status tess_line_order_build(const tess_bound_loop *bound, const int32_t *const *points,
                                  int32_t **position) {
    const tess_loop_target *target = heaviest_target(bound);
    const int32_t *positions = points ? points[target - bound->targets] : NULL;
    const int64_t n = bound->n_elements;
    tess_status status = TESS_OK;
    uint64_t *keys = NULL;
    int32_t *order = NULL;
    CHECK(TESS_ALLOC(n, &keys));
    CHECK(TESS_ALLOC(n, position));
#pragma omp parallel for
    for (int64_t e = 0; e < n; e++) {
        const uint64_t first = position_of(target, positions, e, 0);
        const uint64_t line = first >> LINE_BITS, within = first & ((1u << LINE_BITS) - 1);
        keys[e] = line << (POINT_BITS + LINE_BITS) |
                  position_of(target, positions, e, 1) << LINE_BITS | within;
    }
    CHECK(tess_key_order(keys, n, &order));
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++)
        (*position)[order[i]] = (int32_t)i;
done:
    free(keys);
    free(order);
    if (status != TESS_OK) {
        free(*position);
        *position = NULL;
    }
    return status;
}
