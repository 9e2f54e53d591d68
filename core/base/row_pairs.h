/* Row pairs: pairs of a row and an item, found in any order and with repetitions, that become rows.
 */
#pragma once

#include "core/base/rows.h"

typedef struct tess_row_pairs {
    int64_t n, capacity;
    uint64_t *key; /* [n]: the row above, the item in the lower 32 bits; owned */
} tess_row_pairs;

/* Zeroed pairs are none. */
TESS_MUST_CHECK tess_status tess_row_pairs_add(tess_row_pairs *pairs, int32_t row, int32_t item);

/* Gives the items of each of n_rows rows, ascending and without repetition, and empties the pairs.
 */
TESS_MUST_CHECK tess_status tess_row_pairs_rows(tess_row_pairs *pairs, int64_t n_rows,
                                                tess_rows **out);
void tess_row_pairs_clear(tess_row_pairs *pairs);
