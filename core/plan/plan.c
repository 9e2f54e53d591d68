/* A plan: a partition made executable; here over the loop's from-set. */
#include "core/plan/plan.h"

#include "core/base/array.h"
#include "core/plan/incidence.h"
#include "core/plan/plan_parts.h"
#include <stdio.h>
#include <stdlib.h>

tess_status tess_plan_new(const tess_bound_loop *bound, int over, const tess_partition *partition,
                          tess_plan **out) {
    const tess_set *set = &bound->mesh->sets[over];
    if (partition->n_elements != set->size)
        FAIL(TESS_ERROR_INTERNAL, "the partition is of %lld elements, but %s has %lld",
             (long long)partition->n_elements, set->name, (long long)set->size);
    TRY(TESS_ZEROS(1, out));
    tess_plan *plan = *out;
    snprintf(plan->loop, sizeof plan->loop, "%s", bound->loop->name);
    snprintf(plan->over, sizeof plan->over, "%s", set->name);
    plan->block_size = partition->block_size;
    plan->n_elements = bound->n_elements;
    plan->n_blocks = partition->n_blocks;
    return TESS_OK;
}

tess_status tess_plan_build(const tess_bound_loop *bound, const tess_partition *partition,
                            const tess_plan_options *options, tess_plan **out) {
    tess_status status = TESS_OK;
    tess_plan *plan = NULL;
    tess_rows *blocks = NULL; /* the elements of each block, ascending */
    CHECK(tess_plan_new(bound, bound->set, partition, &plan));
    const tess_incidence block_of = {
        .index = partition->block_of, .arity = 1, .n_points = partition->n_blocks};
    CHECK(tess_incidence_invert(&block_of, bound->n_elements, &blocks));
    plan->n_executed = bound->n_elements;
    plan->executed = blocks->item;
    plan->block_offset = blocks->offset;
    blocks->item = NULL;
    blocks->offset = NULL;
    CHECK(tess_plan_complete(bound, options, plan));
    *out = plan;
    plan = NULL;
done:
    tess_rows_free(blocks);
    tess_plan_free(plan);
    return status;
}

void tess_plan_free(tess_plan *plan) {
    if (!plan)
        return;
    for (int i = 0; i < plan->n_sets; i++) {
        free(plan->sets[i].slot_incremented);
        free(plan->sets[i].point_offset);
        free(plan->sets[i].points);
        free(plan->sets[i].local_index);
    }
    free(plan->sets);
    free(plan->owner);
    free(plan->executed);
    free(plan->block_offset);
    free(plan->thread_colour);
    free(plan->thread_colours);
    free(plan->block_colour);
    free(plan);
}
