/* Block rows: the elements of each block, one row a block. */
#ifndef TESS_BLOCK_ROWS_H
#define TESS_BLOCK_ROWS_H

#include "core/base/status.h"
#include <stdint.h>

typedef struct tess_block_rows {
    int64_t n_blocks;
    int64_t *offset;  /* [n_blocks + 1] */
    int32_t *element; /* [offset[n_blocks]], ascending in each row */
} tess_block_rows;

/* Gives the rows of block_of [n_elements], whose ids lie in [0, n_blocks). */
TESS_MUST_CHECK tess_status tess_block_rows_build(const int32_t *block_of, int64_t n_elements,
                                                  int64_t n_blocks, tess_block_rows **out);
void tess_block_rows_free(tess_block_rows *rows);

static inline int64_t tess_block_rows_size(const tess_block_rows *rows, int64_t block) {
    return rows->offset[block + 1] - rows->offset[block];
}

/* The number of elements of the largest block, 0 where there is none. */
int64_t tess_block_rows_largest(const tess_block_rows *rows);

#endif
