/* Corners: points where many blocks meet, all of which need other block colours. */
#pragma once

#include "partitioners/mosaic/blocks.h"

/* So many blocks as meet at a point need as many colours. In 3D, where few points have more than
 * all others, makes these fewer: an element at such a point, the only one of its block, changes
 * blocks with one of another block there, so that one block less meets. Sizes stay, and no block
 * gets more pieces; one pin in CORNERS_COST may be paid, and blocks that have less than `most` in
 * common (mosaic_blocks_shared) do not come to have more. A number of blocks is given up at all
 * points or at none. Deterministic. */
TESS_MUST_CHECK tess_status mosaic_corners_ease(mosaic_blocks *blocks, int64_t most);
