/* A permutation file: what a reordering does to each set, and its blocks, for codes of one's own.
 */
#pragma once

#include "experiments/bench/reordering.h"

/* Writes SET.new_to_old of each set; and of the blocks, whose elements and points have their new
 * numbers: block_offset, block_colour, thread_colour of each element, SET.owner of each point, the
 * first block that reaches it, -1 for none (data/array_file.h). */
TESS_MUST_CHECK tess_status tess_permutation_write(const char *path,
                                                   const tess_reordering *reordering);
