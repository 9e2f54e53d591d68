/* A plan over a to-set: blocks own points and execute every element that touches them. */
#include "core/base/array.h"
#include "core/base/distinct.h"
#include "core/plan/incidence.h"
#include "core/plan/plan_parts.h"
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* The elements that one thread gathers for a block. */
typedef struct scratch {
    tess_distinct distinct;
    int32_t *elements; /* [most]: with repetitions */
    int32_t *executed; /* [most]: the distinct ones */
} scratch;

static tess_status scratch_new(int64_t most, scratch *own) {
    TRY(tess_distinct_new(most, &own->distinct));
    TRY(TESS_ALLOC(most, &own->elements));
    return TESS_ALLOC(most, &own->executed);
}

static void scratch_free(scratch *own) {
    tess_distinct_free(&own->distinct);
    free(own->elements);
    free(own->executed);
}

/* The elements of the points of block b, ascending, in own->executed; returns how many. */
static int64_t block_elements(const tess_rows *points, const tess_incidence *elements_of, int32_t b,
                              scratch *own) {
    int64_t n = 0;
    for (int64_t i = points->offset[b]; i < points->offset[b + 1]; i++) {
        int64_t n_row = 0;
        const int32_t *row = tess_incidence_row(elements_of, points->item[i], &n_row);
        memcpy(own->elements + n, row, (size_t)n_row * sizeof *row);
        n += n_row;
    }
    return tess_distinct_find(&own->distinct, own->elements, n, own->executed, NULL);
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

/* Fills executed and block_offset: once to count, once to fill. */
static tess_status executed_build(const tess_rows *points, const tess_incidence *elements_of,
                                  tess_plan *plan) {
    tess_status status = TESS_OK;
    scratch *scratches = NULL;
    const int n_threads = omp_get_max_threads();
    const int64_t most = most_elements(points, elements_of);
    CHECK(TESS_ZEROS(n_threads, &scratches));
    for (int t = 0; t < n_threads; t++)
        CHECK(scratch_new(most, &scratches[t]));
    CHECK(TESS_ZEROS(plan->n_blocks + 1, &plan->block_offset));
#pragma omp parallel for schedule(dynamic, 32)
    for (int32_t b = 0; b < plan->n_blocks; b++)
        plan->block_offset[b + 1] =
            block_elements(points, elements_of, b, &scratches[omp_get_thread_num()]);
    for (int32_t b = 0; b < plan->n_blocks; b++)
        plan->block_offset[b + 1] += plan->block_offset[b];
    plan->n_executed = plan->block_offset[plan->n_blocks];
    CHECK(TESS_ALLOC(plan->n_executed, &plan->executed));
#pragma omp parallel for schedule(dynamic, 32)
    for (int32_t b = 0; b < plan->n_blocks; b++) {
        scratch *own = &scratches[omp_get_thread_num()];
        const int64_t n = block_elements(points, elements_of, b, own);
        memcpy(plan->executed + plan->block_offset[b], own->executed,
               (size_t)n * sizeof *own->executed);
    }
done:
    for (int t = 0; scratches && t < n_threads; t++)
        scratch_free(&scratches[t]);
    free(scratches);
    return status;
}

/* Refuses loops that increment a set beside `over`: redundant elements would do it twice. */
static tess_status only_over_is_incremented(const tess_bound_loop *bound, int over) {
    for (int r = 0; r < bound->n_reaches; r++)
        if (bound->reaches[r].incremented && bound->reaches[r].set != over)
            FAIL(TESS_ERROR_USAGE,
                 "loop %s increments %s, too: blocks that own %s would do that more than once",
                 bound->loop->name, bound->mesh->sets[bound->reaches[r].set].name,
                 bound->mesh->sets[over].name);
    return TESS_OK;
}

tess_status tess_plan_build_owned(const tess_bound_loop *bound, int over,
                                  const tess_partition *partition, const tess_plan_options *options,
                                  tess_plan **out) {
    tess_status status = TESS_OK;
    tess_plan *plan = NULL;
    tess_problem *problem = NULL; /* has the elements of each point */
    tess_rows *points = NULL;     /* the points of each block */
    CHECK(only_over_is_incremented(bound, over));
    CHECK(tess_plan_new(bound, over, partition, &plan));
    plan->over_to_set = true;
    CHECK(TESS_ALLOC(partition->n_elements, &plan->owner));
    memcpy(plan->owner, partition->block_of, (size_t)partition->n_elements * sizeof *plan->owner);
    CHECK(tess_problem_build_inverse(bound, over, partition->block_size, 0, &problem));
    const tess_incidence block_of = {
        .index = partition->block_of, .arity = 1, .n_points = partition->n_blocks};
    CHECK(tess_incidence_invert(&block_of, partition->n_elements, &points));
    CHECK(executed_build(points, &problem->maps[0], plan));
    CHECK(tess_plan_complete(bound, options, plan));
    *out = plan;
    plan = NULL;
done:
    tess_rows_free(points);
    tess_problem_free(problem);
    tess_plan_free(plan);
    return status;
}
