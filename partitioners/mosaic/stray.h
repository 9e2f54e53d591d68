/* Strays: pieces of blocks that lie apart from the rest of their block. */
#pragma once

#include "partitioners/mosaic/blocks.h"

/* Blocks that are in several pieces keep the largest; the others go to the blocks around, which
 * hand on as many elements. Each of these is done alone, where it leaves fewer pieces and costs no
 * point. Sizes stay. *apart: how many stay so, beyond one of each block, over the blocks.
 * Deterministic. */
TESS_MUST_CHECK tess_status mosaic_strays_join(mosaic_blocks *blocks, double *apart);
