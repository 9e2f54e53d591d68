/* A cut: a region put into an order of which every S elements are a block. */
#ifndef TESS_MOSAIC_CUT_H
#define TESS_MOSAIC_CUT_H

#include "partitioners/mosaic_walk.h"

typedef struct mosaic_cut {
    int64_t block_size; /* S */
    double width;       /* levels of a slab */
    bool bisect;        /* halves instead of slabs */
} mosaic_cut;

/* Levels from side to side of a ball of S elements: the median over balls around a few elements
 * that are spread over the numbering. */
double mosaic_ball_width(mosaic_walk *walk, int64_t block_size);

/* Where slabs of `width` levels of the last walk over [begin, end) end: multiples of S (counted
 * from begin) near whole levels, ascending, the last one is `end`. Fills `ends`, at most
 * (end - begin) / S + 1 of them, and gives their number. */
int64_t mosaic_slab_ends(const mosaic_walk *walk, int64_t begin, int64_t end, int64_t block_size,
                         double width, int32_t *ends);

/* Orders the segment [begin, end) so that elements begin + i S ... begin + (i + 1) S - 1 are a
 * block. `ends` has room for (end - begin) / S + 2 + log2 of that. */
void mosaic_cut_region(mosaic_walk *walk, const mosaic_cut *cut, int64_t begin, int64_t end,
                       int32_t *ends);

#endif
