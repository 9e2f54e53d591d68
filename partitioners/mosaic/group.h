/* A group: some blocks that exchange elements among each other, with counts of who has which point.
 */
#pragma once

#include "partitioners/mosaic/blocks.h"

enum {
    /* Blocks of a group: bits of a word. */
    MOSAIC_GROUP_BLOCKS = 64,
    /* Units of a point of mean weight: costs are whole numbers, the same on every machine. */
    MOSAIC_UNIT = 1024
};

/* The blocks that have a point, one bit each. */
typedef struct mosaic_holders {
    uint64_t any;     /* with one element or more */
    uint64_t several; /* with two elements or more */
} mosaic_holders;

/* How deep elements sleep, a bit each of a word: those that are awake are visited in each pass,
 * others the less often the more their cheapest move costs; what is in none rests until something
 * changes beside it. */
enum { MOSAIC_AWAKE, MOSAIC_DEPTHS = 3, MOSAIC_WORD = 64 };
typedef struct mosaic_idle {
    uint64_t at[MOSAIC_DEPTHS];
} mosaic_idle;

/* Blocks, elements and points have numbers of their own in it; a zeroed struct is empty. */
typedef struct mosaic_group {
    mosaic_piece piece; /* pins and rows of its elements */
    int32_t n_blocks, n_cut;
    const int32_t *block;                   /* [n_blocks] numbers among all blocks; not owned */
    int32_t *element;                       /* [n_elements] the pins' number */
    uint8_t *home;                          /* [n_elements] block */
    mosaic_idle *idle;                      /* [n_elements / MOSAIC_WORD + 1] */
    int32_t *next, *part;                   /* [n_elements] for lists and sets of elements */
    mosaic_holders *held;                   /* [n_points] the blocks that have it */
    int32_t *cut;                           /* [n_cut] points of two blocks or more, in any order */
    int32_t *position;                      /* [n_points] of those in cut */
    int32_t size[MOSAIC_GROUP_BLOCKS];      /* elements now */
    int32_t target[MOSAIC_GROUP_BLOCKS];    /* ... and at the start */
    int32_t points_of[MOSAIC_GROUP_BLOCKS]; /* distinct points now */
    int64_t capacity_elements, capacity_idle, capacity_points;
} mosaic_group;

/* Fills the group with n of the blocks, MOSAIC_GROUP_BLOCKS at most: list[0 ... n), which outlives
 * its use. Arrays of an earlier use are used again. */
TESS_MUST_CHECK tess_status mosaic_group_load(const mosaic_blocks *blocks, const int32_t *list,
                                              int32_t n, mosaic_group *group);

/* The weight of the points that block `to` gets with an element less that of those its own loses.
 */
static inline int32_t mosaic_group_cost(const mosaic_group *group, int32_t element, int32_t to) {
    const mosaic_pins *pins = &group->piece.pins;
    const int32_t from = group->home[element];
    int32_t cost = 0;
    const int64_t end = mosaic_end(pins, element);
    for (int64_t k = mosaic_first(pins, element); k < end; ++k) {
        const mosaic_holders held = group->held[pins->point[k]];
        const int32_t comes = !(held.any >> to & 1), goes = !(held.several >> from & 1);
        cost += (comes - goes) * mosaic_weight(pins, pins->point[k]);
    }
    return cost;
}

static inline void mosaic_group_wake(mosaic_group *group, int32_t element) {
    group->idle[element / MOSAIC_WORD].at[MOSAIC_AWAKE] |= UINT64_C(1) << element % MOSAIC_WORD;
}

/* An element sleeps as deep as that; MOSAIC_DEPTHS: it rests. */
static inline void mosaic_group_idle(mosaic_group *group, int32_t element, int depth) {
    const uint64_t bit = UINT64_C(1) << element % MOSAIC_WORD;
    uint64_t *const at = group->idle[element / MOSAIC_WORD].at;
    for (int d = 0; d < MOSAIC_DEPTHS; ++d)
        at[d] = d == depth ? at[d] | bit : at[d] & ~bit;
}

/* An element goes to another block. With `stirs` those wake up that cost less to move then: those
 * that lose a point by leaving its block, now that they are alone there, or bring one less to `to`.
 */
void mosaic_group_move(mosaic_group *group, int32_t element, int32_t to, bool stirs);

/* What blocks have in common: the weight of points beyond their first block. */
int64_t mosaic_group_shared(const mosaic_group *group);

/* What a point of weight 1 costs: those of two blocks or more are MOSAIC_UNIT in the mean. */
int64_t mosaic_group_unit(const mosaic_group *group);

/* Writes the blocks of the group back; all have as many elements as at the start. */
void mosaic_group_store(const mosaic_group *group, mosaic_blocks *blocks);

void mosaic_group_clear(mosaic_group *group);
