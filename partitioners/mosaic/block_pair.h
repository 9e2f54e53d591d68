/* A pair: two blocks, as they are and as they would be if elements changed sides. */
#pragma once

#include "partitioners/mosaic/blocks.h"

/* A point of either block: how many elements of each have it, and had it when they were loaded. */
typedef struct mosaic_pair_point {
    int32_t point, count[2], had[2];
    int32_t first[2]; /* an element of each that has it, or -1: while pieces are counted */
} mosaic_pair_point;

typedef struct mosaic_pair {
    const mosaic_blocks *blocks;
    int32_t block[2];
    int32_t n_elements, n_points, n_pieces; /* of both blocks; pieces as loaded, -1: not counted */
    int32_t *element, *parent;              /* [2 S] */
    int8_t *side;                           /* [2 S]: 0 or 1, the block that each would be in */
    mosaic_pair_point *point;               /* [n_points] */
    int32_t *place; /* [n_points of all pins] where it stands in `point`; -1: in neither block.
                       Before and after: all -1, scratch of whoever has the pair */
} mosaic_pair;

/* An empty pair of some blocks, which outlive it. */
TESS_MUST_CHECK tess_status mosaic_pair_new(const mosaic_blocks *blocks, mosaic_pair *pair);
void mosaic_pair_clear(mosaic_pair *pair);

/* Fills it with blocks a and b, sides 0 and 1; unload it before it is filled again. */
void mosaic_pair_load(mosaic_pair *pair, int32_t a, int32_t b);
void mosaic_pair_unload(mosaic_pair *pair);

/* The place in the pair of one of its elements. */
int32_t mosaic_pair_find(const mosaic_pair *pair, int32_t element);

/* The i-th element changes sides; gives the weight of the points that blocks get less that of those
 * they lose. */
int64_t mosaic_pair_turn(mosaic_pair *pair, int32_t i);

/* True where a point of the i-th element is in both blocks, as they would be. */
bool mosaic_pair_is_between(const mosaic_pair *pair, int32_t i);

/* True where both sides together would be in no more pieces than when they were loaded. */
bool mosaic_pair_keeps_pieces(mosaic_pair *pair);

/* The pair's entry of a point of one of its elements. */
static inline const mosaic_pair_point *mosaic_pair_at(const mosaic_pair *pair, int32_t point) {
    return pair->point + pair->place[point];
}

/* Two elements of different blocks take each other's places. */
void mosaic_blocks_swap(mosaic_blocks *blocks, int32_t e, int32_t f);
