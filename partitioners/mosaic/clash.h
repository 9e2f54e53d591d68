/* Clashes: points where two blocks of one colour meet, were there one colour less. */
#pragma once

#include "partitioners/mosaic/blocks.h"

/* Makes blocks need fewer colours where few points stand against it. Blocks are coloured with one
 * colour less such that few points are in two blocks of one colour; elements at these points change
 * blocks with others until none is. Sizes stay, and no block gets more pieces; of the points of all
 * blocks one in CLASHES_COST may be paid, and nothing that makes them have more than `most` in
 * common (mosaic_blocks_shared). A colour is given up at all points or at none, then the next one;
 * not in 2D, of few elements or many blocks. Deterministic. */
TESS_MUST_CHECK tess_status mosaic_clashes_ease(mosaic_blocks *blocks, int64_t most);
