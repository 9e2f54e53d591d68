/* Swap: elements of neighbouring blocks change places, so that blocks reach fewer points. */
#include "partitioners/swap.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include "partitioners/bisect.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(SWAP_DIRECTIONS <= 1 << 10, "swap_turn has 10 bits for a direction");

int32_t tess_swap_group(int32_t block_size, int n_slots) {
    const int64_t pins = (int64_t)block_size * n_slots;
    const int64_t by_positions = SWAP_POSITIONS / block_size;
    const int64_t by_pins = pins ? SWAP_PINS / pins : 0;
    const int64_t most = by_positions < by_pins ? by_positions : by_pins;
    return (int32_t)(most < SWAP_BLOCKS ? most : SWAP_BLOCKS);
}

/* --- a group ---------------------------------------------------------------------------------- */

/* Its blocks' elements and what these reach, under numbers of its own. */
typedef struct group {
    uint32_t seed;
    int n_blocks, n, n_slots, block_size, n_points, n_active;
    int32_t ids[SWAP_POSITIONS];    /* -1: no element, at the end of the last block */
    uint16_t spots[SWAP_POSITIONS]; /* of each element: its block * SWAP_LONGEST + where in it */
    uint16_t places[SWAP_PINS];     /* [n][n_slots]: the points of each */
    int32_t table[SWAP_PINS], number[SWAP_PINS];
    uint16_t begins[SWAP_POINTS + 1], elements[SWAP_PINS]; /* of each point */
    uint32_t marks[SWAP_POINTS]; /* the blocks that reach a point, a bit each, and above these those
                                    that do so by two elements or more */
    uint32_t first[SWAP_POINTS]; /* the turn of the pair that comes first there */
    uint32_t best[SWAP_DIRECTIONS]; /* the key of the element that gains most by each direction */
    bool is_active[SWAP_POSITIONS]; /* it had a point of another block */
    uint16_t active[SWAP_POSITIONS];
} group;

static uint16_t number_point(group *g, int32_t point) {
    uint32_t slot = swap_mix((uint32_t)point) % SWAP_PINS;
    while (g->table[slot] && g->table[slot] != point + 1)
        slot = (slot + 1) % SWAP_PINS;
    if (!g->table[slot]) {
        g->table[slot] = point + 1;
        g->number[slot] = g->n_points++;
    }
    return (uint16_t)g->number[slot];
}

/* Where a spot of a group is among those of all blocks. */
static int64_t position_of(const group *g, const int32_t *members, int spot) {
    return (int64_t)members[spot / SWAP_LONGEST] * g->block_size + spot % SWAP_LONGEST;
}

static void load_group(const tess_cut *of, const int32_t *members, const int32_t *ids, group *g) {
    g->n_slots = of->n_slots;
    g->block_size = of->block_size;
    g->n = g->n_blocks * of->block_size;
    g->n_points = 0;
    memset(g->table, 0, sizeof g->table);
    for (int i = 0; i < g->n; i++) {
        g->spots[i] = (uint16_t)(i / g->block_size * SWAP_LONGEST + i % g->block_size);
        const int64_t at = position_of(g, members, g->spots[i]);
        g->ids[i] = at < of->n ? ids[at] : -1;
        for (int s = 0; s < g->n_slots; s++) {
            const int32_t point = g->ids[i] < 0 ? -1 : of->map[(int64_t)g->ids[i] * g->n_slots + s];
            g->places[i * g->n_slots + s] =
                point < 0 ? (uint16_t)SWAP_NO_PLACE : number_point(g, point);
        }
    }
}

/* Which elements each point has. */
static void list_by_points(group *g) {
    memset(g->begins, 0, sizeof g->begins);
    for (int i = 0; i < g->n * g->n_slots; i++)
        if (g->places[i] != SWAP_NO_PLACE)
            g->begins[g->places[i] + 1]++;
    for (int p = 0; p < g->n_points; p++) {
        g->begins[p + 1] = (uint16_t)(g->begins[p + 1] + g->begins[p]);
        g->first[p] = g->begins[p];
    }
    for (int i = 0; i < g->n * g->n_slots; i++)
        if (g->places[i] != SWAP_NO_PLACE)
            g->elements[g->first[g->places[i]]++] = (uint16_t)(i / g->n_slots);
}

