/* Settling: elements at borders visited in turn. */
#include "partitioners/mosaic/settle.h"
#include "core/base/splitmix.h"

#include <string.h>

enum { WORD = 64 };

/* A settling under way; costs are of MOSAIC_UNIT. */
typedef struct settling {
    const int32_t *wait; /* [MOSAIC_WAITS] */
    uint64_t random;     /* state */
    int64_t temperature;
    int64_t unit;     /* of a point of weight 1 */
    int64_t crowding; /* of one element more */
    float round;      /* of a square as large as a block's mean square distance from its middle */
    int64_t cost;
} settling;

static inline void wake(mosaic_group *group, int32_t element) {
    group->awake[element / WORD] |= UINT64_C(1) << element % WORD;
}

static inline void rest(mosaic_group *group, int32_t element) {
    group->awake[element / WORD] &= ~(UINT64_C(1) << element % WORD);
}

/* The blocks other than its own that have the most of an element's points; 0: none has any. */
static inline uint64_t nearest_blocks(const mosaic_group *group, int32_t element, uint64_t own) {
    const mosaic_pins *pins = &group->piece.pins;
    const int64_t end = mosaic_first(pins, element + 1);
    uint64_t some = 0, none_lacks = ~own, one_lacks = ~own, two_lack = ~own;
    for (int64_t k = mosaic_first(pins, element); k < end; ++k) {
        const uint64_t any = group->held[pins->point[k]].any;
        some |= any;
        two_lack = (two_lack & any) | one_lacks;
        one_lacks = (one_lacks & any) | none_lacks;
        none_lacks &= any;
    }
    some &= ~own; /* 0 of an element without points */
    const uint64_t near = (none_lacks ? none_lacks : one_lacks) & some;
    return near ? near : two_lack & some ? two_lack & some : some;
}

static inline void move(mosaic_group *group, int32_t element, int32_t from, int32_t to) {
    const mosaic_pins *pins = &group->piece.pins;
    const mosaic_rows *rows = &group->piece.rows;
    mosaic_group_move(group, element, to);
    mosaic_shape_move(element, from, to, group->size, &group->shape);
    for (int64_t k = mosaic_first(pins, element); k < mosaic_first(pins, element + 1); ++k)
        for (int64_t i = rows->offset[pins->point[k]]; i < rows->offset[pins->point[k] + 1]; ++i)
            wake(group, rows->element[i]);
}

static inline void visit(mosaic_group *group, settling *now, int32_t element) {
    const int32_t from = group->home[element];
    const uint64_t near = nearest_blocks(group, element, UINT64_C(1) << from);
    if (!near) {
        rest(group, element);
        return;
    }
    const uint64_t random = tess_random_next(&now->random);
    const int32_t to = mosaic_bit_of(near, random >> 16 & 63);
    const int32_t cost = mosaic_group_cost(group, element, to);
    const int64_t crowd = (int64_t)group->size[to] - group->target[to] + 1 -
                          (group->size[from] - group->target[from]);
    const int64_t drift =
        (int64_t)(now->round * (mosaic_shape_apart(&group->shape, element, to) -
                                mosaic_shape_apart(&group->shape, element, from)));
    const int64_t limit = now->temperature * now->wait[random % MOSAIC_WAITS] / MOSAIC_UNIT;
    if (drift + cost * now->unit + crowd * now->crowding <= limit && group->size[from] > 1) {
        move(group, element, from, to);
        now->cost += cost;
    } else if (cost > 0)
        rest(group, element);
}

/* All that are awake, those that wake up further on, too. */
static void visit_all(mosaic_group *group, settling *now) {
    const int64_t n = group->piece.pins.n_elements;
    for (int64_t w = 0; w * WORD < n; ++w)
        for (uint64_t left = group->awake[w]; left; left &= left - 1)
            visit(group, now, (int32_t)(w * WORD) + __builtin_ctzll(left));
}

int64_t mosaic_group_settle(mosaic_group *group, const mosaic_cooling *cooling, uint64_t seed) {
    const int64_t n = group->piece.pins.n_elements;
    settling now = {.wait = cooling->wait, .random = seed, .unit = mosaic_group_unit(group)};
    memset(group->awake, 0, (size_t)(n / WORD + 1) * sizeof *group->awake);
    for (int32_t e = 0; e < n; ++e)
        wake(group, e);
    for (int pass = 0; pass < cooling->passes; ++pass) {
        const double part = (pass + 0.5) / cooling->passes;
        now.temperature = mosaic_between(cooling->hot, cooling->cold, part);
        now.round = (float)mosaic_between(cooling->round, cooling->round_last, part);
        now.crowding = mosaic_between(cooling->crowding, cooling->crowding_last, part);
        visit_all(group, &now);
        mosaic_group_prove(group, now.cost);
    }
    return now.cost;
}
