/* Colours by backtracking: as many as are asked for, of the elements of a block. */
#pragma once

#include "core/plan/incidence.h"

/* What one search is worth: colours are a word's bits, and elements are looked for by their bits.
 */
enum { TESS_MOST_BACKTRACKED = 4096, TESS_MOST_BACKTRACKED_COLOURS = 64 };

/* Looks for a colouring of n > 0 elements with `wanted` > 0 colours, where no point has more
 * elements than that; at most as many as the above. The element with the fewest colours left comes
 * next (Brelaz 1979), the nearest to the first among these. At a point with `wanted` elements each
 * colour has one: a colour that only one of them can take is that one's. After some dead ends it
 * begins anew from another element (Gomes, Selman and Kautz 1998, Boosting combinatorial search
 * through randomization). *found tells whether colour [n] is filled; that it is not proves nothing.
 * The same on every machine. */
TESS_MUST_CHECK tess_status tess_colour_backtrack(const tess_incidence *map, int64_t n,
                                                  int32_t wanted, int32_t *colour, bool *found);
