/* Halves: a region halved again and again across the direction in which it is long, by the map
 * alone. Each element has a height across the region, its level in a walk from one side less that
 * in a walk from the other; heights are smoothed, and the lowest half of the elements is cut off.
 */
#pragma once

#include "partitioners/mosaic/walk.h"

/* Puts the segment [begin, end) of the walk's order into an order of which every `block_size` are a
 * block. `from` in [0, 1) shifts where walks set out. */
void mosaic_halve(mosaic_walk *walk, int64_t begin, int64_t end, int64_t block_size, double from);
