/* A bisection: elements halved again and again by where they lie. Recursive coordinate bisection
 * (Berger and Bokhari 1987) at exact multiples of the block size; the partitioner rcb, too. */
#pragma once

#include "core/plan/partition_problem.h"

/* An element and where it lies; unused coordinates are 0. All are numbers. */
typedef struct mosaic_position {
    double x[3];
    int32_t element;
} mosaic_position;

typedef struct mosaic_bisection {
    int dimension;      /* 2 or 3; 1 is allowed */
    int32_t block_size; /* every so many places are a block in the end */
    int level;          /* that it begins with: 0, or more of what has been cut before */
    bool in_turns;      /* across each axis in turn, else the longest of each part */
    bool keeps_places;  /* the places in a block count, too, and follow from those given */
    /* Is told of the parts after each level, part i of places [end[i - 1], end[i]); or NULL. */
    tess_status (*tell)(void *context, int level, const mosaic_position *positions,
                        const int64_t *end, int64_t n_parts);
    void *context;
} mosaic_bisection;

/* Puts n places into an order of which every `block_size` are a block. Ties go by the next axes,
 * then by element: cuts through places of equal coordinates are clean, and blocks the same whatever
 * the order of the places and on any number of threads. */
TESS_MUST_CHECK tess_status mosaic_bisect(const mosaic_bisection *how, mosaic_position *positions,
                                          int64_t n);

/* Where n places are cut: half of their blocks lie before. */
int64_t mosaic_half_of(int64_t n, int32_t block_size);

/* The axis along which a box extends most, the first of equals. */
int mosaic_longest_axis(const double low[3], const double high[3], int dimension);

/* The order by which an axis is cut across. */
bool mosaic_is_before(const mosaic_position *a, const mosaic_position *b, int axis, int dimension);

/* Puts the nth of n positions where that order has it, and what comes before it before it. */
void mosaic_select(mosaic_position *positions, int64_t n, int64_t nth, int axis, int dimension);
