/* Gathered rows: rows whose items are found one row at a time, on all cores, and kept ascending,
 * each once. */
#pragma once

#include "core/base/rows.h"

typedef struct tess_row_gatherer {
    int64_t n_rows;
    int64_t longest; /* items that a row may have, repetitions included */
    /* Writes the items of a row, in any order and with repetitions; returns how many. Any thread
     * calls it, twice for each row: to count, and to fill. */
    int64_t (*gather)(const void *context, int64_t row, int32_t *items);
    const void *context;
} tess_row_gatherer;

/* Gives the rows and, where `times` is not NULL, how often each item came in its row, in an array
 * like rows->item that the caller frees. */
TESS_MUST_CHECK tess_status tess_rows_gather(const tess_row_gatherer *by, int32_t **times,
                                             tess_rows **out);
