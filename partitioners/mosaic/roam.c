/* Roaming: elements go where it costs least, those that only temperature moves when it does. */
#include "partitioners/mosaic/roam.h"
#include "core/base/splitmix.h"

#include <math.h>
#include <string.h>

void mosaic_cooling_set(const mosaic_schedule *schedule, int passes, mosaic_cooling *cooling) {
    cooling->schedule = *schedule;
    cooling->passes = passes;
    for (int i = 0; i < MOSAIC_WAITS; ++i)
        cooling->wait[i] = (int32_t)lround(-MOSAIC_UNIT * log((i + 0.5) / MOSAIC_WAITS));
}

/* From the first value to the second by equal factors, in MOSAIC_UNIT. */
static int64_t between(const double *values, double part) {
    return lround(MOSAIC_UNIT * values[0] * pow(values[1] / values[0], part));
}

/* One of the bits, any of them where `turn`, in [0, 64), is. */
static inline int32_t bit_of(uint64_t bits, int turn) {
    const uint64_t turned = bits >> turn | bits << (-turn & 63);
    return (__builtin_ctzll(turned) + turn) & 63;
}

/* Of an element that only temperature moves, a visit waits for the cost of its cheapest move over
 * the temperature less IDLE_MARGIN, so that the sizes of blocks may favour it; for IDLE_LEAST at
 * least, and not at all where it is more than IDLE_MOST. */
static const double IDLE_MARGIN = 1, IDLE_LEAST = 0.2, IDLE_MOST = 20;

/* Roaming under way; costs are of MOSAIC_UNIT. */
typedef struct roaming {
    const mosaic_cooling *cooling;
    const int32_t *most_points;
    uint64_t random; /* state */
    int64_t temperature;
    int64_t unit;  /* of a point of weight 1 */
    int64_t sizes; /* of one element more */
    int64_t cost;  /* weight of the points that blocks got less that of those they lost */
} roaming;

/* Points that a block lacks of an element, at most, for it to be found; of hexes by nodes four. */
enum { LACKS = 5 };

/* Where an element goes at the least cost: any of some blocks; none: no other has its points. */
typedef struct choice {
    uint64_t blocks;
    bool alike;   /* the move costs the same to each of them, ... */
    int32_t cost; /* ... so many points */
} choice;

/* Of an element of two points: a block that has one of them lacks one at most. */
static inline choice cheapest_of_two(const mosaic_group *group, int32_t element) {
    const int32_t *const point = group->piece.pins.point + 2 * (int64_t)element;
    const int32_t from = group->home[element];
    const mosaic_holders a = group->held[point[0]], b = group->held[point[1]];
    const uint64_t own = UINT64_C(1) << from;
    const uint64_t some = (a.any | b.any) & ~own, both = a.any & b.any & ~own;
    const int32_t goes = 2 - (int32_t)(a.several >> from & 1) - (int32_t)(b.several >> from & 1);
    const bool alike = group->piece.pins.weight == NULL;
    return both ? (choice){both, alike, -goes} : (choice){some, alike && some, some ? 1 - goes : 0};
}

static inline choice cheapest(const mosaic_group *group, int32_t element) {
    const mosaic_pins *pins = &group->piece.pins;
    if (pins->arity == 2)
        return cheapest_of_two(group, element);
    const int32_t from = group->home[element];
    const int64_t end = mosaic_end(pins, element);
    uint64_t some = 0, lack[LACKS]; /* blocks that lack so many points at most */
    int32_t goes = 0;
    for (int n = 0; n < LACKS; ++n)
        lack[n] = ~UINT64_C(0);
    for (int64_t k = mosaic_first(pins, element); k < end; ++k) {
        const mosaic_holders held = group->held[pins->point[k]];
        some |= held.any;
        for (int n = LACKS - 1; n > 0; --n)
            lack[n] = (lack[n] & held.any) | lack[n - 1];
        lack[0] &= held.any;
        goes += !(held.several >> from & 1);
    }
    some &= ~(UINT64_C(1) << from); /* 0 of an element without points */
    for (int n = 0; n < LACKS; ++n)
        if (lack[n] & some)
            return (choice){lack[n] & some, pins->weight == NULL, n - goes};
    return (choice){some, false, 0};
}

/* How deep an element sleeps whose cheapest move costs so much: as many points, about. */
static inline int depth_of(int64_t cost) {
    if (cost <= 0)
        return MOSAIC_AWAKE;
    const int64_t points = (cost + MOSAIC_UNIT / 2) / MOSAIC_UNIT;
    return points < 1 ? 1 : points < MOSAIC_DEPTHS ? (int)points : MOSAIC_DEPTHS;
}

/* How many points block `to` gets with an element. */
static int32_t new_points(const mosaic_group *group, int32_t element, int32_t to) {
    const mosaic_pins *pins = &group->piece.pins;
    int32_t n_come = 0;
    for (int64_t k = mosaic_first(pins, element); k < mosaic_end(pins, element); ++k)
        n_come += !(group->held[pins->point[k]].any >> to & 1);
    return n_come;
}

