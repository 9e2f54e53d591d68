/* Corners: points where more blocks meet than elsewhere, made less of. */
#include "partitioners/mosaic/corner.h"
#include "core/base/array.h"
#include "core/base/interrupt.h"
#include "core/base/key_order.h"
#include "core/base/union_find.h"

#include <stdlib.h>

/* Two elements that change blocks with each other. */
typedef struct swap {
    int32_t element[2];
    int64_t cost;
} swap;

/* A point of two blocks: how many elements of either have it, and how many of the two had it when
 * they were loaded. */
typedef struct pair_point {
    int32_t point, count[2], held;
    int32_t first[2]; /* an element of either that has it, or -1: while pieces are counted */
} pair_point;

/* Two blocks, as they are and as they would be. */
typedef struct pair {
    int32_t n_elements, n_points, n_pieces; /* of both together */
    int32_t *element, *parent;              /* [2 S] */
    int8_t *side;                           /* [2 S]: the block that each is in now */
    pair_point *point;                      /* [pins of both, at most] */
} pair;

typedef struct corners {
    mosaic_blocks *blocks;
    int32_t most;    /* blocks that may meet at a point */
    int32_t *n_at;   /* [n_points] blocks that meet */
    int32_t *place;  /* [n_points] in the pair at hand; -1: not there */
    int32_t *corner; /* [rows->n] points where more meet, those with most blocks first */
    tess_rows *rows; /* their elements */
    pair pair;
    swap *made; /* [n_made] */
    int64_t n_made, capacity, cost;
} corners;

/* Counts the blocks at each point, and gives the pins of the block that has most. place is -1
 * before and after. */
static int64_t count_blocks(const corners *all) {
    const mosaic_blocks *const blocks = all->blocks;
    const mosaic_pins *const pins = blocks->pins;
    int64_t most = 0;
    for (int32_t b = 0; b < blocks->n_blocks; ++b) {
        int64_t n_pins = 0;
        for (int32_t i = 0; i < blocks->size[b]; ++i) {
            const int32_t e = mosaic_block(blocks, b)[i];
            n_pins += mosaic_end(pins, e) - mosaic_first(pins, e);
            for (int64_t k = mosaic_first(pins, e); k < mosaic_end(pins, e); ++k)
                if (all->place[pins->point[k]] != b) {
                    all->place[pins->point[k]] = b;
                    ++all->n_at[pins->point[k]];
                }
        }
        most = n_pins > most ? n_pins : most;
    }
    for (int64_t p = 0; p < pins->n_points; ++p)
        all->place[p] = -1;
    return most;
}

/* The number of blocks at a point, or the last one that is told apart. */
static int32_t meeting(const corners *all, int32_t point) {
    return all->n_at[point] < CORNER_BLOCKS ? all->n_at[point] : CORNER_BLOCKS;
}

/* The blocks that may meet, so many that few points are above; gives the number of these. */
static int64_t choose_most(corners *all) {
    const int64_t worth = CORNERS_FEW + all->blocks->n_blocks / CORNERS_PART;
    int64_t n_of[CORNER_BLOCKS + 1] = {0}, n = 0;
    for (int32_t p = 0; p < all->blocks->pins->n_points; ++p)
        ++n_of[meeting(all, p)];
    all->most = CORNER_BLOCKS;
    while (all->most > CORNER_LEAST && n + n_of[all->most] <= worth)
        n += n_of[all->most--];
    return n;
}

/* Lists the points where more meet, those with most blocks first. */
static tess_status list_corners(corners *all, int64_t n) {
    tess_status status = TESS_OK;
    uint64_t *key = NULL;
    int32_t *order = NULL;
    int64_t at = 0;
    CHECK(TESS_ALLOC(n, &all->corner));
    CHECK(TESS_ALLOC(n, &key));
    for (int32_t p = 0; p < all->blocks->pins->n_points; ++p)
        if (all->n_at[p] > all->most)
            key[at++] = (uint64_t)(CORNER_BLOCKS - meeting(all, p)) << 32 | (uint64_t)p;
    CHECK(tess_key_order(key, n, &order));
    for (int64_t c = 0; c < n; ++c)
        all->corner[c] = (int32_t)(uint32_t)key[order[c]];
done:
    free(key);
    free(order);
    return status;
}

/* Fills the rows of the corners with their elements. */
static tess_status find_elements(corners *all, int64_t n) {
    const mosaic_pins *const pins = all->blocks->pins;
    int32_t *const number = all->place;
    TRY(tess_rows_new(n, &all->rows));
    for (int32_t c = 0; c < n; ++c)
        number[all->corner[c]] = c;
    for (int64_t k = 0; k < pins->n_pins; ++k)
        if (number[pins->point[k]] >= 0)
            tess_rows_count(all->rows, number[pins->point[k]]);
    TRY(tess_rows_open(all->rows));
    for (int32_t e = 0; e < pins->n_elements; ++e)
        for (int64_t k = mosaic_first(pins, e); k < mosaic_end(pins, e); ++k)
            if (number[pins->point[k]] >= 0)
                tess_rows_put(all->rows, number[pins->point[k]], e);
    for (int64_t c = 0; c < n; ++c)
        number[all->corner[c]] = -1;
    return TESS_OK;
}

