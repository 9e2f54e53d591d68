/* Exchanges: elements of a pair moved, best first, and moved back. */
#include "partitioners/mosaic/exchange.h"

#include <assert.h>
#include <string.h>

enum { LOCKED = INT32_MIN / 2, TIE = 32, RUN = 16 };

/* What one point adds to the key of an element on `side`. */
static inline int32_t point_key(const mosaic_pair *pair, int32_t point, int side) {
    const int32_t here = pair->count[point][side], there = pair->count[point][!side];
    const int32_t saved = (here == 1) - (there == 0);
    return pair->weight[point] * (TIE * saved + there - here + 1);
}

/* A key as 16 bits, of which a core compares many at once; extreme ones are alike. */
static inline int16_t rank_of(int32_t key) {
    return (int16_t)(key > INT16_MAX ? INT16_MAX : key < INT16_MIN ? INT16_MIN : key);
}

static inline void key_change(mosaic_pair *pair, int32_t e, int32_t change) {
    pair->key[e] += change;
    pair->rank[e] = rank_of(pair->key[e]);
}

/* Takes an element out of the choice; changes of its key later on do not bring it back. */
static inline void pair_lock(mosaic_pair *pair, int32_t e) {
    pair->key[e] = LOCKED;
    pair->rank[e] = INT16_MIN;
}

static void pair_rows(mosaic_pair *pair) {
    int32_t *const end = pair->row_first + 1;
    end[-1] = end[0] = 0;
    pair->points_of[0] = pair->points_of[1] = 0;
    for (int32_t p = 0; p < pair->n_points; ++p) {
        pair->points_of[0] += pair->count[p][0] > 0;
        pair->points_of[1] += pair->count[p][1] > 0;
        end[p + 1] = 0;
    }
    for (int32_t i = 0; i < pair->pin_first[pair->n_elements]; ++i)
        ++end[pair->pin[i] + 1];
    for (int32_t p = 0; p < pair->n_points; ++p)
        end[p + 1] += end[p];
    for (int32_t e = 0; e < pair->n_elements; ++e) {
        int32_t key = 0;
        for (int32_t i = pair->pin_first[e]; i < pair->pin_first[e + 1]; ++i) {
            pair->row[end[pair->pin[i]]++] = e;
            key += point_key(pair, pair->pin[i], pair->side[e]);
        }
        pair->key[e] = key;
        pair->rank[e] = rank_of(key);
    }
}

/* The element of the largest rank among [begin, end), or -1 where all are locked. */
static int32_t best_of(const int16_t *rank, int32_t begin, int32_t end) {
    int16_t best = INT16_MIN;
    for (int32_t e = begin; e < end; ++e)
        best = rank[e] > best ? rank[e] : best;
    if (best == INT16_MIN)
        return -1;
    for (bool found = false; begin + RUN <= end; begin += RUN) {
        for (int i = 0; i < RUN; ++i) /* without a jump, so that it becomes a few instructions */
            found |= rank[begin + i] == best;
        if (found)
            break;
    }
    while (rank[begin] != best)
        ++begin;
    return begin;
}

static int32_t best_on(const mosaic_pair *pair, int side) {
    return side ? best_of(pair->rank, pair->n_first, pair->n_elements)
                : best_of(pair->rank, 0, pair->n_first);
}

/* Moves e to the other side and brings the keys of its neighbours up to date. Gives the weight of
 * points that it saves. */
static int32_t pair_move(mosaic_pair *pair, int32_t e) {
    const int from = pair->side[e], to = !from;
    int32_t saved = 0;
    pair->side[e] = (uint8_t)to;
    for (int32_t i = pair->pin_first[e]; i < pair->pin_first[e + 1]; ++i) {
        const int32_t p = pair->pin[i];
        const int32_t before[2] = {point_key(pair, p, 0), point_key(pair, p, 1)};
        const int32_t gone = --pair->count[p][from] == 0, come = pair->count[p][to]++ == 0;
        pair->points_of[from] -= gone;
        pair->points_of[to] += come;
        saved += pair->weight[p] * (gone - come);
        const int32_t change[2] = {point_key(pair, p, 0) - before[0],
                                   point_key(pair, p, 1) - before[1]};
        for (int32_t k = pair->row_first[p]; k < pair->row_first[p + 1]; ++k)
            key_change(pair, pair->row[k], change[pair->side[pair->row[k]]]);
    }
    pair_lock(pair, e);
    return saved;
}

#ifdef MOSAIC_CHECK /* debug builds, meshes so small that it takes no minutes */
enum { PROVED_ELEMENTS = 5000 };

/* Recomputes from the sides alone what an exchange keeps up to date; the weight of points that are
 * in both blocks. */
static int64_t pair_prove(const mosaic_pair *pair) {
    int64_t shared = 0;
    if (pair->n_elements_all > PROVED_ELEMENTS)
        return 0;
    for (int32_t p = 0; p < pair->n_points; ++p) {
        int32_t count[2] = {0, 0};
        for (int32_t k = pair->row_first[p]; k < pair->row_first[p + 1]; ++k)
            ++count[pair->side[pair->row[k]]];
        count[0] += pair->outside[p][0];
        count[1] += pair->outside[p][1];
        assert(count[0] == pair->count[p][0] && count[1] == pair->count[p][1]);
        shared += count[0] && count[1] ? pair->weight[p] : 0;
    }
    for (int32_t e = 0; e < pair->n_elements; ++e) {
        int32_t key = 0;
        for (int32_t i = pair->pin_first[e]; i < pair->pin_first[e + 1]; ++i)
            key += point_key(pair, pair->pin[i], pair->side[e]);
        assert(pair->rank[e] == INT16_MIN ||
               (pair->key[e] == key && pair->rank[e] == rank_of(key)));
    }
    return shared;
}

