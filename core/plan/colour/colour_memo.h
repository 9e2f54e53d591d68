/* A memo: colours of a loop's elements that were found once, by the order they were found in. */
#pragma once

#include "core/base/status.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct tess_colour_memo tess_colour_memo;

/* For n elements. */
TESS_MUST_CHECK tess_status tess_colour_memo_new(int64_t n, tess_colour_memo **out);
void tess_colour_memo_free(tess_colour_memo *memo);

/* Where the memo has the colours of this order [n] (NULL: by number), copies them to `colour` [n]
 * and is true; waits where another thread is finding them. Else the caller finds and keeps them,
 * or gives up (colour NULL), and others wait meanwhile; a memo that is full keeps nothing. */
bool tess_colour_memo_take(tess_colour_memo *memo, const int32_t *order, int colouring,
                           int32_t *colour, int32_t *n_colours);
void tess_colour_memo_keep(tess_colour_memo *memo, const int32_t *order, int colouring,
                           const int32_t *colour, int32_t n_colours);