static bool has_point(const mosaic_pins *pins, int32_t element, int32_t point) {
    for (int64_t k = mosaic_first(pins, element); k < mosaic_end(pins, element); ++k)
        if (pins->point[k] == point)
            return true;
    return false;
}

/* The pieces of both blocks, together. */
static int32_t count_pieces(const corners *all) {
    const mosaic_pins *const pins = all->blocks->pins;
    const pair *const of = &all->pair;
    int32_t n = of->n_elements;
    for (int32_t i = 0; i < of->n_points; ++i)
        of->point[i].first[0] = of->point[i].first[1] = -1;
    for (int32_t i = 0; i < of->n_elements; ++i) {
        const int32_t e = of->element[i];
        of->parent[i] = i;
        for (int64_t k = mosaic_first(pins, e); k < mosaic_end(pins, e); ++k) {
            int32_t *const first = of->point[all->place[pins->point[k]]].first + of->side[i];
            if (*first < 0)
                *first = i;
            else if (tess_sets_join(of->parent, *first, i))
                --n;
        }
    }
    return n;
}

static void pair_load(corners *all, int32_t a, int32_t b) {
    const mosaic_blocks *const blocks = all->blocks;
    const mosaic_pins *const pins = blocks->pins;
    const int32_t block[2] = {a, b};
    pair *const of = &all->pair;
    of->n_elements = of->n_points = 0;
    for (int8_t s = 0; s < 2; ++s)
        for (int32_t i = 0; i < blocks->size[block[s]]; ++i) {
            const int32_t e = mosaic_block(blocks, block[s])[i];
            of->side[of->n_elements] = s;
            of->element[of->n_elements++] = e;
            for (int64_t k = mosaic_first(pins, e); k < mosaic_end(pins, e); ++k) {
                int32_t *const place = all->place + pins->point[k];
                if (*place < 0) {
                    *place = of->n_points++;
                    of->point[*place] = (pair_point){.point = pins->point[k]};
                }
                pair_point *const at = of->point + *place;
                at->held += at->count[s]++ == 0;
            }
        }
    of->n_pieces = count_pieces(all);
}

static void pair_unload(corners *all) {
    for (int32_t i = 0; i < all->pair.n_points; ++i)
        all->place[all->pair.point[i].point] = -1;
}

/* The i-th element of the pair changes sides; gives the weight of the points that blocks get less
 * that of those they lose. */
static int64_t change_side(corners *all, int32_t i) {
    const mosaic_pins *const pins = all->blocks->pins;
    pair *const of = &all->pair;
    const int8_t from = of->side[i], to = (int8_t)(1 - from);
    int64_t cost = 0;
    for (int64_t k = mosaic_first(pins, of->element[i]); k < mosaic_end(pins, of->element[i]);
         ++k) {
        pair_point *const at = of->point + all->place[pins->point[k]];
        const int64_t weight = mosaic_weight(pins, pins->point[k]);
        cost += at->count[to]++ == 0 ? weight : 0;
        cost -= --at->count[from] == 0 ? weight : 0;
    }
    of->side[i] = to;
    return cost;
}

/* True where no more blocks than may meet at a point that gets one, and no block has more pieces.
 */
static bool is_allowed(const corners *all, const int32_t *changed) {
    const mosaic_pins *const pins = all->blocks->pins;
    const pair *const of = &all->pair;
    for (int s = 0; s < 2; ++s) {
        const int32_t e = of->element[changed[s]];
        for (int64_t k = mosaic_first(pins, e); k < mosaic_end(pins, e); ++k) {
            const pair_point *const at = of->point + all->place[pins->point[k]];
            const int32_t held = (at->count[0] > 0) + (at->count[1] > 0);
            if (held > at->held && all->n_at[at->point] + held - at->held > all->most)
                return false;
        }
    }
    return count_pieces(all) <= of->n_pieces;
}

/* The place in the pair of an element. */
static int32_t place_of(const pair *of, int32_t element) {
    int32_t i = 0;
    while (of->element[i] != element)
        ++i;
    return i;
}

/* Makes *best the cheapest swap of an element at a corner, the only one of its block there, with
 * one of block b that is not, where it costs less than the one so far. */
static void try_block(corners *all, int32_t corner, int32_t element, int32_t b, swap *best) {
    const mosaic_pins *const pins = all->blocks->pins;
    pair *const of = &all->pair;
    pair_load(all, all->blocks->block_of[element], b);
    const int32_t leaves = place_of(of, element);
    const int64_t cost = change_side(all, leaves);
    for (int32_t i = 0; i < of->n_elements; ++i) {
        if (of->side[i] != 1 || i == leaves || has_point(pins, of->element[i], corner))
            continue;
        const int64_t both = cost + change_side(all, i);
        const int32_t changed[2] = {leaves, i};
        if (both < best->cost && is_allowed(all, changed))
            *best = (swap){{element, of->element[i]}, both};
        change_side(all, i);
    }
    pair_unload(all);
}

