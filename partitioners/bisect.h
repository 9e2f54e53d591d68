/* A bisection: elements halved again and again by where they lie. Recursive coordinate bisection
 * (Berger and Bokhari 1987) at exact multiples of the block size; the partitioner rcb, too. */
#pragma once

#include "core/plan/partition_problem.h"

/* An element and where it lies; unused coordinates are 0. All are numbers. */
typedef struct tess_position {
    double x[3];
    int32_t element;
} tess_position;

/* The position of an element, of which no coordinate is -0. */
static inline tess_position tess_position_at(const double *place, int dimension, int64_t element) {
    tess_position position = {.element = (int32_t)element};
    for (int d = 0; d < dimension; d++)
        position.x[d] += place[d];
    return position;
}

typedef struct tess_bisection {
    int dimension;      /* 2 or 3; 1 is allowed */
    int32_t block_size; /* every so many places are a block in the end */
    int level;          /* that it begins with: 0, or more of what has been cut before */
    bool in_turns;      /* across each axis in turn, else the longest of each part */
    bool keeps_places;  /* the places in a block count, too, and follow from those given */
    /* Is told of the parts after each level, part i of places [end[i - 1], end[i]); or NULL. */
    tess_status (*tell)(void *context, int level, const tess_position *positions,
                        const int64_t *end, int64_t n_parts);
    void *context;
} tess_bisection;

/* Puts n places into an order of which every `block_size` are a block. Ties go by the next axes,
 * then by element: cuts through places of equal coordinates are clean, and blocks the same whatever
 * the order of the places and on any number of threads. */
TESS_MUST_CHECK tess_status tess_bisect(const tess_bisection *how, tess_position *positions,
                                        int64_t n);

/* Where n places are cut: half of their blocks lie before. */
int64_t tess_bisection_half(int64_t n, int32_t block_size);

/* The axis along which a box extends most, the first of equals. */
int tess_longest_axis(const double low[3], const double high[3], int dimension);

/* The order by which an axis is cut across, a total one: along it, then the next ones, then by
 * element. */
static inline bool tess_position_is_before(const tess_position *a, const tess_position *b, int axis,
                                           int dimension) {
    for (int i = 0, d = axis; i < dimension; i++, d = d + 1 < dimension ? d + 1 : 0)
        if (a->x[d] != b->x[d])
            return a->x[d] < b->x[d];
    return a->element < b->element;
}

/* Puts the nth of n positions where that order has it, and what comes before it before it. */
void tess_positions_select(tess_position *positions, int64_t n, int64_t nth, int axis,
                           int dimension);
