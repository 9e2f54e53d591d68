/* Heat: random moves between the blocks of a group, at a temperature that falls. */
#include "partitioners/mosaic/heat.h"
#include "core/base/splitmix.h"

#include <math.h>

enum { N_STEPS = 64 };

void mosaic_cooling_set(mosaic_cooling *cooling) {
    for (int i = 0; i < MOSAIC_WAITS; ++i)
        cooling->wait[i] = (int32_t)lround(-MOSAIC_UNIT * log((i + 0.5) / MOSAIC_WAITS));
}

/* An annealing under way. */
typedef struct heat {
    const mosaic_cooling *cooling;
    const int32_t *most_points;
    uint64_t random;     /* state */
    int32_t turn;        /* place in the list of cut points */
    int64_t temperature; /* of MOSAIC_UNIT */
    int64_t unit;        /* of a point of weight 1 */
    int64_t crowding;    /* of one element more */
    float round; /* of a square as large as a block's mean square distance from its middle */
    int64_t cost;
} heat;

/* A number below n from 20 bits of a random one. */
static inline int64_t below(uint64_t random, int shift, int64_t n) {
    return (int64_t)(((random >> shift & 0xfffff) * (uint64_t)n) >> 20);
}

/* Tries to move a random element of a cut point, the next one of all, to another block of that
 * point. */
static inline void try_move(mosaic_group *group, heat *now) {
    const uint64_t random = tess_random_next(&now->random);
    now->turn = now->turn + 1 < group->n_cut ? now->turn + 1 : 0;
    const int32_t point = group->cut[now->turn];
    const int64_t row = group->piece.rows.offset[point];
    const int64_t length = group->piece.rows.offset[point + 1] - row;
    const int32_t *const list = group->piece.rows.element + row;
    const uint64_t alone = group->held[point].any & ~group->held[point].several;
    int64_t some = below(random, 24, length);
    /* every other time one of a block that has no other here, which long annealing does not need */
    if (now->round > 0 && alone && random >> 63)
        while (!(alone >> group->home[list[some]] & 1))
            some = some + 1 < length ? some + 1 : 0;
    const int32_t element = list[some], from = group->home[element];
    const int32_t to =
        mosaic_bit_of(group->held[point].any & ~(UINT64_C(1) << from), random >> 16 & 63);
    const int32_t cost = mosaic_group_cost(group, element, to);
    const int64_t crowd = (int64_t)group->size[to] - group->target[to] + 1 -
                          (group->size[from] - group->target[from]);
    const int64_t wait = now->cooling->wait[random % MOSAIC_WAITS];
    int64_t drift = 0;
    if (now->round > 0)
        drift = (int64_t)(now->round * (mosaic_shape_apart(&group->shape, element, to) -
                                        mosaic_shape_apart(&group->shape, element, from)));
    if (drift + cost * now->unit + crowd * now->crowding > now->temperature * wait / MOSAIC_UNIT)
        return;
    if (group->size[from] == 1 ||
        (now->most_points &&
         group->points_of[to] + mosaic_group_come(group, element, to) > now->most_points[to]))
        return;
    mosaic_group_move(group, element, to);
    if (now->round > 0)
        mosaic_shape_move(element, from, to, group->size, &group->shape);
    now->cost += cost;
}

int64_t mosaic_between(double first, double last, double part) {
    return lround(MOSAIC_UNIT * first * pow(last / first, part));
}

int64_t mosaic_group_unit(const mosaic_group *group) {
    int64_t weight = 0;
    for (int32_t i = 0; i < group->n_cut; ++i)
        weight += group->piece.pins.weight ? group->piece.pins.weight[group->cut[i]] : 1;
    return weight ? (int64_t)MOSAIC_UNIT * group->n_cut / weight : 1;
}

int64_t mosaic_group_cool(mosaic_group *group, const mosaic_cooling *cooling,
                          const int32_t *most_points, uint64_t seed) {
    heat now = {.cooling = cooling,
                .most_points = most_points,
                .random = seed,
                .unit = mosaic_group_unit(group)};
    int64_t n_cut_pins = 0;
    for (int32_t i = 0; i < group->n_cut; ++i) {
        const int64_t *row = group->piece.rows.offset + group->cut[i];
        n_cut_pins += row[1] - row[0];
    }
    const double n_mean = sqrt((double)n_cut_pins * (double)group->piece.pins.n_elements);
    const int64_t n_tries = (int64_t)ceil(cooling->trials * n_mean / N_STEPS);
    for (int step = 0; step < N_STEPS; ++step) {
        const double part = (step + 0.5) / N_STEPS;
        now.temperature = mosaic_between(cooling->hot, cooling->cold, part);
        if (group->placed && cooling->round > 0)
            now.round = (float)mosaic_between(cooling->round, cooling->round_last, part);
        now.crowding = mosaic_between(cooling->crowding, cooling->crowding_last, part);
        for (int64_t i = 0; i < n_tries && group->n_cut > 0; ++i)
            try_move(group, &now);
        mosaic_group_prove(group, now.cost);
    }
    return now.cost;
}
