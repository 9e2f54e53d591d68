/* A permutation file: what a reordering does to each set, and its blocks. */
#include "experiments/bench/permutation_file.h"

#include "core/base/array.h"
#include "data/array_file.h"
#include "data/given_order.h"
#include <stdlib.h>

/* Arrays in the making, and those of them that are to be freed. */
typedef struct permutation_arrays {
    int n;
    tess_named_array *items;
    int32_t **made; /* [n], NULL: the reordering's */
} permutation_arrays;

static void add(permutation_arrays *arrays, const char *set, const char *what,
                const tess_named_array *array) {
    tess_named_array *added = &arrays->items[arrays->n++];
    *added = *array;
    snprintf(added->name, sizeof added->name, "%s%s", set, what);
}

/* The first block that reaches each point of a target, -1 for none, by the point's new number. */
static tess_status add_owners(const tess_reordering *reordering, int target,
                              permutation_arrays *arrays) {
    const tess_plan_set *set = &reordering->plan->sets[target];
    const int index = reordering->bound->targets[target].set;
    const int64_t n = reordering->bound->mesh->sets[index].size;
    const tess_permutation *permutation = tess_renumbering_of(reordering->renumbering, index);
    int32_t *owner = NULL;
    TRY(TESS_ALLOC(n, &owner));
    arrays->made[arrays->n] = owner;
    for (int64_t i = 0; i < n; i++)
        owner[i] = -1;
    for (int32_t block = reordering->plan->n_blocks - 1; block >= 0; block--)
        for (int64_t i = set->point_offset[block]; i < set->point_offset[block + 1]; i++)
            owner[permutation ? permutation->old_to_new[set->points[i]] : set->points[i]] = block;
    add(arrays, set->set, ".owner", &(tess_named_array){.width = 4, .n = n, .values = owner});
    return TESS_OK;
}

/* The colour of each position, which is the new number of its element. */
static tess_status add_thread_colours(const tess_plan *plan, permutation_arrays *arrays) {
    int32_t *colour = NULL;
    TRY(TESS_ALLOC(plan->n_executed, &colour));
    arrays->made[arrays->n] = colour;
    for (int64_t i = 0; i < plan->n_executed; i++)
        colour[i] = plan->thread_colour[i];
    add(arrays, "", "thread_colour",
        &(tess_named_array){.width = 4, .n = plan->n_executed, .values = colour});
    return TESS_OK;
}

static tess_status add_blocks(const tess_reordering *reordering, permutation_arrays *arrays) {
    const tess_plan *plan = reordering->plan;
    add(arrays, "", "block_offset",
        &(tess_named_array){.width = 8, .n = plan->n_blocks + 1, .values = plan->block_offset});
    add(arrays, "", "block_colour",
        &(tess_named_array){.width = 4, .n = plan->n_blocks, .values = plan->block_colour});
    TRY(add_thread_colours(plan, arrays));
    for (int target = 0; target < plan->n_sets; target++)
        TRY(add_owners(reordering, target, arrays));
    return TESS_OK;
}

tess_status tess_permutation_write(const char *path, const tess_reordering *reordering) {
    tess_status status = TESS_OK;
    const tess_renumbering *renumbering = reordering->renumbering;
    const tess_mesh *mesh = reordering->bound->mesh;
    const int most = renumbering->n_sets + 3 + reordering->plan->n_sets;
    permutation_arrays arrays = {.n = 0};
    CHECK(TESS_ALLOC(most, &arrays.items));
    CHECK(TESS_ZEROS(most, &arrays.made));
    for (int i = 0; i < renumbering->n_sets; i++) {
        const tess_permutation *set = &renumbering->sets[i];
        add(&arrays, mesh->sets[set->set].name, TESS_NEW_TO_OLD,
            &(tess_named_array){.width = 4, .n = set->size, .values = set->new_to_old});
    }
    CHECK(add_blocks(reordering, &arrays));
    CHECK(tess_array_file_write(path, arrays.items, arrays.n));
done:
    for (int i = 0; arrays.made && i < most; i++)
        free(arrays.made[i]);
    free(arrays.made);
    free(arrays.items);
    return status;
}