/* Which blocks reach a point; where these are several its elements become active. */
static void mark_point(group *g, int point) {
    uint32_t any = 0, several = 0;
    for (int k = g->begins[point]; k < g->begins[point + 1]; k++) {
        const uint32_t own = UINT32_C(1) << g->spots[g->elements[k]] / SWAP_LONGEST;
        several |= any & own;
        any |= own;
    }
    g->marks[point] = several << SWAP_BLOCKS | any;
    for (int k = g->begins[point]; any & (any - 1) && k < g->begins[point + 1]; k++) {
        const uint16_t i = g->elements[k];
        if (!g->is_active[i])
            g->active[g->n_active++] = i;
        g->is_active[i] = true;
    }
}

static void mark_all_points(group *g) {
    list_by_points(g);
    memset(g->first, 0, sizeof g->first);
    memset(g->best, 0, sizeof g->best);
    memset(g->is_active, 0, sizeof g->is_active);
    g->n_active = 0;
    for (int p = 0; p < g->n_points; p++)
        mark_point(g, p);
}

/* The points that blocks reach, in all. */
static int64_t count_reached(const group *g) {
    int64_t n = 0;
    for (int p = 0; p < g->n_points; p++)
        n += __builtin_popcount(g->marks[p] % (UINT32_C(1) << SWAP_BLOCKS));
    return n;
}

/* Blocks that lack the fewest points of an element, and what it costs to go there; 0: there are
 * none. */
static uint32_t cheapest_blocks(const group *g, int i, int *cost) {
    const int home = g->spots[i] / SWAP_LONGEST;
    uint32_t some = 0, lack[SWAP_LACKS]; /* blocks that lack so many points at most */
    int goes = 0;
    memset(lack, -1, sizeof lack);
    for (int s = 0; s < g->n_slots; s++) {
        const int place = g->places[i * g->n_slots + s];
        if (place == SWAP_NO_PLACE)
            continue;
        const uint32_t marks = g->marks[place];
        some |= marks;
        goes += !(marks >> home >> SWAP_BLOCKS & 1);
        for (int k = SWAP_LACKS - 1; k > 0; k--)
            lack[k] = (lack[k] & marks) | lack[k - 1];
        lack[0] &= marks;
    }
    some &= ((UINT32_C(1) << SWAP_BLOCKS) - 1) & ~(UINT32_C(1) << home);
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
    for (int at = 0; at < g->n_active; at++) {
        const int i = g->active[at];
        int cost = 0;
        const uint32_t to = cheapest_blocks(g, i, &cost);
        if (!to)
            continue;
        const uint32_t drawn = swap_draw(g->seed, step, i);
        const uint32_t key = swap_key(swap_gain(step, drawn, cost), i);
        const int direction =
            g->spots[i] / SWAP_LONGEST * SWAP_BLOCKS + bit_from(to, (int)(drawn >> 27));
        uint32_t *const best = &g->best[direction * SWAP_TRIES + (int)(drawn >> 8) % SWAP_TRIES];
        *best = key > *best ? key : *best;
    }
}

/* The two elements that a direction would have change places. */
static bool pair_at(const group *g, int at, int pair[2]) {
    const int from = at / SWAP_TRIES / SWAP_BLOCKS, to = at / SWAP_TRIES % SWAP_BLOCKS;
    if (from >= to)
        return false;
    const uint32_t there = g->best[at];
    const uint32_t back = g->best[(to * SWAP_BLOCKS + from) * SWAP_TRIES + at % SWAP_TRIES];
    pair[0] = swap_element(there);
    pair[1] = swap_element(back);
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
    const uint16_t spot = g->spots[pair[0]];
    g->spots[pair[0]] = g->spots[pair[1]];
    g->spots[pair[1]] = spot;
    for (int t = 0; t < 2; t++)
        for (int s = 0; s < g->n_slots; s++) {
            const int place = g->places[pair[t] * g->n_slots + s];
            if (place != SWAP_NO_PLACE)
                mark_point(g, place);
        }
}

static void swap_pairs(group *g, int step) {
    const int n = g->n_blocks * SWAP_BLOCKS * SWAP_TRIES;
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
    memset(g->best, 0, (size_t)n * sizeof *g->best);
}

