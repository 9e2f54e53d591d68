/* Heat: moves between the blocks of a group, at a temperature that falls. */
#include "partitioners/mosaic/group_heat.h"
#include "core/base/splitmix.h"

#include <math.h>

void mosaic_heat_set(const mosaic_schedule *schedule, mosaic_heat *heat) {
    heat->schedule = *schedule;
    for (int i = 0; i < MOSAIC_WAITS; ++i)
        heat->wait[i] = (int32_t)lround(-MOSAIC_UNIT * log((i + 0.5) / MOSAIC_WAITS));
}

/* An annealing under way; costs are of MOSAIC_UNIT. */
typedef struct state {
    const mosaic_heat *heat;
    const int32_t *most_points;
    uint64_t random; /* state */
    int32_t turn;    /* position in the list of cut points */
    int64_t temperature;
    int64_t unit;  /* of a point of weight 1 */
    int64_t sizes; /* of one element more */
    float round;   /* of a square as large as a block's mean square distance from its middle */
    int64_t cost;  /* weight of the points that blocks got less that of those they lost */
} state;

static void set_part(state *now, bool located, double part) {
    const mosaic_schedule *schedule = &now->heat->schedule;
    now->temperature = mosaic_between(schedule->heat, part);
    now->sizes = mosaic_between(schedule->sizes, part);
    if (located && schedule->roundness[0] > 0)
        now->round = (float)mosaic_between(schedule->roundness, part);
}

/* True where heat allows a move that saves or costs points, roundness and sizes. */
static inline bool is_allowed(const mosaic_group *group, const state *now, int32_t element,
                              int32_t to, int32_t cost, uint64_t random) {
    const int32_t from = group->home[element];
    const int64_t crowd = mosaic_group_crowd(group, from, to);
    const int64_t wait = now->heat->wait[random % MOSAIC_WAITS];
    int64_t drift = 0;
    if (now->round > 0)
        drift = (int64_t)(now->round * (mosaic_shape_distance(&group->shape, element, to) -
                                        mosaic_shape_distance(&group->shape, element, from)));
    return group->size[from] > 1 &&
           drift + cost * now->unit + crowd * now->sizes <= now->temperature * wait / MOSAIC_UNIT;
}

static inline void move(mosaic_group *group, state *now, int32_t element, int32_t to,
                        int32_t cost) {
    const int32_t from = group->home[element];
    mosaic_group_move(group, element, to);
    if (now->round > 0)
        mosaic_shape_move(element, from, to, group->size, &group->shape);
    now->cost += cost;
}

/* A number below n from 20 bits of a random one. */
static inline int64_t below(uint64_t random, int shift, int64_t n) {
    return (int64_t)(((random >> shift & 0xfffff) * (uint64_t)n) >> 20);
}

/* Tries to move a random element of a cut point, the next one of all, to another block of that
 * point. */
static inline void try_move(mosaic_group *group, state *now) {
    const uint64_t random = tess_random_next(&now->random);
    now->turn = now->turn + 1 < group->n_cut ? now->turn + 1 : 0;
    const int32_t point = group->cut[now->turn];
    const int64_t row = group->piece.rows.offset[point];
    const int64_t length = group->piece.rows.offset[point + 1] - row;
    const int32_t *const list = group->piece.rows.item + row;
    const uint64_t alone = group->held[point].any & ~group->held[point].several;
    int64_t some = below(random, 24, length);
    /* every other time one of a block that has no other here, which long annealing does not need */
    if (now->round > 0 && alone && random >> 63)
        while (!(alone >> group->home[list[some]] & 1))
            some = some + 1 < length ? some + 1 : 0;
    const int32_t element = list[some];
    const uint64_t others = group->held[point].any & ~(UINT64_C(1) << group->home[element]);
    const int32_t to = mosaic_bit_of(others, random >> 16 & 63);
    const int32_t cost = mosaic_group_cost(group, element, to);
    if (!is_allowed(group, now, element, to, cost, random))
        return;
    if (now->most_points &&
        group->points_of[to] + mosaic_group_come(group, element, to) > now->most_points[to])
        return;
    move(group, now, element, to, cost);
}

int64_t mosaic_group_wander(mosaic_group *group, const mosaic_heat *heat,
                            const int32_t *most_points, uint64_t seed) {
    state now = {
        .heat = heat, .most_points = most_points, .random = seed, .unit = mosaic_group_unit(group)};
    int64_t n_cut_pins = 0;
    for (int32_t i = 0; i < group->n_cut; ++i)
        n_cut_pins += tess_rows_size(&group->piece.rows, group->cut[i]);
    const double n_mean = sqrt((double)n_cut_pins * (double)group->piece.pins.n_elements);
    const int64_t n_tries = (int64_t)ceil(heat->schedule.trials * n_mean / HEAT_STEPS);
    for (int step = 0; step < HEAT_STEPS; ++step) {
        set_part(&now, group->located, (step + 0.5) / HEAT_STEPS);
        for (int64_t i = 0; i < n_tries && group->n_cut > 0; ++i)
            try_move(group, &now);
        mosaic_group_prove(group, now.cost);
    }
    return now.cost;
}

/* The blocks other than its own that have the most of an element's points; 0: none has any. */
static inline uint64_t nearest_blocks(const mosaic_group *group, int32_t element, uint64_t own) {
    const mosaic_pins *pins = &group->piece.pins;
    const int64_t end = mosaic_end(pins, element);
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

static inline void wake_around(mosaic_group *group, int32_t element) {
    const mosaic_pins *pins = &group->piece.pins;
    const tess_rows *rows = &group->piece.rows;
    for (int64_t k = mosaic_first(pins, element); k < mosaic_end(pins, element); ++k)
        for (int64_t i = rows->offset[pins->point[k]]; i < rows->offset[pins->point[k] + 1]; ++i)
            mosaic_group_rouse(group, rows->item[i]);
}

static inline void visit(mosaic_group *group, state *now, int32_t element) {
    const uint64_t near = nearest_blocks(group, element, UINT64_C(1) << group->home[element]);
    if (!near) {
        mosaic_group_lay(group, element, MOSAIC_DEPTHS);
        return;
    }
    const uint64_t random = tess_random_next(&now->random);
    const int32_t to = mosaic_bit_of(near, random >> 16 & 63);
    const int32_t cost = mosaic_group_cost(group, element, to);
    if (is_allowed(group, now, element, to, cost, random)) {
        move(group, now, element, to, cost);
        wake_around(group, element);
    } else if (cost > 0)
        mosaic_group_lay(group, element, MOSAIC_DEPTHS);
}

/* All that are awake, those that wake up further on, too. */
static void visit_all(mosaic_group *group, state *now) {
    const int64_t n = group->piece.pins.n_elements;
    for (int64_t w = 0; w * MOSAIC_WORD < n; ++w)
        for (uint64_t left = group->sleep[w].at[MOSAIC_AWAKE]; left; left &= left - 1)
            visit(group, now, (int32_t)(w * MOSAIC_WORD) + __builtin_ctzll(left));
}

int64_t mosaic_group_settle(mosaic_group *group, const mosaic_heat *heat, uint64_t seed) {
    const int n_passes = heat->schedule.passes;
    state now = {.heat = heat, .random = seed, .unit = mosaic_group_unit(group)};
    mosaic_group_rouse_borders(group);
    for (int pass = 0; pass < n_passes; ++pass) {
        set_part(&now, true, (pass + 0.5) / n_passes);
        visit_all(group, &now);
        mosaic_group_prove(group, now.cost);
    }
    return now.cost;
}
