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
