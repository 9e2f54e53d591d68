/* Rows: lists of items, one behind the other, and where each begins: the items of row i are
 * item[offset[i] ... offset[i + 1]). The elements of each block, of each point, the neighbours of
 * each vertex. */
#pragma once

#include "core/base/status.h"
#include <stdint.h>

typedef struct tess_rows {
    int64_t n;       /* rows */
    int64_t *offset; /* [n + 1] into item */
    int32_t *item;   /* [offset[n]] */
} tess_rows;

/* Gives n_rows rows of the items 0, 1, ... n_items - 1: item i is in row row_of[i], which lies in
 * [0, n_rows). Ascending in each row. */
TESS_MUST_CHECK tess_status tess_rows_build(const int32_t *row_of, int64_t n_items, int64_t n_rows,
                                            tess_rows **out);

/* Rows of the items given [n_items], NULL: 0, 1, ..., in whose order those of each row stand;
 * row_of is by item. Parallel, with equal rows on any number of threads. */
TESS_MUST_CHECK tess_status tess_rows_build_of(const int32_t *items, const int32_t *row_of,
                                               int64_t n_items, int64_t n_rows, tess_rows **out);

/* Rows whose items come one by one and in any order, in the way of a counting sort:
 *
 *   tess_rows_new      n empty rows
 *   tess_rows_count    once for each item
 *   tess_rows_open     makes room
 *   tess_rows_put      once for each item: behind those that its row has
 */
TESS_MUST_CHECK tess_status tess_rows_new(int64_t n, tess_rows **out);
TESS_MUST_CHECK tess_status tess_rows_open(tess_rows *rows);

/* While rows are filled the offset of row i stands at [i + 2], then at [i + 1], until they are:
 * tess_rows_new makes room for n + 2. */
static inline void tess_rows_count(tess_rows *rows, int64_t row) {
    rows->offset[row + 2]++;
}

static inline void tess_rows_put(tess_rows *rows, int64_t row, int32_t item) {
    rows->item[rows->offset[row + 1]++] = item;
}

static inline int64_t tess_rows_size(const tess_rows *rows, int64_t row) {
    return rows->offset[row + 1] - rows->offset[row];
}

/* The number of items of the longest row, or 0. */
int64_t tess_rows_longest(const tess_rows *rows);

void tess_rows_free(tess_rows *rows);
