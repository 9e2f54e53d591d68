/* Rows: lists of items, one behind the other, and where each begins. */
#include "core/base/rows.h"

#include "core/base/array.h"
#include <stdlib.h>

tess_status tess_rows_new(int64_t n, tess_rows **out) {
    TRY(TESS_ZEROS(1, out));
    (*out)->n = n;
    return TESS_ZEROS(n + 2, &(*out)->offset);
}

tess_status tess_rows_open(tess_rows *rows) {
    for (int64_t i = 0; i < rows->n; i++)
        rows->offset[i + 2] += rows->offset[i + 1];
    return TESS_ALLOC(rows->offset[rows->n + 1], &rows->item);
}

tess_status tess_rows_build(const int32_t *row_of, int64_t n_items, int64_t n_rows,
                            tess_rows **out) {
    tess_status status = TESS_OK;
    tess_rows *rows = NULL;
    CHECK(tess_rows_new(n_rows, &rows));
    for (int64_t i = 0; i < n_items; i++)
        tess_rows_count(rows, row_of[i]);
    CHECK(tess_rows_open(rows));
    for (int64_t i = 0; i < n_items; i++)
        tess_rows_put(rows, row_of[i], (int32_t)i);
    *out = TESS_TAKE(rows);
done:
    tess_rows_free(rows);
    return status;
}

int64_t tess_rows_longest(const tess_rows *rows) {
    int64_t longest = 0;
    for (int64_t i = 0; i < rows->n; i++)
        if (tess_rows_size(rows, i) > longest)
            longest = tess_rows_size(rows, i);
    return longest;
}

void tess_rows_free(tess_rows *rows) {
    if (!rows)
        return;
    free(rows->offset);
    free(rows->item);
    free(rows);
}
