/* Heights: how far across a region each element is, smooth where levels are ragged. */
#ifndef TESS_MOSAIC_HEIGHT_H
#define TESS_MOSAIC_HEIGHT_H

#include "partitioners/mosaic/walk.h"

/* Walks the segment [begin, end) of the order out from the fraction `from`, back and out again, and
 * gives each element a height: its level from one side minus that from the other, then `passes`
 * times the mean of its points' heights, theirs the mean of their elements in the segment. */
void mosaic_height_measure(mosaic_walk *walk, int64_t begin, int64_t end, double from, int passes);

/* Permutes the segment such that its first n elements are the lowest, ties by number. */
void mosaic_height_select(mosaic_walk *walk, int64_t begin, int64_t end, int64_t n);

/* The weight of the points that elements on both sides of `middle` have. */
int64_t mosaic_height_cut(mosaic_walk *walk, int64_t begin, int64_t middle, int64_t end);

#endif
