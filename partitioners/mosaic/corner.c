/* Corners: points where more blocks meet than elsewhere, made less of. */
#include "partitioners/mosaic/corner.h"
#include "core/base/array.h"
#include "core/base/interrupt.h"
#include "core/base/key_order.h"
#include "core/plan/colour/colour.h"
#include "partitioners/mosaic/block_pair.h"

#include <stdlib.h>
#include <string.h>

/* Two elements that change blocks with each other. */
typedef struct swap {
    int32_t element[2];
    int64_t cost;
} swap;

typedef struct corners {
    mosaic_blocks *blocks;
    int32_t most;    /* blocks that may meet at a point */
    int32_t *n_at;   /* [n_points] blocks that meet */
    int32_t *corner; /* [rows->n] points where more meet, those with most blocks first */
    tess_rows *rows; /* their elements */
    mosaic_pair pair;
    swap *made; /* [n_made] */
    int64_t n_made, capacity, cost;
} corners;

/* Counts the blocks at each point. */
static void count_blocks(const corners *all) {
    const mosaic_blocks *const blocks = all->blocks;
    const mosaic_pins *const pins = blocks->pins;
    int32_t *const last = all->pair.place; /* block seen at each point */
    memset(all->n_at, 0, (size_t)pins->n_points * sizeof *all->n_at);
    for (int32_t b = 0; b < blocks->n_blocks; ++b)
        for (int32_t i = 0; i < blocks->size[b]; ++i) {
            const int32_t e = mosaic_block(blocks, b)[i];
            for (int64_t k = mosaic_first(pins, e); k < mosaic_end(pins, e); ++k)
                if (last[pins->point[k]] != b) {
                    last[pins->point[k]] = b;
                    ++all->n_at[pins->point[k]];
                }
        }
    for (int64_t p = 0; p < pins->n_points; ++p)
        last[p] = -1;
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
    int32_t *const number = all->pair.place;
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

/* Blocks of a pair at a point: as they would be, less as they are. */
static int32_t blocks_more(const mosaic_pair_point *at) {
    return (at->count[0] > 0) + (at->count[1] > 0) - (at->had[0] > 0) - (at->had[1] > 0);
}

/* True where no more blocks than may meet at a point that gets one, and no block has more pieces.
 */
static bool is_allowed(corners *all, const int32_t *changed) {
    const mosaic_pins *const pins = all->blocks->pins;
    mosaic_pair *const pair = &all->pair;
    for (int s = 0; s < 2; ++s) {
        const int32_t e = pair->element[changed[s]];
        for (int64_t k = mosaic_first(pins, e); k < mosaic_end(pins, e); ++k) {
            const int32_t more = blocks_more(mosaic_pair_at(pair, pins->point[k]));
            if (more > 0 && all->n_at[pins->point[k]] + more > all->most)
                return false;
        }
    }
    return mosaic_pair_keeps_pieces(pair);
}

/* Makes *best the cheapest swap of an element at a corner, the only one of its block there, with
 * one of block b that is not, where it costs less than the one so far. */
static void try_block(corners *all, int32_t corner, int32_t element, int32_t b, swap *best) {
    mosaic_pair *const pair = &all->pair;
    mosaic_pair_load(pair, all->blocks->block_of[element], b);
    const int32_t leaves = mosaic_pair_find(pair, element);
    const int64_t cost = mosaic_pair_turn(pair, leaves);
    for (int32_t i = 0; i < pair->n_elements; ++i) {
        if (pair->side[i] != 1 || i == leaves || !mosaic_pair_is_between(pair, i) ||
            has_point(all->blocks->pins, pair->element[i], corner))
            continue;
        const int64_t both = cost + mosaic_pair_turn(pair, i);
        const int32_t changed[2] = {leaves, i};
        if (both < best->cost && is_allowed(all, changed))
            *best = (swap){{element, pair->element[i]}, both};
        mosaic_pair_turn(pair, i);
    }
    mosaic_pair_unload(pair);
}

/* Makes a swap, or takes it back. */
static void swap_make(corners *all, const swap *made) {
    const int32_t e = made->element[0], f = made->element[1];
    mosaic_pair *const pair = &all->pair;
    mosaic_pair_load(pair, all->blocks->block_of[e], all->blocks->block_of[f]);
    mosaic_pair_turn(pair, mosaic_pair_find(pair, e));
    mosaic_pair_turn(pair, mosaic_pair_find(pair, f));
    for (int32_t i = 0; i < pair->n_points; ++i)
        all->n_at[pair->point[i].point] += blocks_more(pair->point + i);
    mosaic_pair_unload(pair);
    mosaic_blocks_swap(all->blocks, e, f);
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

static void corners_clear(corners *all) {
    free(all->n_at);
    free(all->corner);
    tess_rows_free(all->rows);
    mosaic_pair_clear(&all->pair);
    free(all->made);
}

tess_status mosaic_corners_ease(mosaic_blocks *blocks, int64_t most) {
    tess_status status = TESS_OK;
    corners all = {.blocks = blocks};
    bool eased = true;
    if (blocks->dimension <= 2 || blocks->n_blocks < CORNER_LEAST)
        return TESS_OK;
    const tess_incidence map = mosaic_pins_map(blocks->pins);
    CHECK(TESS_ALLOC(map.n_points, &all.n_at));
    if (tess_colour_bound(&map, blocks->pins->n_elements, all.n_at) <= CORNER_LEAST)
        goto done; /* nowhere are there elements of more blocks than are well */
    CHECK(mosaic_pair_new(blocks, &all.pair));
    count_blocks(&all);
    const int64_t n = choose_most(&all);
    if (n == 0)
        goto done;
    CHECK(list_corners(&all, n));
    CHECK(find_elements(&all, n));
    int64_t worth = blocks->pins->n_pins / CORNERS_COST, shared = 0;
    CHECK(mosaic_blocks_shared(blocks, &shared));
    if (most > shared && most - shared < worth)
        worth = most - shared;
    for (int32_t at = all.n_at[all.corner[0]]; eased && at > all.most; --at)
        CHECK(ease_to(&all, at - 1, worth, &eased));
done:
    corners_clear(&all);
    return status;
}
