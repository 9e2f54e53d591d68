/* An incidence: the points of each element through one map, and its inverse. */
#include "core/plan/incidence.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include <stdlib.h>

tess_incidence tess_incidence_of_rows(const tess_rows *rows, int64_t n_elements) {
    return (tess_incidence){.index = rows->item, .offset = rows->offset, .n_points = n_elements};
}

static void count_elements(const tess_incidence *map, int64_t n_elements, int64_t *count) {
#pragma omp parallel for schedule(static)
    for (int64_t e = 0; e < n_elements; e++) {
        int64_t n = 0;
        const int32_t *row = tess_incidence_row(map, e, &n);
        for (int64_t slot = 0; slot < n; slot++)
            if (tess_incidence_is_first(map, row, slot))
                __atomic_fetch_add(&count[row[slot]], 1, __ATOMIC_RELAXED);
    }
}

/* Puts each element into the rows of its points, from their ends: end[p] becomes the row's start.
 * The order within a row depends on the threads until it is sorted. */
static void scatter_elements(const tess_incidence *map, int64_t n_elements, int64_t *end,
                             int32_t *element) {
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n_elements; i++) {
        const int64_t e = n_elements - 1 - i;
        int64_t n = 0;
        const int32_t *row = tess_incidence_row(map, e, &n);
        for (int64_t slot = 0; slot < n; slot++)
            if (tess_incidence_is_first(map, row, slot))
                element[__atomic_sub_fetch(&end[row[slot]], 1, __ATOMIC_RELAXED)] = (int32_t)e;
    }
}

tess_status tess_incidence_invert(const tess_incidence *map, int64_t n_elements, tess_rows **out) {
    tess_status status = TESS_OK;
    tess_rows *inverse = NULL;
    const int64_t n = map->n_points;
    CHECK(tess_rows_new(n, &inverse));
    int64_t *const offset = inverse->offset;
    count_elements(map, n_elements, offset);
    for (int64_t p = 1; p <= n; p++)
        offset[p] += offset[p - 1]; /* the end of row p, until the scatter makes it its start */
    CHECK(TESS_ALLOC(offset[n], &inverse->item));
    scatter_elements(map, n_elements, offset, inverse->item);
#pragma omp parallel for schedule(static)
    for (int64_t p = 0; p < n; p++)
        tess_sort(inverse->item + offset[p], tess_rows_size(inverse, p));
    *out = TESS_TAKE(inverse);
done:
    tess_rows_free(inverse);
    return status;
}

tess_status tess_incidence_in_order(const tess_incidence *map, int64_t n, const int32_t *order,
                                    tess_incidence *out) {
    tess_status status = TESS_OK;
    int64_t *offset = NULL, n_points = 0;
    int32_t *index = NULL;
    CHECK(TESS_ZEROS(n + 1, &offset));
    for (int64_t i = 0; i < n; i++) {
        tess_incidence_row(map, order[i], &n_points);
        offset[i + 1] = offset[i] + n_points;
    }
    CHECK(TESS_ALLOC(offset[n], &index));
    for (int64_t i = 0; i < n; i++) {
        const int32_t *row = tess_incidence_row(map, order[i], &n_points);
        for (int64_t j = 0; j < n_points; j++)
            index[offset[i] + j] = row[j];
    }
    *out = (tess_incidence){.index = TESS_TAKE(index),
                            .offset = map->offset ? TESS_TAKE(offset) : NULL,
                            .arity = map->arity,
                            .owned = true,
                            .n_points = map->n_points};
done:
    free(index);
    free(offset);
    return status;
}

void tess_incidence_clear(tess_incidence *map) {
    if (map->owned) {
        free((void *)map->index);
        free((void *)map->offset);
    }
    *map = (tess_incidence){.index = NULL};
}
