/* The inverse of an incidence: for each point the elements that have it. */
#include "core/plan/inverse.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include <stdlib.h>

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

tess_status tess_inverse_build(const tess_incidence *map, int64_t n_elements, tess_inverse **out) {
    tess_status status = TESS_OK;
    tess_inverse *inverse = NULL;
    CHECK(TESS_ZEROS(1, &inverse));
    const int64_t n = inverse->n_points = map->n_points;
    int64_t *offset = NULL;
    CHECK(TESS_ZEROS(n + 1, &inverse->offset));
    offset = inverse->offset;
    count_elements(map, n_elements, offset);
    for (int64_t p = 1; p <= n; p++)
        offset[p] += offset[p - 1]; /* the end of row p, until the scatter makes it its start */
    CHECK(TESS_ALLOC(offset[n], &inverse->element));
    scatter_elements(map, n_elements, offset, inverse->element);
#pragma omp parallel for schedule(static)
    for (int64_t p = 0; p < n; p++)
        tess_sort(inverse->element + offset[p], offset[p + 1] - offset[p]);
    *out = inverse;
    inverse = NULL;
done:
    tess_inverse_free(inverse);
    return status;
}

void tess_inverse_free(tess_inverse *inverse) {
    if (!inverse)
        return;
    free(inverse->offset);
    free(inverse->element);
    free(inverse);
}
