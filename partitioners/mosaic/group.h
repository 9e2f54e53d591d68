/* A group: some blocks that exchange elements among each other, with counts of who has which point.
 */
#ifndef TESS_MOSAIC_GROUP_H
#define TESS_MOSAIC_GROUP_H

#include "partitioners/mosaic/blocks.h"
#include "partitioners/mosaic/piece.h"
#include "partitioners/mosaic/shape.h"

enum { MOSAIC_GROUP_BLOCKS = MOSAIC_SHAPE_BLOCKS }; /* at most: bits of a word */

/* The blocks that have a point, one bit each. */
typedef struct mosaic_holders {
    uint64_t any;     /* with one element or more */
    uint64_t several; /* with two elements or more */
} mosaic_holders;

/* Blocks, elements and points have numbers of their own in it; a zeroed struct is empty. */
typedef struct mosaic_group {
    mosaic_piece piece; /* pins and rows of its elements */
    int32_t n_blocks, n_cut;
    int64_t weight_before; /* of the points of all blocks, when it was loaded; debug builds */
    const int32_t *block;  /* [n_blocks] numbers among all blocks; not owned */
    int32_t *element;      /* [n_elements] the pins' number */
    uint8_t *home;         /* [n_elements] block */
    uint64_t *awake;       /* [n_elements / 64 + 1] a bit each, for those worth a visit */
    int32_t *next;         /* [n_elements] for lists of elements */
    mosaic_holders *held;  /* [n_points] the blocks that have it */
    int32_t *cut;          /* [n_cut] points of two blocks or more, in any order */
    int32_t *place;        /* [n_points] of those in cut */
    int32_t *size;         /* [n_blocks] elements now */
    int32_t *target;       /* [n_blocks] ... and at the start */
    int32_t *points_of;    /* [n_blocks] distinct points now */
    mosaic_shape shape;    /* where blocks lie when they are loaded, if `placed` */
    bool placed;
    int64_t capacity_elements, capacity_awake, capacity_points, capacity_blocks;
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
    const int64_t end = mosaic_first(pins, element + 1);
    for (int64_t k = mosaic_first(pins, element); k < end; ++k) {
        const mosaic_holders held = group->held[pins->point[k]];
        const int32_t comes = !(held.any >> to & 1), goes = !(held.several >> from & 1);
        cost += (comes - goes) * (pins->weight ? pins->weight[pins->point[k]] : 1);
    }
    return cost;
}

/* How many points block `to` gets with an element. */
int32_t mosaic_group_come(const mosaic_group *group, int32_t element, int32_t to);

void mosaic_group_move(mosaic_group *group, int32_t element, int32_t to);

/* Debug builds recount, where the group is small, who has which point, and that the weight of the
 * points of all its blocks is `cost` more than when it was loaded. */
#ifdef MOSAIC_CHECK
void mosaic_group_prove(const mosaic_group *group, int64_t cost);
#else
#define mosaic_group_prove(group, cost) (void)(cost)
#endif

/* Writes the blocks of the group back; all have as many elements as at the start. */
void mosaic_group_store(const mosaic_group *group, mosaic_blocks *blocks);

void mosaic_group_clear(mosaic_group *group);

#endif
