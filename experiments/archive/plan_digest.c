/* The digest of a plan: of all that a plan file holds but its metrics. */
#include "experiments/archive/plan_digest.h"

#include "core/base/old_word.h"
#include <stdlib.h>
#include <string.h>

static tess_status hash_loop(tess_hash *hash, const tess_loop *loop) {
    TRY(tess_hash_text(hash, loop->name));
    TRY(tess_hash_text(hash, loop->set));
    TRY(tess_hash_int(hash, loop->n_args));
    for (int i = 0; i < loop->n_args; i++) {
        const tess_arg *arg = &loop->args[i];
        TRY(tess_hash_text(hash, arg->dat));
        TRY(tess_hash_text(hash, arg->set));
        TRY(tess_hash_text(hash, arg->map));
        TRY(tess_hash_int(hash, arg->slot));
        TRY(tess_hash_int(hash, arg->dim));
        TRY(tess_hash_text(hash, tess_type_name(arg->type)));
        TRY(tess_hash_text(hash, tess_access_name(arg->access)));
    }
    return TESS_OK;
}

static tess_status hash_partition(tess_hash *hash, const tess_partition *partition) {
    TRY(tess_hash_int(hash, partition->block_size));
    TRY(tess_hash_int(hash, partition->n_blocks));
    TRY(tess_hash_array(hash, partition->block_of, partition->n_elements, sizeof(int32_t)));
    TRY(tess_hash_int(hash, partition->n_blocks_before));
    TRY(tess_hash_int(hash, partition->largest_before));
    TRY(tess_hash_int(hash, partition->n_moved));
    return tess_hash_array(hash, &partition->reuse_factor_before, 1, sizeof(double));
}

static tess_status hash_plan(tess_hash *hash, const tess_plan *plan) {
    TRY(tess_hash_text(hash, plan->partitioned_set));
    TRY(tess_hash_int(hash, plan->owns_points));
    TRY(tess_hash_array(hash, plan->executed, plan->n_executed, sizeof(int32_t)));
    TRY(tess_hash_array(hash, plan->block_offset, plan->n_blocks + 1, sizeof(int64_t)));
    const bool coloured = plan->thread_colour && plan->block_colour;
    TRY(tess_hash_array(hash, plan->thread_colour, coloured ? plan->n_executed : 0,
                        sizeof(uint16_t)));
    TRY(tess_hash_array(hash, plan->block_colour, coloured ? plan->n_blocks : 0, sizeof(int32_t)));
    TRY(tess_hash_int(hash, plan->n_sets));
    for (int i = 0; i < plan->n_sets; i++) {
        const tess_plan_set *set = &plan->sets[i];
        TRY(tess_hash_text(hash, set->set));
        TRY(tess_hash_array(hash, set->point_offset, plan->n_blocks + 1, sizeof(int64_t)));
        TRY(tess_hash_array(hash, set->points, set->point_offset[plan->n_blocks], sizeof(int32_t)));
        TRY(tess_hash_array(hash, set->local_index, plan->n_executed * set->n_slots,
                            sizeof(uint16_t)));
    }
    return TESS_OK;
}

/* The set of the renumbering whose name comes next behind `last`; NULL behind all. */
static const tess_permutation *next_renumbered(const tess_plan_content *content, const char *last) {
    const tess_set *sets = content->bound->mesh->sets;
    const tess_permutation *next = NULL;
    for (int i = 0; i < content->renumbering->n_sets; i++) {
        const tess_permutation *set = &content->renumbering->sets[i];
        if (strcmp(sets[set->set].name, last) > 0 &&
            (!next || strcmp(sets[set->set].name, sets[next->set].name) < 0))
            next = set;
    }
    return next;
}

static tess_status hash_renumbering(tess_hash *hash, const tess_plan_content *content) {
    TRY(tess_hash_int(hash, content->renumbering ? content->renumbering->n_sets : 0));
    if (!content->renumbering)
        return TESS_OK;
    const char *name = "";
    const tess_permutation *set = NULL;
    while ((set = next_renumbered(content, name))) {
        name = content->bound->mesh->sets[set->set].name;
        TRY(tess_hash_text(hash, name));
        TRY(tess_hash_array(hash, set->new_to_old, set->size, sizeof(int32_t)));
    }
    return TESS_OK;
}

tess_status tess_digest_of_plan(const tess_plan_content *content, char digest[TESS_DIGEST_SIZE]) {
    tess_status status = TESS_OK;
    tess_hash *hash = NULL;
    char *before = NULL;
    CHECK(tess_text_spelled(TESS_SPELLED_BEFORE, "partitioner", content->partitioner, &before));
    CHECK(tess_hash_new("tesselab plan 1", &hash));
    CHECK(tess_hash_text(hash, content->mesh));
    CHECK(tess_hash_text(hash, before));
    CHECK(tess_hash_text(hash, content->layout == TESS_SOA ? "soa" : "aos"));
    CHECK(hash_loop(hash, content->bound->loop));
    CHECK(hash_partition(hash, content->partition));
    CHECK(hash_plan(hash, content->plan));
    CHECK(hash_renumbering(hash, content));
    CHECK(tess_hash_finish(hash, digest));
done:
    free(before);
    tess_hash_free(hash);
    return status;
}
