/* The elements that blocks execute which own points. */
#include "core/plan/owned_elements.h"

#include "core/base/gathered_rows.h"
#include <string.h>

typedef struct blocks {
    const tess_rows *points;
    const tess_incidence *elements_of;
} blocks;

/* The elements of the points of a block, with repetitions; items NULL: only how many. */
static int64_t gather(const void *context, int64_t block, int32_t *items) {
    const blocks *of = context;
    int64_t n = 0, n_row = 0;
    for (int64_t i = of->points->offset[block]; i < of->points->offset[block + 1]; i++) {
        const int32_t *row = tess_incidence_row(of->elements_of, of->points->item[i], &n_row);
        if (items)
            memcpy(items + n, row, (size_t)n_row * sizeof *row);
        n += n_row;
    }
    return n;
}

tess_status tess_owned_elements_list(const tess_rows *points, const tess_incidence *elements_of,
                                     tess_rows **out) {
    const blocks of = {points, elements_of};
    tess_row_gatherer by = {.n_rows = points->n, .gather = gather, .context = &of};
    for (int64_t b = 0; b < points->n; b++) {
        const int64_t n = gather(&of, b, NULL);
        by.longest = n > by.longest ? n : by.longest;
    }
    return tess_rows_gather(&by, NULL, out);
}

int64_t tess_owned_elements_count(const tess_incidence *points_of, int64_t n,
                                  const int32_t *block_of) {
    int64_t n_executed = 0;
#pragma omp parallel for schedule(static) reduction(+ : n_executed)
    for (int64_t e = 0; e < n; e++) {
        int64_t n_points = 0;
        const int32_t *row = tess_incidence_row(points_of, e, &n_points);
        for (int64_t s = 0; s < n_points; s++) {
            int64_t before = 0; /* the first slot with a point of the same block */
            while (before < s &&
                   (row[before] < 0 || row[s] < 0 || block_of[row[before]] != block_of[row[s]]))
                before++;
            n_executed += row[s] >= 0 && before == s;
        }
    }
    return n_executed;
}
