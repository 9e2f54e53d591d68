/* A walk: breadth-first over the elements of a region, from a set of sources, level by level. */
#pragma once

#include "partitioners/mosaic/pins.h"

/* The elements of some pins in an order of which regions are segments. Two elements are neighbours
 * where they share a point. */
typedef struct mosaic_walk {
    const mosaic_pins *pins;
    const tess_rows *rows;
    int32_t *order;  /* [n_elements] a permutation of the elements */
    int32_t *queue;  /* [n_elements] of the walk under way */
    int32_t *region; /* [n_elements] clock of the region or walk that holds it */
    int32_t *seen;   /* [n_points] clock of the last walk that came past */
    int32_t *level;  /* [n_levels + 1] where each level of the last walk starts in order */
    int32_t n_levels;
    int32_t n_parts; /* connected ones that the last walk came to */
    float *height;   /* [n_elements] how far across its region, of cut.c */
    float *mean;     /* [n_points] of the heights around it */
    float *best;     /* [n_elements] heights in the best direction so far */
    int32_t clock;
    int64_t capacity_elements, capacity_points; /* of the arrays, for mosaic_walk_reset */
} mosaic_walk;

/* Sets up for pins and rows that outlive it, order = identity; grows the arrays of an earlier use.
 * A zeroed struct is a valid earlier use. */
TESS_MUST_CHECK tess_status mosaic_walk_reset(const mosaic_pins *pins, const tess_rows *rows,
                                              mosaic_walk *walk);

/* Puts the segment [begin, end) of the order into breadth-first order from its last `n_sources`
 * elements, through elements of the segment only. Where the sources do not reach, it goes on from
 * the last element of the old order that is left, one level further. */
void mosaic_walk_from(mosaic_walk *walk, int64_t begin, int64_t end, int64_t n_sources);

/* The same from the element at the fraction `from` of the segment. From inside a region the last
 * level is one side of it; from a corner it may be several. */
void mosaic_walk_out(mosaic_walk *walk, int64_t begin, int64_t end, double from);

/* After a walk up to `end`: brings the connected piece of the last level that holds the very last
 * element to the end and gives its size. */
int64_t mosaic_walk_last_piece(mosaic_walk *walk, int64_t end);

/* After a walk over the segment [begin, end): where its fronts are no flat sides, walks once more.
 * Fronts in two pieces that go around a ring are opened, such that each is one piece; of sides that
 * cross, from which it set out, it takes one. */
void mosaic_walk_straighten(mosaic_walk *walk, int64_t begin, int64_t end);

/* Out from the fraction `from`, then back from the last piece: fronts come out flat in the metric
 * that the map induces. */
void mosaic_walk_across(mosaic_walk *walk, int64_t begin, int64_t end, double from);

/* The weight of the points that elements on both sides of `middle` have. */
int64_t mosaic_walk_common(mosaic_walk *walk, int64_t begin, int64_t middle, int64_t end);

/* A fraction inside [0, 1) for the t-th try, t from 0, other ones for other shifts in [0, 1). */
double mosaic_walk_inside(int t, double shift);

/* What a ball of elements around one of them is like. */
typedef struct mosaic_ball {
    double width;    /* levels from side to side, a level that is taken in part counted as that */
    double points;   /* weight of its distinct points */
    int64_t size;    /* elements of all its levels, the last one whole */
    uint64_t levels; /* the same where all levels have as many elements */
} mosaic_ball;

/* The ball of `size` elements around `centre`: the first of the queue. Before any other kind of
 * walk. */
mosaic_ball mosaic_walk_ball(mosaic_walk *walk, int32_t centre, int64_t size);

/* The points of blocks that an order gives, and how alike these are. */
typedef struct mosaic_tally {
    double points;      /* weight of the distinct points of each block, summed */
    double elements;    /* of the blocks */
    int64_t blocks;     /* how many */
    int64_t few;        /* of them have no more points than the limit */
    int64_t alike;      /* have as many as the one before, to one */
    double limit, last; /* the limit is set before the first block; points of the last one */
} mosaic_tally;

/* Adds the blocks of S consecutive elements of order [n]. Of the walk only pins, seen and clock
 * count. */
void mosaic_walk_tally(mosaic_walk *walk, const int32_t *order, int64_t n, int64_t block_size,
                       mosaic_tally *sum);

/* The same of JUDGED_RUNS runs of JUDGED_BLOCKS blocks, spread evenly; of all where there are no
 * more. */
void mosaic_walk_sample(mosaic_walk *walk, const int32_t *order, int64_t n, int64_t block_size,
                        mosaic_tally *sum);

/* The part of as many blocks, spread evenly, that are in several pieces: no two of these share a
 * point. */
TESS_MUST_CHECK tess_status mosaic_walk_torn(mosaic_walk *walk, const int32_t *order, int64_t n,
                                             int64_t block_size, double *part);

void mosaic_walk_clear(mosaic_walk *walk);
