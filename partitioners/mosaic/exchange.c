/* Exchanges: the elements of two blocks, all or those near their border, moved best first, and
 * moved back. */
#include "partitioners/mosaic/exchange.h"
#include "core/base/array.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { LOCKED = INT32_MIN / 2 };

/* Two blocks as they are loaded. Elements and points have numbers of
 * their own in it: elements [0, n_first) are the first block's. */
struct mosaic_pair {
    int32_t n_first, n_elements, n_points;
    int64_t n_elements_all; /* of the pins */
    int32_t *element;       /* [n_elements] the pins' number */
    int32_t *pin_first;     /* [n_elements + 1] into pin */
    int32_t *pin;           /* [n_pins] points */
    int32_t *row_first;     /* [n_points + 2] into row */
    int32_t *row;           /* [n_pins] elements of each point */
    int32_t (*count)[2];    /* [n_points] elements that it has on each side */
    int32_t *weight;        /* [n_points] */
    int32_t *key;           /* [n_elements] what moving it to the other side gains */
    int16_t *rank;          /* [n_elements] the key in 16 bits, INT16_MIN where it is locked */
    uint8_t *side;          /* [n_elements] 0 or 1 */
    int32_t *moved;         /* [n_elements] in the order of the moves */
    int32_t *number;        /* [points of the pins] own number + base where it is of this pair */
    int32_t base;           /* numbers below it are of earlier pairs */
    int32_t *mark;          /* [elements of the pins] turn in which it was loaded in a band */
    int32_t *reached;       /* [points of the pins] turn in which its row was last looked through */
    int32_t turn;           /* another one for each side of each pair */
    int32_t (*outside)[2];  /* [n_points] of count, what is not loaded; debug builds */
    int32_t size[2];        /* of the blocks */
    int32_t points_of[2];   /* distinct points on each side */
};

static tess_status pair_reserve(const mosaic_blocks *blocks, mosaic_pair *pair) {
    const mosaic_pins *pins = blocks->pins;
    int64_t longest = pins->arity;
    for (int64_t e = 0; pins->offset && e < pins->n_elements; ++e)
        if (pins->offset[e + 1] - pins->offset[e] > longest)
            longest = pins->offset[e + 1] - pins->offset[e];
    const int64_t n = 2 * (int64_t)blocks->block_size + 1;
    const int64_t n_pins = n * longest < pins->n_pins ? n * longest : pins->n_pins;
    TRY(TESS_ALLOC(n, &pair->element));
    TRY(TESS_ALLOC(n + 1, &pair->pin_first));
    TRY(TESS_ALLOC(n_pins, &pair->pin));
    TRY(TESS_ALLOC(n_pins + 2, &pair->row_first));
    TRY(TESS_ALLOC(n_pins, &pair->row));
    TRY(TESS_ALLOC(n_pins, &pair->count));
    TRY(TESS_ALLOC(n_pins, &pair->weight));
    TRY(TESS_ALLOC(n, &pair->key));
    TRY(TESS_ALLOC(n, &pair->rank));
    TRY(TESS_ALLOC(n, &pair->side));
    TRY(TESS_ALLOC(n, &pair->moved));
    TRY(TESS_ZEROS(pins->n_elements, &pair->mark));
    TRY(TESS_ZEROS(pins->n_points, &pair->reached));
#ifdef MOSAIC_CHECK
    TRY(TESS_ALLOC(n_pins, &pair->outside));
#endif
    pair->base = 1;
    return TESS_ZEROS(pins->n_points, &pair->number);
}

static void pair_clear(mosaic_pair *pair) {
    free(pair->element);
    free(pair->pin_first);
    free(pair->pin);
    free(pair->row_first);
    free(pair->row);
    free(pair->count);
    free(pair->weight);
    free(pair->key);
    free(pair->rank);
    free(pair->side);
    free(pair->moved);
    free(pair->number);
    free(pair->mark);
    free(pair->reached);
    free(pair->outside);
}

tess_status mosaic_pairs_build(const mosaic_blocks *blocks, int n, mosaic_pair **pairs) {
    tess_status status = TESS_OK;
    mosaic_pair *built = NULL;
    CHECK(TESS_ZEROS(n, &built));
    for (int i = 0; i < n; ++i)
        CHECK(pair_reserve(blocks, built + i));
    *pairs = TESS_TAKE(built);
done:
    mosaic_pairs_free(built, n);
    return status;
}

void mosaic_pairs_free(mosaic_pair *pairs, int n) {
    for (int i = 0; pairs && i < n; ++i)
        pair_clear(pairs + i);
    free(pairs);
}

