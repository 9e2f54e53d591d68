/* Swap: elements of neighbouring blocks change places, so that blocks reach fewer points. */
#include "partitioners/swap.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include "partitioners/mosaic/bisect.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The temperature in the first and in the last step, in points. */
static const double FIRST_TEMPERATURE = 0.3, LAST_TEMPERATURE = 0.05;

int32_t tess_swap_group(int32_t block_size, int n_slots) {
    const int64_t pins = (int64_t)block_size * n_slots;
    const int64_t by_positions = SWAP_POSITIONS / block_size;
    const int64_t by_pins = pins ? SWAP_PINS / pins : 0;
    const int64_t most = by_positions < by_pins ? by_positions : by_pins;
    return (int32_t)(most < SWAP_BLOCKS ? most : SWAP_BLOCKS);
}

void tess_swap_temperatures(int32_t temperatures[SWAP_STEPS]) {
    for (int i = 0; i < SWAP_STEPS; i++)
        temperatures[i] =
            (int32_t)lround(SWAP_UNIT * FIRST_TEMPERATURE *
                            pow(LAST_TEMPERATURE / FIRST_TEMPERATURE, i / (SWAP_STEPS - 1.0)));
}

void tess_swap_waits(int32_t waits[SWAP_WAITS]) {
    for (int i = 0; i < SWAP_WAITS; i++)
        waits[i] = (int32_t)lround(-SWAP_WAITS * log((i + 0.5) / SWAP_WAITS));
}

uint32_t tess_swap_seed(int round) {
    return swap_mix((uint32_t)round * 1000003u + 17);
}

/* --- a group ---------------------------------------------------------------------------------- */

/* Its blocks' elements side by side, and what they reach, under numbers of its own. */
typedef struct group {
    uint32_t seed;
    int n_blocks, n, n_slots, block_size, n_points;
    int32_t temperatures[SWAP_STEPS], waits[SWAP_WAITS];
    int32_t ids[SWAP_POSITIONS]; /* -1: no element, at the end of the last block */
    uint16_t places[SWAP_PINS];  /* [n][n_slots] */
    int32_t table[SWAP_TABLE], number[SWAP_TABLE];
    uint32_t any[SWAP_TABLE];       /* the blocks that reach a point, a bit each */
    uint32_t several[SWAP_TABLE];   /* those that do so by two elements or more */
    uint32_t first[SWAP_TABLE];     /* the turn of the pair that comes first there */
    uint32_t best[SWAP_DIRECTIONS]; /* the key of the element that gains most by each direction */
} group;

static uint16_t number_point(group *g, int32_t point) {
    uint32_t slot = swap_mix((uint32_t)point) % SWAP_TABLE;
    while (g->table[slot] && g->table[slot] != point + 1)
        slot = (slot + 1) % SWAP_TABLE;
    if (!g->table[slot]) {
        g->table[slot] = point + 1;
        g->number[slot] = g->n_points++;
    }
    return (uint16_t)g->number[slot];
}

/* Where the i-th position of a group is among those of all blocks. */
static int64_t position_of(const group *g, const int32_t *members, int i) {
    return (int64_t)members[i / g->block_size] * g->block_size + i % g->block_size;
}

static void load_group(const tess_swap *of, const int32_t *members, const int32_t *ids, group *g) {
    g->n_slots = of->n_slots;
    g->block_size = of->block_size;
    g->n = g->n_blocks * of->block_size;
    g->n_points = 0;
    memset(g->table, 0, sizeof g->table);
    memset(g->first, 0, sizeof g->first);
    for (int i = 0; i < g->n; i++) {
        const int64_t at = position_of(g, members, i);
        g->ids[i] = at < of->n ? ids[at] : -1;
        for (int s = 0; s < g->n_slots; s++) {
            const int32_t point = g->ids[i] < 0 ? -1 : of->map[(int64_t)g->ids[i] * g->n_slots + s];
            g->places[i * g->n_slots + s] =
                point < 0 ? (uint16_t)SWAP_NO_PLACE : number_point(g, point);
        }
    }
}

