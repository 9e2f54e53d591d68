/* A walk: breadth-first over the elements of a region, level by level, from some of its elements.
 *
 * From one side of a region its levels are flat fronts: slabs of some levels are compact, and have
 * few points in common. A walk finds a side of its own: out from an element inside, the last level
 * is a side, and the walk back from there goes across. */
#pragma once

#include "partitioners/mosaic/pins.h"

/* The elements of some pins in an order of which regions are segments. */
typedef struct mosaic_walk {
    const mosaic_pins *pins;
    const tess_rows *rows;
    int32_t *order;  /* [n_elements] a permutation of the elements */
    int32_t *queue;  /* [n_elements + 1] of the walk under way */
    int32_t *region; /* [n_elements] clock of the region or walk that holds it */
    int32_t *seen;   /* [n_points] clock of the last walk that came past */
    int32_t *level;  /* [n_levels + 1] where each level of the last walk starts in order */
    int32_t n_levels;
    float *height; /* [n_elements] how far across its region, of halves.c */
    float *mean;   /* [n_points] of the heights around it */
    int32_t clock;
    int64_t capacity_elements, capacity_points; /* of the arrays */
} mosaic_walk;

/* Sets up for pins and rows that outlive it, order = identity; grows the arrays of an earlier use.
 * A zeroed struct is a valid earlier use. */
TESS_MUST_CHECK tess_status mosaic_walk_reset(const mosaic_pins *pins, const tess_rows *rows,
                                              mosaic_walk *walk);

/* Puts the segment [begin, end) of the order into breadth-first order from its last `n_sources`
 * elements, through elements of the segment only. Where the sources do not reach, it goes on from
 * the last element of the old order that is left, one level further. */
void mosaic_walk_from(mosaic_walk *walk, int64_t begin, int64_t end, int64_t n_sources);

/* After a walk up to `end`: brings the connected piece of the last level that holds the very last
 * element to the end and gives its size. */
int64_t mosaic_walk_last_piece(mosaic_walk *walk, int64_t end);

/* Walks out from the element at the fraction `from` of the segment, then back from the last piece:
 * fronts come out flat in the metric that the map induces. */
void mosaic_walk_across(mosaic_walk *walk, int64_t begin, int64_t end, double from);

/* The weight of the points that elements on both sides of `middle` have. */
int64_t mosaic_walk_common(mosaic_walk *walk, int64_t begin, int64_t middle, int64_t end);

/* A fraction inside [0, 1) for the t-th try, t from 0; other ones for other shifts. From inside a
 * region the last level is one side of it; from a corner it may be several. */
double mosaic_walk_inside(int t, double shift);

/* Levels from side to side of a ball of `size` elements, the last one counted in part: the median
 * of some balls. Before any other walk. */
double mosaic_walk_ball_width(mosaic_walk *walk, int64_t size);

void mosaic_walk_clear(mosaic_walk *walk);
