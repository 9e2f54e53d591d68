/* Row pairs: pairs of a row and an item, found in any order and with repetitions, that become rows.
 */
#include "core/base/row_pairs.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include <stdlib.h>

tess_status tess_row_pairs_add(tess_row_pairs *pairs, int32_t row, int32_t item) {
    const uint64_t key = (uint64_t)row << 32 | (uint32_t)item;
    if (pairs->n > 0 && pairs->key[pairs->n - 1] == key)
        return TESS_OK;
    if (pairs->n == pairs->capacity)
        TRY(TESS_RESERVE(pairs->n + 1, &pairs->capacity, &pairs->key));
    pairs->key[pairs->n++] = key;
    return TESS_OK;
}

/* Sorts each row and drops its repetitions. */
static void close_rows(tess_rows *rows) {
    int64_t n = 0, first = 0;
    for (int64_t r = 0; r < rows->n; r++) {
        const int64_t end = rows->offset[r + 1];
        const int64_t size = tess_sort_unique(rows->item + first, end - first);
        for (int64_t i = 0; i < size; i++)
            rows->item[n + i] = rows->item[first + i];
        n += size;
        rows->offset[r + 1] = n;
        first = end;
    }
}

tess_status tess_row_pairs_rows(tess_row_pairs *pairs, int64_t n_rows, tess_rows **out) {
    tess_status status = TESS_OK;
    tess_rows *rows = NULL;
    CHECK(tess_rows_new(n_rows, &rows));
    for (int64_t i = 0; i < pairs->n; i++)
        tess_rows_count(rows, (int64_t)(pairs->key[i] >> 32));
    CHECK(tess_rows_open(rows));
    for (int64_t i = 0; i < pairs->n; i++)
        tess_rows_put(rows, (int64_t)(pairs->key[i] >> 32), (int32_t)(uint32_t)pairs->key[i]);
    close_rows(rows);
    tess_row_pairs_clear(pairs);
    *out = TESS_TAKE(rows);
done:
    tess_rows_free(rows);
    return status;
}

void tess_row_pairs_clear(tess_row_pairs *pairs) {
    free(pairs->key);
    *pairs = (tess_row_pairs){.n = 0};
}