/* Which blocks reach each point, by one element or more; gives how many do, in all. */
static int64_t mark_holders(group *g) {
    int64_t n_reached = 0;
    memset(g->any, 0, (size_t)g->n_points * sizeof *g->any);
    memset(g->several, 0, (size_t)g->n_points * sizeof *g->several);
    for (int i = 0; i < g->n * g->n_slots; i++) {
        const uint32_t own = UINT32_C(1) << i / g->n_slots / g->block_size;
        const int place = g->places[i];
        if (place == SWAP_NO_PLACE)
            continue;
        n_reached += !(g->any[place] & own);
        g->several[place] |= g->any[place] & own;
        g->any[place] |= own;
    }
    return n_reached;
}

/* Blocks that lack the fewest points of an element, and what it costs to go there; 0: there are
 * none. */
static uint32_t cheapest_blocks(const group *g, int i, int *cost) {
    const uint32_t own = UINT32_C(1) << i / g->block_size;
    uint32_t some = 0, lack[SWAP_LACKS]; /* blocks that lack so many points at most */
    int goes = 0;
    memset(lack, -1, sizeof lack);
    for (int s = 0; s < g->n_slots; s++) {
        const int place = g->places[i * g->n_slots + s];
        if (place == SWAP_NO_PLACE)
            continue;
        some |= g->any[place] & ~own;
        goes += !(g->several[place] & own);
        for (int k = SWAP_LACKS - 1; k > 0; k--)
            lack[k] = (lack[k] & g->any[place]) | lack[k - 1];
        lack[0] &= g->any[place];
    }
    for (int k = 0; k < SWAP_LACKS; k++)
        if (lack[k] & some) {
            *cost = k - goes;
            return lack[k] & some;
        }
    return 0;
}

/* One of the bits, any of them where `turn`, in [0, 32), is. */
static int bit_from(uint32_t bits, int turn) {
    const uint32_t turned = bits >> turn | bits << (-turn & 31);
    return (__builtin_ctz(turned) + turn) & 31;
}

static void propose(group *g, int step) {
    memset(g->best, 0, sizeof g->best);
    for (int i = 0; i < g->n; i++) {
        int cost = 0;
        const uint32_t to = cheapest_blocks(g, i, &cost);
        if (!to)
            continue;
        const uint32_t drawn = swap_draw(g->seed, step, g->ids[i]);
        const int direction = i / g->block_size * g->n_blocks + bit_from(to, (int)(drawn >> 27));
        const int wait = g->waits[drawn % SWAP_WAITS];
        const int gain = g->temperatures[step - 1] * wait / SWAP_WAITS - cost * SWAP_UNIT;
        const uint32_t key = swap_key(gain, i);
        uint32_t *const best = &g->best[direction * SWAP_TRIES + (int)(drawn >> 8) % SWAP_TRIES];
        *best = key > *best ? key : *best;
    }
}

/* The two elements that a direction would have change places. */
static bool pair_at(const group *g, int at, int pair[2]) {
    const int from = at / SWAP_TRIES / g->n_blocks, to = at / SWAP_TRIES % g->n_blocks;
    if (from >= to)
        return false;
    const uint32_t there = g->best[at];
    const uint32_t back = g->best[(to * g->n_blocks + from) * SWAP_TRIES + at % SWAP_TRIES];
    pair[0] = swap_position(there);
    pair[1] = swap_position(back);
    return swap_pays(there, back);
}

static void claim_places(group *g, int i, uint32_t turn) {
    for (int s = 0; s < g->n_slots; s++) {
        const int place = g->places[i * g->n_slots + s];
        if (place != SWAP_NO_PLACE && g->first[place] < turn)
            g->first[place] = turn;
    }
}

static bool is_first(const group *g, int i, uint32_t turn) {
    for (int s = 0; s < g->n_slots; s++) {
        const int place = g->places[i * g->n_slots + s];
        if (place != SWAP_NO_PLACE && g->first[place] != turn)
            return false;
    }
    return true;
}

