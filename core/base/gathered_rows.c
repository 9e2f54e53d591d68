/* Gathered rows: rows whose items are found one row at a time, on all cores. */
#include "core/base/gathered_rows.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include <stdbool.h>
#include <stdlib.h>

/* Writes each of n sorted items once and, where `times` is given, how often it came. The result may
 * take the place of the items. */
static int64_t keep_each_once(const int32_t *sorted, int64_t n, int32_t *kept, int32_t *times) {
    int64_t n_kept = 0;
    for (int64_t i = 0, next; i < n; i = next) {
        for (next = i + 1; next < n && sorted[next] == sorted[i];)
            next++;
        if (times)
            times[n_kept] = (int32_t)(next - i);
        kept[n_kept++] = sorted[i];
    }
    return n_kept;
}

/* Counts rows into offset[row + 1] (fill false) or fills them from offset[row] on. */
static tess_status rows_run(const tess_row_gatherer *by, bool fill, tess_rows *rows,
                            int32_t *times) {
    tess_status status = TESS_OK;
#pragma omp parallel
    {
        int32_t *items = NULL;
        const tess_status mine = TESS_ALLOC(by->longest, &items);
        if (mine != TESS_OK) {
#pragma omp critical
            status = mine;
        }
#pragma omp for schedule(dynamic, 64)
        for (int64_t row = 0; row < by->n_rows; row++) {
            if (!items)
                continue;
            const int64_t n = by->gather(by->context, row, items);
            const int64_t first = fill ? rows->offset[row] : 0;
            tess_sort(items, n);
            const int64_t n_kept = keep_each_once(items, n, fill ? rows->item + first : items,
                                                  times ? times + first : NULL);
            if (!fill)
                rows->offset[row + 1] = n_kept;
        }
        free(items);
    }
    if (status != TESS_OK)
        FAIL(status, "out of memory: %.1f MB more are needed", 4e-6 * (double)by->longest);
    return TESS_OK;
}

tess_status tess_rows_gather(const tess_row_gatherer *by, int32_t **times, tess_rows **out) {
    tess_status status = TESS_OK;
    tess_rows *rows = NULL;
    int32_t *counted = NULL;
    CHECK(tess_rows_new(by->n_rows, &rows));
    CHECK(rows_run(by, false, rows, NULL));
    for (int64_t row = 0; row < by->n_rows; row++)
        rows->offset[row + 1] += rows->offset[row];
    CHECK(TESS_ALLOC(rows->offset[by->n_rows], &rows->item));
    if (times)
        CHECK(TESS_ALLOC(rows->offset[by->n_rows], &counted));
    CHECK(rows_run(by, true, rows, counted));
    if (times)
        *times = TESS_TAKE(counted);
    *out = TESS_TAKE(rows);
done:
    free(counted);
    tess_rows_free(rows);
    return status;
}