static inline int32_t pair_point(const mosaic_pins *pins, mosaic_pair *pair, int32_t point) {
    if (pair->number[point] >= pair->base)
        return pair->number[point] - pair->base;
    const int32_t number = pair->n_points++;
    pair->number[point] = pair->base + number;
    pair->weight[number] = mosaic_weight(pins, point);
    pair->count[number][0] = pair->count[number][1] = 0;
    return number;
}

static void pair_empty(const mosaic_blocks *blocks, mosaic_pair *pair) {
    pair->base += pair->n_points;
    pair->n_elements_all = blocks->pins->n_elements;
    pair->n_elements = pair->n_points = 0;
    pair->pin_first[0] = 0;
    if (pair->base > INT32_MAX / 2) {
        memset(pair->number, 0, (size_t)blocks->pins->n_points * sizeof *pair->number);
        pair->base = 1;
    }
    if (pair->turn > INT32_MAX - 2) {
        memset(pair->mark, 0, (size_t)blocks->pins->n_elements * sizeof *pair->mark);
        memset(pair->reached, 0, (size_t)blocks->pins->n_points * sizeof *pair->reached);
        pair->turn = 0;
    }
}

/* Other pairs of the round may write theirs, which are in other blocks before and after. */
static inline int32_t owner_of(const mosaic_blocks *blocks, int32_t element) {
    return __atomic_load_n(blocks->block_of + element, __ATOMIC_RELAXED);
}

/* Appends the elements of a block at a point that are not loaded yet. */
static void band_reach(const mosaic_blocks *blocks, const tess_rows *rows, int32_t point,
                       int32_t block, mosaic_pair *pair) {
    if (pair->reached[point] == pair->turn)
        return;
    pair->reached[point] = pair->turn;
    const int32_t turn = pair->turn;
    int32_t *const mark = pair->mark, *const element = pair->element, n = pair->n_elements;
    const int64_t end = rows->offset[point + 1];
    for (int64_t i = rows->offset[point]; i < end; ++i) {
        const int32_t e = rows->item[i];
        if (owner_of(blocks, e) == block && mark[e] != turn) {
            mark[e] = turn;
            element[n++] = e;
        }
    }
    pair->n_elements = n;
}

/* Lists the elements of one block: at the points of the contact and next to those, or all. */
static void list_elements(const mosaic_exchange *how, const mosaic_contact *contact, int side,
                          mosaic_pair *pair) {
    const mosaic_blocks *blocks = how->blocks;
    const mosaic_pins *pins = blocks->pins;
    const int32_t block = contact->block[side], begin = pair->n_elements;
    ++pair->turn;
    if (how->rows) {
        for (int32_t i = 0; i < contact->n_shared; ++i)
            band_reach(blocks, how->rows, (int32_t)contact->shared[i], block, pair);
        const int32_t n_near = how->limits.at_borders ? begin : pair->n_elements;
        for (int32_t k = begin; k < n_near; ++k) {
            const int32_t e = pair->element[k];
            for (int64_t i = mosaic_first(pins, e); i < mosaic_end(pins, e); ++i)
                band_reach(blocks, how->rows, pins->point[i], block, pair);
        }
    } else {
        pair->n_elements += blocks->size[block];
        memcpy(pair->element + begin, mosaic_block(blocks, block),
               (size_t)blocks->size[block] * sizeof *pair->element);
    }
    memset(pair->side + begin, side, (size_t)(pair->n_elements - begin));
}

/* Counts all elements that the blocks have at a point. */
static void count_owners(const mosaic_exchange *how, const int32_t *block, int32_t point,
                         int32_t *count) {
    for (int64_t i = how->rows->offset[point]; i < how->rows->offset[point + 1]; ++i) {
        const int32_t owner = owner_of(how->blocks, how->rows->item[i]);
        count[0] += owner == block[0];
        count[1] += owner == block[1];
    }
}

/* Numbers the points of the elements and counts what the blocks have at them. */
static void number_points(const mosaic_exchange *how, const int32_t *block, mosaic_pair *pair) {
    const mosaic_pins *pins = how->blocks->pins;
    for (int32_t e = 0; e < pair->n_elements; ++e) {
        const int64_t first = mosaic_first(pins, pair->element[e]);
        const int32_t n = (int32_t)(mosaic_end(pins, pair->element[e]) - first);
        int32_t *pin = pair->pin + pair->pin_first[e];
        pair->pin_first[e + 1] = pair->pin_first[e] + n;
        for (int32_t k = 0; k < n; ++k) {
            const int32_t known = pair->n_points;
            pin[k] = pair_point(pins, pair, pins->point[first + k]);
            if (!how->rows)
                ++pair->count[pin[k]][pair->side[e]];
            else if (pin[k] == known)
                count_owners(how, block, pins->point[first + k], pair->count[known]);
        }
    }
}