static bool share_a_point(const group *g, const int pair[2]) {
    const uint16_t *a = g->places + pair[0] * g->n_slots, *b = g->places + pair[1] * g->n_slots;
    for (int s = 0; s < g->n_slots; s++)
        for (int t = 0; t < g->n_slots; t++)
            if (a[s] != SWAP_NO_PLACE && a[s] == b[t])
                return true;
    return false;
}

static void change_places(group *g, const int pair[2]) {
    uint16_t *a = g->places + pair[0] * g->n_slots, *b = g->places + pair[1] * g->n_slots;
    const int32_t id = g->ids[pair[0]];
    g->ids[pair[0]] = g->ids[pair[1]];
    g->ids[pair[1]] = id;
    for (int s = 0; s < g->n_slots; s++) {
        const uint16_t place = a[s];
        a[s] = b[s];
        b[s] = place;
    }
}

static void swap_pairs(group *g, int step) {
    const int n = g->n_blocks * g->n_blocks * SWAP_TRIES;
    int pair[2];
    for (int at = 0; at < n; at++)
        for (int t = 0; t < 2 && pair_at(g, at, pair); t++)
            claim_places(g, pair[t], swap_turn(g->seed, step, at));
    for (int at = 0; at < n; at++) {
        const uint32_t turn = swap_turn(g->seed, step, at);
        if (pair_at(g, at, pair) && is_first(g, pair[0], turn) && is_first(g, pair[1], turn) &&
            !share_a_point(g, pair))
            change_places(g, pair);
    }
}

static void swap_group(const tess_swap *of, const int32_t *members, group *g, int32_t *ids) {
    load_group(of, members, ids, g);
    if (g->n_points > SWAP_POINTS)
        return;
    const int64_t before = mark_holders(g);
    int64_t after = before;
    for (int step = 1; step <= SWAP_STEPS; step++) {
        propose(g, step);
        swap_pairs(g, step);
        after = mark_holders(g);
    }
    for (int i = 0; i < g->n && after <= before; i++)
        if (g->ids[i] >= 0)
            ids[position_of(g, members, i)] = g->ids[i];
}

/* --- rounds ----------------------------------------------------------------------------------- */

/* Elements in the order of their blocks, those of a block ascending. */
static tess_status order_elements(const tess_swap *of, int64_t n_blocks, const int32_t *block_of,
                                  int32_t *ids) {
    int32_t *n_there = NULL;
    TRY(TESS_ZEROS(n_blocks, &n_there));
    for (int64_t e = 0; e < of->n; e++)
        ids[(int64_t)block_of[e] * of->block_size + n_there[block_of[e]]++] = (int32_t)e;
    free(n_there);
    return TESS_OK;
}

/* The centre of a block in the frame of a round. */
static mosaic_position centre_of(const tess_swap *of, const int32_t *ids, int round,
                                 int64_t block) {
    const int64_t first = block * of->block_size, left = of->n - first;
    const int64_t n = left < of->block_size ? left : of->block_size;
    mosaic_position centre = {.element = (int32_t)block};
    double sum[3] = {0, 0, 0};
    for (int64_t i = first; i < first + n; i++)
        for (int d = 0; d < of->dimension; d++)
            sum[d] += swap_share(of->places[(int64_t)ids[i] * of->dimension + d]);
    for (int d = 0; d < of->dimension; d++)
        sum[d] /= (double)n;
    for (int d = 0; d < of->dimension; d++)
        centre.x[d] = swap_along(sum, of->dimension, round, d);
    return centre;
}