static void swap_group(const tess_cut *of, const int32_t *members, group *g, int32_t *ids) {
    load_group(of, members, ids, g);
    if (g->n_points > swap_points(g->n_slots))
        return;
    mark_all_points(g);
    const int64_t before = count_reached(g);
    for (int step = 1; step <= SWAP_STEPS; step++) {
        propose(g, step);
        swap_pairs(g, step);
    }
    const bool is_better = count_reached(g) <= before;
    for (int i = 0; i < g->n && is_better; i++)
        if (g->ids[i] >= 0)
            ids[position_of(g, members, g->spots[i])] = g->ids[i];
}

/* The points that its blocks reach. */
static int64_t count_group(const tess_cut *of, const int32_t *members, group *g,
                           const int32_t *ids) {
    load_group(of, members, ids, g);
    if (g->n_points > swap_points(g->n_slots))
        return (int64_t)g->n * g->n_slots;
    mark_all_points(g);
    return count_reached(g);
}

/* --- rounds ----------------------------------------------------------------------------------- */

/* Elements in the order of their blocks, those of a block ascending. */
static tess_status order_elements(const tess_cut *of, int64_t n_blocks, const int32_t *block_of,
                                  int32_t *ids) {
    int32_t *n_there = NULL;
    TRY(TESS_ZEROS(n_blocks, &n_there));
    for (int64_t e = 0; e < of->n; e++)
        ids[(int64_t)block_of[e] * of->block_size + n_there[block_of[e]]++] = (int32_t)e;
    free(n_there);
    return TESS_OK;
}

/* The centre of some of a block's elements in the frame of a round. */
static tess_position centre_of(const tess_cut *of, const int32_t *ids, int round, int64_t block) {
    const int64_t first = block * of->block_size, left = of->n - first;
    const int64_t n = left < of->block_size ? left : of->block_size;
    const int64_t step = (n + SWAP_SEEN - 1) / SWAP_SEEN;
    tess_position centre = {.element = (int32_t)block};
    double sum[3] = {0, 0, 0};
    for (int64_t i = first; i < first + n; i += step)
        for (int d = 0; d < of->dimension; d++)
            sum[d] += swap_share(of->places[(int64_t)ids[i] * of->dimension + d]);
    for (int d = 0; d < of->dimension; d++)
        sum[d] /= (double)((n + step - 1) / step);
    for (int d = 0; d < of->dimension; d++)
        centre.x[d] = swap_along(sum, of->dimension, round, d);
    return centre;
}

/* Blocks in the order of their groups, those of a group ascending. */
static tess_status fill_members(const tess_cut *of, const int32_t *ids, int round, int64_t n_blocks,
                                int32_t *members) {
    const int32_t n_group = tess_swap_group(of->block_size, of->n_slots);
    const tess_bisection how = {.dimension = of->dimension, .block_size = n_group};
    tess_position *centres = NULL;
    TRY(TESS_ALLOC(n_blocks, &centres));
#pragma omp parallel for schedule(static)
    for (int64_t b = 0; b < n_blocks; b++)
        centres[b] = centre_of(of, ids, round, b);
    const tess_status status = tess_bisect(&how, centres, n_blocks);
    for (int64_t i = 0; i < n_blocks; i++)
        members[i] = centres[i].element;
    for (int64_t i = 0; i < n_blocks; i += n_group)
        tess_sort(members + i, n_blocks - i < n_group ? n_blocks - i : n_group);
    free(centres);
    return status;
}

/* What is done with all groups of blocks: they swap elements, or are counted. */
typedef struct pass {
    const tess_cut *of;
    const int32_t *members;
    int round; /* -1: they are counted */
    int32_t *ids;
    int64_t n_reached;
} pass;

static int64_t do_group(const pass *all, int64_t first, int64_t n_blocks, int n_group, group *g) {
    g->seed = swap_seed(all->round, (uint32_t)(first / n_group));
    g->n_blocks = (int)(n_blocks - first < n_group ? n_blocks - first : n_group);
    if (all->round < 0)
        return count_group(all->of, all->members + first, g, all->ids);
    swap_group(all->of, all->members + first, g, all->ids);
    return 0;
}