static void pair_load(const mosaic_exchange *how, const mosaic_contact *contact,
                      mosaic_pair *pair) {
    pair_empty(how->blocks, pair);
    for (int s = 0; s < 2; ++s) {
        pair->size[s] = how->blocks->size[contact->block[s]];
        list_elements(how, contact, s, pair);
        pair->n_first = s ? pair->n_first : pair->n_elements;
    }
    number_points(how, contact->block, pair);
}

/* What one point adds to the key of an element on `side`. */
static inline int32_t point_key(const mosaic_pair *pair, int32_t point, int side) {
    const int32_t here = pair->count[point][side], there = pair->count[point][!side];
    const int32_t saved = (here == 1) - (there == 0);
    return pair->weight[point] * (EXCHANGE_TIE * saved + there - here + 1);
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
    for (bool found = false; begin + RANKS_AT_ONCE <= end; begin += RANKS_AT_ONCE) {
        /* without a jump, so that it becomes a few instructions */
        for (int i = 0; i < RANKS_AT_ONCE; ++i)
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

#ifdef MOSAIC_CHECK
/* Recomputes from the sides alone what an exchange keeps up to date; the weight of points that are
 * in both blocks. */
static int64_t pair_prove(const mosaic_pair *pair) {
    int64_t shared = 0;
    if (pair->n_elements_all > MOSAIC_PROVED)
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
    assert(pair->n_elements_all > MOSAIC_PROVED || shared - pair_prove(pair) == saved);
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

static search search_start(const mosaic_exchange *how, const mosaic_pair *pair) {
    search now = {.start = {pair->size[0], pair->size[1]}};
    for (int s = 0; s < 2; ++s) {
        const int32_t points = pair->points_of[s], limit = how->limits.max_points;
        now.size[s] = now.start[s];
        now.most_points[s] = !limit ? INT32_MAX : points > limit ? points : limit;
    }
    return now;
}

/* True where an element may leave `side`: it has no fewer than at the start (sizes are kept), or
 * the other has room for it, or for one element of overflow. The last one stays. */
static bool may_leave(const mosaic_exchange *how, const search *now, int side) {
    const int32_t block_size = how->blocks->block_size;
    const int32_t here = now->size[side], there = now->size[!side];
    if (here <= 1)
        return false;
    if (how->limits.keep_sizes)
        return here >= now->start[side];
    return there < block_size || (there == block_size && here <= block_size);
}

static bool is_feasible(const mosaic_exchange *how, const search *now, const mosaic_pair *pair) {
    const int32_t block_size = how->blocks->block_size;
    const bool fits = how->limits.keep_sizes
                          ? now->size[0] == now->start[0]
                          : now->size[0] <= block_size && now->size[1] <= block_size;
    return fits && pair->points_of[0] <= now->most_points[0] &&
           pair->points_of[1] <= now->most_points[1];
}

/* Moves until patience ends; how many of them lead to the best state, whose saving is *best. */
static int32_t pair_search(const mosaic_exchange *how, mosaic_pair *pair, int32_t *best) {
    search now = search_start(how, pair);
    int32_t n_moves = 0, n_best = 0, saved = 0;
    int64_t sum = 0, best_sum = 0;
    pair_note(pair);
    const int64_t shared = pair_prove(pair);
    *best = 0;
    while (n_moves - n_best < how->patience) {
        const int32_t e0 = may_leave(how, &now, 0) ? best_on(pair, 0) : -1;
        const int32_t e1 = may_leave(how, &now, 1) ? best_on(pair, 1) : -1;
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
        if (sum > best_sum && saved >= *best && is_feasible(how, &now, pair)) {
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
    int32_t *const list[2] = {mosaic_block(blocks, block[0]), mosaic_block(blocks, block[1])};
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

int64_t mosaic_exchange_pair(const mosaic_exchange *how, const mosaic_contact *contact,
                             mosaic_pair *pairs, int thread, bool *changed) {
    mosaic_pair *const pair = pairs + thread;
    int32_t saved = 0;
    pair_load(how, contact, pair);
    pair_rows(pair);
    *changed = pair_search(how, pair, &saved) > 0;
    if (*changed)
        pair_store(how->blocks, contact->block, pair);
    return saved;
}