/* Blocks in the order of their groups, those of a group ascending. */
static tess_status fill_members(const tess_swap *of, const int32_t *ids, int round,
                                int64_t n_blocks, int32_t *members) {
    const int32_t n_group = tess_swap_group(of->block_size, of->n_slots);
    const mosaic_bisection how = {.dimension = of->dimension, .block_size = n_group};
    mosaic_position *centres = NULL;
    TRY(TESS_ALLOC(n_blocks, &centres));
#pragma omp parallel for schedule(static)
    for (int64_t b = 0; b < n_blocks; b++)
        centres[b] = centre_of(of, ids, round, b);
    const tess_status status = mosaic_bisect(&how, centres, n_blocks);
    for (int64_t i = 0; i < n_blocks; i++)
        members[i] = centres[i].element;
    for (int64_t i = 0; i < n_blocks; i += n_group)
        tess_sort(members + i, n_blocks - i < n_group ? n_blocks - i : n_group);
    free(centres);
    return status;
}

static tess_status swap_groups(const tess_swap *of, const int32_t *members, int round,
                               int64_t n_blocks, int32_t *ids) {
    tess_status status = TESS_OK;
    const int32_t n_group = tess_swap_group(of->block_size, of->n_slots);
#pragma omp parallel
    {
        group *g = NULL;
        const tess_status mine = TESS_ALLOC(1, &g);
        if (mine == TESS_OK) {
            g->seed = tess_swap_seed(round);
            tess_swap_temperatures(g->temperatures);
            tess_swap_waits(g->waits);
        } else {
#pragma omp critical(tess_swap)
            status = mine;
        }
#pragma omp for schedule(dynamic, 1)
        for (int64_t first = 0; first < n_blocks; first += n_group) {
            if (!g)
                continue;
            g->n_blocks = (int)(n_blocks - first < n_group ? n_blocks - first : n_group);
            swap_group(of, members + first, g, ids);
        }
        free(g);
    }
    if (status != TESS_OK)
        FAIL(status, "out of memory while blocks swapped elements");
    return TESS_OK;
}

tess_status tess_swap_map(const tess_partition_problem *problem, int *n_slots, int32_t **map) {
    int64_t most = 0, n_points = 0;
    for (int m = 0; m < problem->n_maps; m++) {
        int64_t longest = problem->maps[m].arity, n = 0;
        for (int64_t e = 0; problem->maps[m].offset && e < problem->n_elements; e++) {
            tess_incidence_row(&problem->maps[m], e, &n);
            longest = n > longest ? n : longest;
        }
        most += longest;
        n_points += problem->maps[m].n_points;
    }
    if (most > SWAP_PINS || n_points >= INT32_MAX)
        return TESS_OK;
    *n_slots = (int)most;
    TRY(TESS_ALLOC(problem->n_elements * most, map));
    for (int64_t e = 0; e < problem->n_elements; e++) {
        int32_t *const row = *map + e * most, first = 0;
        int64_t at = 0, n = 0;
        for (int m = 0; m < problem->n_maps; m++) {
            const int32_t *points = tess_incidence_row(&problem->maps[m], e, &n);
            for (int64_t s = 0; s < n; s++)
                if (tess_incidence_is_first(&problem->maps[m], points, s))
                    row[at++] = first + points[s];
            first += (int32_t)problem->maps[m].n_points;
        }
        while (at < most)
            row[at++] = -1;
    }
    return TESS_OK;
}

tess_status tess_swap_run(const tess_swap *swap, int32_t *block_of) {
    tess_status status = TESS_OK;
    const int32_t size = swap->block_size;
    const int64_t n_blocks = (swap->n + size - 1) / size;
    int32_t *ids = NULL, *members = NULL;
    if (n_blocks < 2 || tess_swap_group(size, swap->n_slots) < 2)
        return TESS_OK;
    CHECK(TESS_ALLOC(swap->n, &ids));
    CHECK(TESS_ALLOC(n_blocks, &members));
    CHECK(order_elements(swap, n_blocks, block_of, ids));
    for (int round = 0; round < swap->n_rounds; round++) {
        CHECK(fill_members(swap, ids, round, n_blocks, members));
        CHECK(swap_groups(swap, members, round, n_blocks, ids));
    }
    for (int64_t i = 0; i < swap->n; i++)
        block_of[ids[i]] = (int32_t)(i / size);
done:
    free(ids);
    free(members);
    return status;
}