/* Puts an element into the place of another one. */
static void take_place(mosaic_blocks *blocks, int32_t block, int32_t element, int32_t of) {
    int32_t *member = mosaic_block(blocks, block);
    while (*member != of)
        ++member;
    *member = element;
    blocks->block_of[element] = block;
}

/* Makes a swap, or takes it back. */
static void swap_make(corners *all, const swap *made) {
    const int32_t e = made->element[0], f = made->element[1];
    const int32_t a = all->blocks->block_of[e], b = all->blocks->block_of[f];
    pair *const of = &all->pair;
    pair_load(all, a, b);
    change_side(all, place_of(of, e));
    change_side(all, place_of(of, f));
    for (int32_t i = 0; i < of->n_points; ++i) {
        const pair_point *const at = of->point + i;
        all->n_at[at->point] += (at->count[0] > 0) + (at->count[1] > 0) - at->held;
    }
    pair_unload(all);
    take_place(all->blocks, a, f, e);
    take_place(all->blocks, b, e, f);
}

/* Takes one block away from a corner; *eased: one was. */
static tess_status ease(corners *all, int64_t c, bool *eased) {
    const int32_t *const element = all->rows->item + all->rows->offset[c];
    const int32_t *const block_of = all->blocks->block_of;
    const int64_t n = tess_rows_size(all->rows, c);
    swap best = {.cost = INT64_MAX};
    for (int64_t i = 0; i < n; ++i) {
        int64_t n_alike = 0;
        for (int64_t k = 0; k < n; ++k)
            n_alike += block_of[element[k]] == block_of[element[i]];
        for (int64_t k = 0; n_alike == 1 && k < n; ++k) {
            int64_t first = 0; /* of its block */
            while (block_of[element[first]] != block_of[element[k]])
                ++first;
            if (k == first && k != i)
                try_block(all, all->corner[c], element[i], block_of[element[k]], &best);
        }
    }
    *eased = best.cost < INT64_MAX;
    if (!*eased)
        return TESS_OK;
    TRY(TESS_RESERVE(all->n_made + 1, &all->capacity, &all->made));
    swap_make(all, &best);
    all->made[all->n_made++] = best;
    all->cost += best.cost;
    return tess_interrupt_check();
}

/* No more than `most` blocks meet at a point, or everything is as it was. */
static tess_status ease_to(corners *all, int32_t most, int64_t worth, bool *eased) {
    const int64_t n_before = all->n_made, cost = all->cost;
    *eased = true;
    for (int64_t c = 0; c < all->rows->n && *eased; ++c)
        while (*eased && all->n_at[all->corner[c]] > most) {
            TRY(ease(all, c, eased));
            *eased = *eased && all->cost <= worth;
        }
    while (!*eased && all->n_made > n_before)
        swap_make(all, &all->made[--all->n_made]);
    all->cost = *eased ? all->cost : cost;
    return TESS_OK;
}

static tess_status corners_new(mosaic_blocks *blocks, corners *all) {
    const int64_t n_points = blocks->pins->n_points;
    *all = (corners){.blocks = blocks};
    TRY(TESS_ZEROS(n_points, &all->n_at));
    TRY(TESS_ALLOC(n_points, &all->place));
    for (int64_t p = 0; p < n_points; ++p)
        all->place[p] = -1;
    return TESS_OK;
}

static tess_status pair_new(int64_t block_size, int64_t n_points, pair *of) {
    TRY(TESS_ALLOC(2 * block_size, &of->element));
    TRY(TESS_ALLOC(2 * block_size, &of->parent));
    TRY(TESS_ALLOC(2 * block_size, &of->side));
    return TESS_ALLOC(n_points, &of->point);
}

static void corners_clear(corners *all) {
    free(all->n_at);
    free(all->place);
    free(all->corner);
    tess_rows_free(all->rows);
    free(all->pair.element);
    free(all->pair.parent);
    free(all->pair.side);
    free(all->pair.point);
    free(all->made);
}

tess_status mosaic_corners_ease(mosaic_blocks *blocks) {
    tess_status status = TESS_OK;
    corners all;
    bool eased = true;
    if (blocks->dimension <= 2 || blocks->n_blocks < CORNER_LEAST)
        return TESS_OK;
    CHECK(corners_new(blocks, &all));
    const int64_t pins_of_pair = 2 * count_blocks(&all), n = choose_most(&all);
    if (n == 0)
        goto done;
    CHECK(list_corners(&all, n));
    CHECK(find_elements(&all, n));
    CHECK(pair_new(blocks->block_size, pins_of_pair, &all.pair));
    const int64_t worth = blocks->pins->n_pins / CORNERS_COST;
    for (int32_t at = all.n_at[all.corner[0]]; eased && at > all.most; --at)
        CHECK(ease_to(&all, at - 1, worth, &eased));
done:
    corners_clear(&all);
    return status;
}
