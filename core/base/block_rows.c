/* Block rows: the elements of each block, one row a block. */
#include "core/base/block_rows.h"

#include "core/base/array.h"
#include <stdlib.h>

tess_status tess_block_rows_build(const int32_t *block_of, int64_t n_elements, int64_t n_blocks,
                                  tess_block_rows **out) {
    tess_status status = TESS_OK;
    tess_block_rows *rows = NULL;
    CHECK(TESS_ZEROS(1, &rows));
    rows->n_blocks = n_blocks;
    CHECK(TESS_ZEROS(n_blocks + 1, &rows->offset));
    CHECK(TESS_ALLOC(n_elements, &rows->element));
    for (int64_t e = 0; e < n_elements; e++)
        rows->offset[block_of[e] + 1]++;
    for (int64_t b = 0; b < n_blocks; b++)
        rows->offset[b + 1] += rows->offset[b];
    /* Each row is filled from its offset, which thereby becomes the next row's: shift back. */
    for (int64_t e = 0; e < n_elements; e++)
        rows->element[rows->offset[block_of[e]]++] = (int32_t)e;
    for (int64_t b = n_blocks; b > 0; b--)
        rows->offset[b] = rows->offset[b - 1];
    rows->offset[0] = 0;
    *out = rows;
    rows = NULL;
done:
    tess_block_rows_free(rows);
    return status;
}

void tess_block_rows_free(tess_block_rows *rows) {
    if (!rows)
        return;
    free(rows->offset);
    free(rows->element);
    free(rows);
}

int64_t tess_block_rows_largest(const tess_block_rows *rows) {
    int64_t largest = 0;
    for (int64_t b = 0; b < rows->n_blocks; b++)
        if (tess_block_rows_size(rows, b) > largest)
            largest = tess_block_rows_size(rows, b);
    return largest;
}
