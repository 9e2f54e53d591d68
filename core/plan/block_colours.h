/* Colours of blocks: numbers such that no two blocks of one increment a common point. */
#pragma once

#include "core/plan/colour/colour.h"

typedef struct tess_blocks_to_colour {
    tess_incidence *maps; /* [n_maps]: the points that each block increments, one map a set */
    int n_maps;
    int32_t n;
    const int32_t *first_element; /* [n]: the least number of a block's elements; NULL: blocks are
                                     taken by their own numbers */
} tess_blocks_to_colour;

/* Fills colour [n] and their number. Blocks are not coloured by DSATUR but by first fit. */
TESS_MUST_CHECK tess_status tess_block_colours_find(const tess_blocks_to_colour *blocks,
                                                    tess_colouring colouring, int32_t *colour,
                                                    int32_t *n_colours);