static tess_status do_groups(int64_t n_blocks, pass *all) {
    tess_status status = TESS_OK;
    const int32_t n_group = tess_swap_group(all->of->block_size, all->of->n_slots);
    int64_t n_reached = 0;
#pragma omp parallel reduction(+ : n_reached)
    {
        group *g = NULL;
        const tess_status mine = TESS_ALLOC(1, &g);
        if (mine != TESS_OK) {
#pragma omp critical(tess_swap)
            status = mine;
        }
#pragma omp for schedule(dynamic, 1)
        for (int64_t first = 0; first < n_blocks; first += n_group)
            n_reached += g ? do_group(all, first, n_blocks, n_group, g) : 0;
        free(g);
    }
    if (status != TESS_OK)
        FAIL(status, "out of memory while blocks swapped elements");
    all->n_reached = n_reached;
    return TESS_OK;
}

/* Adds how far the elements of each point are apart along each axis. */
static void add_spreads(const tess_cut *of, const group *g, double spreads[3]) {
    for (int p = 0; p < g->n_points; p++)
        for (int d = 0; d < of->dimension; d++) {
            double low = INFINITY, high = -INFINITY;
            for (int k = g->begins[p]; k < g->begins[p + 1]; k++) {
                const int64_t e = g->ids[g->elements[k]];
                low = fmin(low, swap_share(of->places[e * of->dimension + d]));
                high = fmax(high, swap_share(of->places[e * of->dimension + d]));
            }
            spreads[d] += high - low;
        }
}

tess_status tess_swap_scale(const tess_cut *sample, double scale[3]) {
    tess_status status = TESS_OK;
    const int64_t most = (int64_t)SWAP_SCALED * sample->block_size;
    const int64_t n = sample->n < most ? sample->n : most;
    const int64_t n_blocks = (n + sample->block_size - 1) / sample->block_size;
    const int n_group = tess_swap_group(sample->block_size, sample->n_slots);
    double spreads[3] = {0, 0, 0}, least = INFINITY;
    int32_t *same = NULL; /* each number, at its place */
    group *g = NULL;
    CHECK(TESS_ALLOC(sample->n, &same));
    CHECK(TESS_ALLOC(1, &g));
    for (int64_t i = 0; i < sample->n; i++)
        same[i] = (int32_t)i;
    for (int64_t first = 0; first < n_blocks; first += n_group) {
        g->n_blocks = (int)(n_blocks - first < n_group ? n_blocks - first : n_group);
        load_group(sample, same + first, same, g);
        if (g->n_points > swap_points(g->n_slots))
            continue;
        list_by_points(g);
        add_spreads(sample, g, spreads);
    }
    for (int d = 0; d < 3; d++)
        least = spreads[d] > 0 && spreads[d] < least ? spreads[d] : least;
    for (int d = 0; d < 3; d++)
        scale[d] = spreads[d] > 1.1 * least ? least / spreads[d] : 1;
done:
    free(same);
    free(g);
    return status;
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

tess_status tess_swap_count(const tess_cut *what, const int32_t *block_of, int64_t *n_reached) {
    tess_status status = TESS_OK;
    const int64_t n_blocks = (what->n + what->block_size - 1) / what->block_size;
    pass all = {.of = what, .round = -1};
    int32_t *members = NULL;
    CHECK(TESS_ALLOC(what->n, &all.ids));
    CHECK(TESS_ALLOC(n_blocks, &members));
    CHECK(order_elements(what, n_blocks, block_of, all.ids));
    for (int64_t b = 0; b < n_blocks; b++)
        members[b] = (int32_t)b;
    all.members = members;
    CHECK(do_groups(n_blocks, &all));
    *n_reached = all.n_reached;
done:
    free(all.ids);
    free(members);
    return status;
}

tess_status tess_swap_run(const tess_cut *what, int32_t *block_of) {
    tess_status status = TESS_OK;
    const int32_t size = what->block_size;
    const int64_t n_blocks = (what->n + size - 1) / size;
    int32_t *ids = NULL, *members = NULL;
    if (n_blocks < 2 || tess_swap_group(size, what->n_slots) < 2)
        return TESS_OK;
    CHECK(TESS_ALLOC(what->n, &ids));
    CHECK(TESS_ALLOC(n_blocks, &members));
    CHECK(order_elements(what, n_blocks, block_of, ids));
    for (int round = 0; round < what->n_rounds; round++) {
        CHECK(fill_members(what, ids, round, n_blocks, members));
        CHECK(do_groups(n_blocks, &(pass){what, members, round, ids, 0}));
    }
    for (int64_t i = 0; i < what->n; i++)
        block_of[ids[i]] = (int32_t)(i / size);
done:
    free(ids);
    free(members);
    return status;
}