/* What is not loaded of the blocks at each point. */
static void pair_note(mosaic_pair *pair) {
    memcpy(pair->outside, pair->count, (size_t)pair->n_points * sizeof *pair->outside);
    for (int32_t e = 0; e < pair->n_elements; ++e)
        for (int32_t i = pair->pin_first[e]; i < pair->pin_first[e + 1]; ++i)
            --pair->outside[pair->pin[i]][pair->side[e]];
}

static void prove_saved(const mosaic_pair *pair, int64_t shared, int64_t saved) {
    assert(pair->n_elements_all > PROVED_ELEMENTS || shared - pair_prove(pair) == saved);
}
#else
#define pair_prove(pair) 0
#define pair_note(pair) (void)(pair)
#define prove_saved(pair, shared, saved) (void)(shared)
#endif

/* A search under way. */
typedef struct search {
    int32_t start[2], size[2]; /* elements of each side, before and now */
    int32_t most_points[2];    /* that each side may end with */
} search;

static search search_start(const mosaic_limits *limits, const mosaic_pair *pair) {
    search now = {.start = {pair->size[0], pair->size[1]}};
    for (int s = 0; s < 2; ++s) {
        const int32_t points = pair->points_of[s], limit = limits->max_points;
        now.size[s] = now.start[s];
        now.most_points[s] = !limit ? INT32_MAX : points > limit ? points : limit;
    }
    return now;
}

/* True where an element may leave `side`: it has no fewer than at the start (sizes are kept), or
 * the other has room for it, or for one element of overflow. The last one stays. */
static bool may_leave(const search *now, const mosaic_limits *limits, int32_t block_size,
                      int side) {
    const int32_t here = now->size[side], there = now->size[!side];
    if (here <= 1)
        return false;
    if (limits->keep_sizes)
        return here >= now->start[side];
    return there < block_size || (there == block_size && here <= block_size);
}

static bool is_feasible(const search *now, const mosaic_limits *limits, int32_t block_size,
                        const mosaic_pair *pair) {
    const bool fits = limits->keep_sizes ? now->size[0] == now->start[0]
                                         : now->size[0] <= block_size && now->size[1] <= block_size;
    return fits && pair->points_of[0] <= now->most_points[0] &&
           pair->points_of[1] <= now->most_points[1];
}

/* Moves until patience ends; how many of them lead to the best state, whose saving is *best. */
static int32_t pair_search(const mosaic_limits *limits, int32_t block_size, mosaic_pair *pair,
                           int32_t *best) {
    search now = search_start(limits, pair);
    int32_t n_moves = 0, n_best = 0, saved = 0;
    int64_t sum = 0, best_sum = 0;
    pair_note(pair);
    const int64_t shared = pair_prove(pair);
    *best = 0;
    while (n_moves - n_best < limits->patience) {
        const bool leave[2] = {may_leave(&now, limits, block_size, 0),
                               may_leave(&now, limits, block_size, 1)};
        const int32_t e0 = leave[0] ? best_on(pair, 0) : -1;
        const int32_t e1 = leave[1] ? best_on(pair, 1) : -1;
        const int32_t e = e1 < 0 || (e0 >= 0 && pair->key[e0] >= pair->key[e1]) ? e0 : e1;
        if (e < 0)
            break;
        const int from = pair->side[e];
        sum += pair->key[e];
        saved += pair_move(pair, e);
        prove_saved(pair, shared, saved);
        --now.size[from];
        ++now.size[!from];
        pair->moved[n_moves++] = e;
        if (sum > best_sum && saved >= *best && is_feasible(&now, limits, block_size, pair)) {
            best_sum = sum;
            *best = saved;
            n_best = n_moves;
        }
    }
    for (int32_t i = n_best; i < n_moves; ++i)
        pair->side[pair->moved[i]] ^= 1;
    return n_best;
}

/* Takes the elements that left a block out of its list, then adds those that came. */
static void pair_store(mosaic_blocks *blocks, const int32_t *block, const mosaic_pair *pair) {
    int32_t *const list[2] = {blocks->member + (int64_t)block[0] * blocks->block_size,
                              blocks->member + (int64_t)block[1] * blocks->block_size};
    for (int32_t e = 0; e < pair->n_elements; ++e)
        __atomic_store_n(blocks->block_of + pair->element[e], block[pair->side[e]],
                         __ATOMIC_RELAXED);
    for (int s = 0; s < 2; ++s) {
        int32_t n = 0;
        for (int32_t i = 0; i < pair->size[s]; ++i)
            if (blocks->block_of[list[s][i]] == block[s])
                list[s][n++] = list[s][i];
        blocks->size[block[s]] = n;
    }
    for (int32_t e = 0; e < pair->n_elements; ++e)
        if (pair->side[e] != (e >= pair->n_first))
            list[pair->side[e]][blocks->size[block[pair->side[e]]]++] = pair->element[e];
}

int64_t mosaic_pair_exchange(mosaic_blocks *blocks, const mosaic_rows *rows,
                             const mosaic_limits *limits, const mosaic_contact *contact,
                             mosaic_pair *pair, bool *changed) {
    mosaic_pair_load(blocks, rows, contact, pair);
    pair_rows(pair);
    int32_t saved = 0;
    *changed = pair_search(limits, blocks->block_size, pair, &saved) > 0;
    if (*changed)
        pair_store(blocks, contact->block, pair);
    return saved;
}
