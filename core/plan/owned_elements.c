/* The elements that blocks execute which own points. */
#include "core/plan/owned_elements.h"

#include "core/base/array.h"
#include "core/base/distinct.h"
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* The elements that one thread gathers for a block. */
typedef struct gather_scratch {
    tess_distinct distinct;
    int32_t *elements; /* [most]: with repetitions */
    int32_t *executed; /* [most]: the distinct ones */
} gather_scratch;

static tess_status gather_scratch_new(int64_t most, gather_scratch *scratch) {
    TRY(tess_distinct_new(most, &scratch->distinct));
    TRY(TESS_ALLOC(most, &scratch->elements));
    return TESS_ALLOC(most, &scratch->executed);
}

static void gather_scratch_free(gather_scratch *scratch) {
    tess_distinct_free(&scratch->distinct);
    free(scratch->elements);
    free(scratch->executed);
}

/* The elements of the points of block b, ascending, in scratch->executed; returns how many. */
static int64_t block_elements(const tess_rows *points, const tess_incidence *elements_of, int64_t b,
                              gather_scratch *scratch) {
    int64_t n = 0;
    for (int64_t i = points->offset[b]; i < points->offset[b + 1]; i++) {
        int64_t n_row = 0;
        const int32_t *row = tess_incidence_row(elements_of, points->item[i], &n_row);
        memcpy(scratch->elements + n, row, (size_t)n_row * sizeof *row);
        n += n_row;
    }
    return tess_distinct_find(&scratch->distinct, scratch->elements, n, scratch->executed, NULL);
}

/* The most elements, with repetitions, that the points of one block have. */
static int64_t most_elements(const tess_rows *points, const tess_incidence *elements_of) {
    int64_t most = 0;
    for (int64_t b = 0; b < points->n; b++) {
        int64_t n = 0, n_row = 0;
        for (int64_t i = points->offset[b]; i < points->offset[b + 1]; i++) {
            tess_incidence_row(elements_of, points->item[i], &n_row);
            n += n_row;
        }
        most = n > most ? n : most;
    }
    return most;
}

/* Once to count, once to fill. */
tess_status tess_owned_elements_list(const tess_rows *points, const tess_incidence *elements_of,
                                     tess_rows **out) {
    tess_status status = TESS_OK;
    gather_scratch *scratches = NULL;
    tess_rows *blocks = NULL;
    const int n_threads = omp_get_max_threads();
    const int64_t most = most_elements(points, elements_of);
    CHECK(TESS_ZEROS(n_threads, &scratches));
    for (int t = 0; t < n_threads; t++)
        CHECK(gather_scratch_new(most, &scratches[t]));
    CHECK(TESS_ZEROS(1, &blocks));
    blocks->n = points->n;
    CHECK(TESS_ZEROS(blocks->n + 1, &blocks->offset));
#pragma omp parallel for schedule(dynamic, 32)
    for (int64_t b = 0; b < blocks->n; b++)
        blocks->offset[b + 1] =
            block_elements(points, elements_of, b, &scratches[omp_get_thread_num()]);
    for (int64_t b = 0; b < blocks->n; b++)
        blocks->offset[b + 1] += blocks->offset[b];
    CHECK(TESS_ALLOC(blocks->offset[blocks->n], &blocks->item));
#pragma omp parallel for schedule(dynamic, 32)
    for (int64_t b = 0; b < blocks->n; b++) {
        gather_scratch *scratch = &scratches[omp_get_thread_num()];
        const int64_t n = block_elements(points, elements_of, b, scratch);
        memcpy(blocks->item + blocks->offset[b], scratch->executed,
               (size_t)n * sizeof *scratch->executed);
    }
    *out = TESS_TAKE(blocks);
done:
    for (int t = 0; scratches && t < n_threads; t++)
        gather_scratch_free(&scratches[t]);
    free(scratches);
    tess_rows_free(blocks);
    return status;
}
