/* A cut: a region put into an order of which every S elements are a block. */
#pragma once

#include "partitioners/mosaic/piece.h"

typedef struct mosaic_cut {
    int64_t block_size; /* S */
    int64_t multiple;   /* slabs end at multiples of it: S, or 1 for whole levels */
    double width;       /* levels of a slab */
    bool snake;         /* slabs are of whole levels, and a block goes on in the next strip */
    bool halves;        /* regions are halved, else cut into slabs and strips */
    bool whole;         /* the whole mesh is halved, else slabs of the first walk */
    bool alike;         /* of solids slabs of one width are cut, without a look at others */
    bool once;          /* what is regular in places is replaced, not cut in two ways */
    bool quick;         /* ... and coordinates are looked at where they seem better, not near */
    bool alone;         /* only exchange may follow: that mends slabs, in place of halves */
    bool coordinates;   /* halved by these, where the whole mesh is cut into bricks */
    int tries;          /* halvings of a region in different directions, the best is kept */
    int32_t tried;      /* blocks of a region that is halved so at most ... */
    int tries_beyond;   /* ... and in how many directions larger ones; 0: one */
    int smoothing;      /* passes over heights */
    double from;        /* in [0, 1): shifts where walks set out; other seeds, other blocks */
} mosaic_cut;

/* Arrays of one thread, for cuts of any size; a zeroed struct is empty. */
typedef struct mosaic_cutter {
    mosaic_piece slab;
    mosaic_piece leaf; /* a small part of the slab, in a core's cache */
    int32_t *ends;     /* [capacity_ends] of slabs in the slab and in those, and two blocks */
    int64_t capacity_ends;
} mosaic_cutter;

/* Where slabs of `width` levels of the last walk over [begin, end) end: multiples of `multiple`
 * (counted from begin) near whole levels, ascending, the last one is `end`. A whole width is kept,
 * and the last slab is as wide as is left over; others are made equal. Fills `ends`, at most
 * (end - begin) / multiple + 1 of them, and gives their number. */
int64_t mosaic_slab_ends(const mosaic_walk *walk, int64_t begin, int64_t end, int64_t multiple,
                         double width, int32_t *ends);

/* Cuts a part of the pins: local[i] is the i-th of its elements, counted from the first, in an
 * order of which every S are a block. */
TESS_MUST_CHECK tess_status mosaic_cut_part(const mosaic_pins *pins, const mosaic_cut *cut,
                                            mosaic_part part, mosaic_cutter *cutter,
                                            const int32_t **local);

/* Turns the segment [begin, end) of the walk's order back to front where it then goes on better
 * from the elements before it: where up to S of those have fewer points together with its first S.
 * Of the walk only pins, order, seen and clock count. */
void mosaic_turn_back(mosaic_walk *walk, int64_t block_size, int64_t begin, int64_t end);

/* Halves of a mesh are cut in the best of several directions. */
void mosaic_cut_with_care(int64_t n_elements, mosaic_cut *cut);

void mosaic_cutter_clear(mosaic_cutter *cutter);
