/* A pair: two blocks, as they are and as they would be if elements changed sides. */
#include "partitioners/mosaic/block_pair.h"
#include "core/base/array.h"
#include "core/base/union_find.h"

#include <stdlib.h>

/* The pins of the block that has most. */
static int64_t most_pins(const mosaic_blocks *blocks) {
    int64_t most = 0;
    for (int32_t b = 0; b < blocks->n_blocks; ++b) {
        int64_t n_pins = 0;
        for (int32_t i = 0; i < blocks->size[b]; ++i) {
            const int32_t e = mosaic_block(blocks, b)[i];
            n_pins += mosaic_end(blocks->pins, e) - mosaic_first(blocks->pins, e);
        }
        most = n_pins > most ? n_pins : most;
    }
    return most;
}

tess_status mosaic_pair_new(const mosaic_blocks *blocks, mosaic_pair *pair) {
    const int64_t n_points = blocks->pins->n_points;
    *pair = (mosaic_pair){.blocks = blocks};
    TRY(TESS_ALLOC(2 * (int64_t)blocks->block_size, &pair->element));
    TRY(TESS_ALLOC(2 * (int64_t)blocks->block_size, &pair->parent));
    TRY(TESS_ALLOC(2 * (int64_t)blocks->block_size, &pair->side));
    TRY(TESS_ALLOC(2 * most_pins(blocks), &pair->point));
    TRY(TESS_ALLOC(n_points, &pair->place));
    for (int64_t p = 0; p < n_points; ++p)
        pair->place[p] = -1;
    return TESS_OK;
}

void mosaic_pair_clear(mosaic_pair *pair) {
    free(pair->element);
    free(pair->parent);
    free(pair->side);
    free(pair->point);
    free(pair->place);
    *pair = (mosaic_pair){.blocks = NULL};
}

void mosaic_pair_load(mosaic_pair *pair, int32_t a, int32_t b) {
    const mosaic_blocks *const blocks = pair->blocks;
    const mosaic_pins *const pins = blocks->pins;
    pair->block[0] = a;
    pair->block[1] = b;
    pair->n_elements = pair->n_points = 0;
    pair->n_pieces = -1;
    for (int8_t s = 0; s < 2; ++s)
        for (int32_t i = 0; i < blocks->size[pair->block[s]]; ++i) {
            const int32_t e = mosaic_block(blocks, pair->block[s])[i];
            pair->side[pair->n_elements] = s;
            pair->element[pair->n_elements++] = e;
            for (int64_t k = mosaic_first(pins, e); k < mosaic_end(pins, e); ++k) {
                int32_t *const place = pair->place + pins->point[k];
                if (*place < 0) {
                    *place = pair->n_points++;
                    pair->point[*place] = (mosaic_pair_point){.point = pins->point[k]};
                }
                pair->point[*place].had[s] = ++pair->point[*place].count[s];
            }
        }
}

void mosaic_pair_unload(mosaic_pair *pair) {
    for (int32_t i = 0; i < pair->n_points; ++i)
        pair->place[pair->point[i].point] = -1;
}

int32_t mosaic_pair_find(const mosaic_pair *pair, int32_t element) {
    int32_t i = 0;
    while (pair->element[i] != element)
        ++i;
    return i;
}

int64_t mosaic_pair_turn(mosaic_pair *pair, int32_t i) {
    const mosaic_pins *const pins = pair->blocks->pins;
    const int32_t e = pair->element[i];
    const int8_t from = pair->side[i], to = (int8_t)(1 - from);
    int64_t cost = 0;
    for (int64_t k = mosaic_first(pins, e); k < mosaic_end(pins, e); ++k) {
        mosaic_pair_point *const at = pair->point + pair->place[pins->point[k]];
        const int64_t weight = mosaic_weight(pins, pins->point[k]);
        cost += at->count[to]++ == 0 ? weight : 0;
        cost -= --at->count[from] == 0 ? weight : 0;
    }
    pair->side[i] = to;
    return cost;
}

bool mosaic_pair_is_between(const mosaic_pair *pair, int32_t i) {
    const mosaic_pins *const pins = pair->blocks->pins;
    const int32_t e = pair->element[i];
    for (int64_t k = mosaic_first(pins, e); k < mosaic_end(pins, e); ++k) {
        const mosaic_pair_point *const at = mosaic_pair_at(pair, pins->point[k]);
        if (at->count[0] && at->count[1])
            return true;
    }
    return false;
}

/* The pieces of both sides together, as they are or as they would be. */
static int32_t count_pieces(mosaic_pair *pair, bool as_loaded) {
    const mosaic_pins *const pins = pair->blocks->pins;
    const int32_t n_first = pair->blocks->size[pair->block[0]];
    int32_t n = pair->n_elements;
    for (int32_t i = 0; i < pair->n_points; ++i)
        pair->point[i].first[0] = pair->point[i].first[1] = -1;
    for (int32_t i = 0; i < pair->n_elements; ++i) {
        const int32_t e = pair->element[i];
        pair->parent[i] = i;
        for (int64_t k = mosaic_first(pins, e); k < mosaic_end(pins, e); ++k) {
            const int side = as_loaded ? i >= n_first : pair->side[i];
            int32_t *const first = pair->point[pair->place[pins->point[k]]].first + side;
            if (*first < 0)
                *first = i;
            else if (tess_sets_join(pair->parent, *first, i))
                --n;
        }
    }
    return n;
}

bool mosaic_pair_keeps_pieces(mosaic_pair *pair) {
    if (pair->n_pieces < 0)
        pair->n_pieces = count_pieces(pair, true);
    return count_pieces(pair, false) <= pair->n_pieces;
}

/* Puts an element into the place of another one. */
static void take_place(mosaic_blocks *blocks, int32_t block, int32_t element, int32_t of) {
    int32_t *member = mosaic_block(blocks, block);
    while (*member != of)
        ++member;
    *member = element;
    blocks->block_of[element] = block;
}

void mosaic_blocks_swap(mosaic_blocks *blocks, int32_t e, int32_t f) {
    const int32_t a = blocks->block_of[e], b = blocks->block_of[f];
    take_place(blocks, a, f, e);
    take_place(blocks, b, e, f);
}