/* Whether temperature, and what was waited for, allow a move that costs points and sizes. */
static inline bool is_allowed(const mosaic_group *group, const roaming *now, int32_t element,
                              int32_t to, int64_t cost, uint64_t random) {
    const int32_t from = group->home[element];
    /* how much farther over its target than `from` block `to` is with one element more */
    const int64_t crowd = (int64_t)group->size[to] - group->target[to] + 1 -
                          (group->size[from] - group->target[from]);
    const int64_t wait = now->cooling->wait[random % MOSAIC_WAITS];
    const bool fits = !now->most_points ||
                      group->points_of[to] + new_points(group, element, to) <= now->most_points[to];
    return fits && group->size[from] > 1 &&
           cost + crowd * now->sizes <= now->temperature * wait / MOSAIC_UNIT;
}

/* Tries the cheapest move of an element, if that costs what was thought; `paid` is the part of the
 * cost for which a visit waited. */
static inline __attribute__((always_inline)) void visit(mosaic_group *group, roaming *now,
                                                        int32_t element, int depth, int64_t paid) {
    const choice best = cheapest(group, element);
    if (!best.blocks) {
        mosaic_group_idle(group, element, MOSAIC_DEPTHS);
        return;
    }
    if (best.alike && depth_of(best.cost * now->unit) != depth) {
        mosaic_group_idle(group, element, depth_of(best.cost * now->unit));
        return;
    }
    const uint64_t random = tess_random_next(&now->random);
    const int32_t to = bit_of(best.blocks, random >> 16 & 63);
    const int32_t weight = best.alike ? best.cost : mosaic_group_cost(group, element, to);
    const int64_t cost = weight * now->unit;
    if (depth_of(cost) != depth)
        mosaic_group_idle(group, element, depth_of(cost));
    else if (is_allowed(group, now, element, to, cost - paid, random)) {
        mosaic_group_idle(group, element, MOSAIC_AWAKE);
        mosaic_group_move(group, element, to, true);
        now->cost += weight;
    }
}

/* All that are awake, those that wake up further on, too. */
static void visit_awake(mosaic_group *group, roaming *now) {
    const int64_t n = group->piece.pins.n_elements;
    for (int64_t w = 0; w * MOSAIC_WORD < n; ++w)
        for (uint64_t left = group->idle[w].at[MOSAIC_AWAKE]; left; left &= left - 1)
            visit(group, now, (int32_t)(w * MOSAIC_WORD) + __builtin_ctzll(left), MOSAIC_AWAKE, 0);
}

/* How many of those that sleep are passed over. */
static inline int64_t next_wait(roaming *now, int64_t period) {
    const int64_t wait = now->cooling->wait[tess_random_next(&now->random) % MOSAIC_WAITS];
    return wait * period / (MOSAIC_UNIT * MOSAIC_UNIT);
}

/* Of those that sleep so deep as many as temperature may move, at random: waiting for some of the
 * cost is waiting for all of it, the rest being drawn at the visit. */
static void visit_asleep(mosaic_group *group, roaming *now, int depth) {
    const double paid =
        fmax(depth * (double)MOSAIC_UNIT / (double)now->temperature - IDLE_MARGIN, IDLE_LEAST);
    if (paid > IDLE_MOST)
        return;
    const int64_t period = llround(-MOSAIC_UNIT / log1p(-exp(-paid)));
    const int64_t n_words = group->piece.pins.n_elements / MOSAIC_WORD + 1;
    int64_t wait = next_wait(now, period);
    for (int64_t w = 0; w < n_words; ++w) {
        uint64_t left = group->idle[w].at[depth];
        for (int n = __builtin_popcountll(left); n > wait; n = __builtin_popcountll(left)) {
            for (; wait > 0; --wait)
                left &= left - 1;
            visit(group, now, (int32_t)(w * MOSAIC_WORD) + __builtin_ctzll(left), depth,
                  (int64_t)(paid * (double)now->temperature));
            left &= left - 1;
            wait = next_wait(now, period);
        }
        wait -= __builtin_popcountll(left);
    }
}

/* Elements at points of several blocks are awake, all others rest. */
static void wake_borders(mosaic_group *group) {
    const tess_rows *rows = &group->piece.rows;
    const int64_t n = group->piece.pins.n_elements;
    memset(group->idle, 0, (size_t)(n / MOSAIC_WORD + 1) * sizeof *group->idle);
    for (int32_t c = 0; c < group->n_cut; ++c)
        for (int64_t i = rows->offset[group->cut[c]]; i < rows->offset[group->cut[c] + 1]; ++i)
            mosaic_group_wake(group, rows->item[i]);
}

int64_t mosaic_group_roam(mosaic_group *group, const mosaic_cooling *cooling,
                          const int32_t *most_points, uint64_t seed) {
    roaming now = {.cooling = cooling,
                   .most_points = most_points,
                   .random = seed,
                   .unit = mosaic_group_unit(group)};
    const int n_passes = cooling->passes;
    wake_borders(group);
    for (int pass = 0; pass < n_passes && group->n_cut > 0; ++pass) {
        const double part = (pass + 0.5) / n_passes;
        now.temperature = between(cooling->schedule.temperature, part);
        now.sizes = between(cooling->schedule.sizes, part);
        for (int depth = 1; depth < MOSAIC_DEPTHS; ++depth)
            visit_asleep(group, &now, depth);
        visit_awake(group, &now);
    }
    return now.cost;
}
