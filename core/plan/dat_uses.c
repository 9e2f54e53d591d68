/* The dats that a loop uses, and through which slots of its targets. */
#include "core/plan/dat_uses.h"

#include "core/base/array.h"
#include <stdlib.h>
#include <string.h>

/* The target of an arg, or -1 where it is direct. */
static int target_of_arg(const tess_bound_loop *bound, const tess_arg *arg) {
    if (!arg->map[0])
        return -1;
    int r = 0;
    while (strcmp(bound->mesh->sets[bound->targets[r].set].name, arg->set) != 0)
        r++;
    return r;
}

/* The use that an arg belongs to, added where it is new. */
static tess_status use_of_arg(const tess_bound_loop *bound, const tess_arg *arg,
                              tess_dat_uses *uses, tess_dat_use **out) {
    const int target = target_of_arg(bound, arg);
    for (int u = 0; u < uses->n; u++) {
        *out = &uses->uses[u];
        if ((*out)->target == target && strcmp((*out)->dat, arg->dat) == 0 &&
            strcmp((*out)->set, arg->set) == 0)
            return TESS_OK;
    }
    *out = &uses->uses[uses->n++];
    **out = (tess_dat_use){.target = target, .dim = arg->dim};
    (*out)->value_bytes = (int)tess_type_size(arg->type);
    memcpy((*out)->dat, arg->dat, sizeof arg->dat);
    memcpy((*out)->set, arg->set, sizeof arg->set);
    if (target < 0)
        return TESS_OK;
    const int n_slots = bound->targets[target].n_slots;
    TRY(TESS_ZEROS(2 * n_slots, &(*out)->slots));
    (*out)->read_slots = (*out)->slots + n_slots;
    return TESS_OK;
}

/* Marks the slots of the target that the arg goes through. */
static void mark_slots(const tess_bound_loop *bound, const tess_arg *arg, bool is_read,
                       tess_dat_use *use) {
    const tess_loop_target *target = &bound->targets[use->target];
    const tess_map *map = tess_mesh_find_map(bound->mesh, arg->map);
    for (int s = 0; s < target->n_slots; s++)
        for (int slot = 0; slot < map->arity; slot++)
            if (target->slot_index[s] == map->index + slot && tess_arg_has_slot(arg, slot)) {
                use->slots[s] = true;
                use->read_slots[s] |= is_read;
            }
}

tess_status tess_dat_uses_build(const tess_bound_loop *bound, tess_dat_uses *uses) {
    const tess_loop *loop = bound->loop;
    uses->n = 0;
    TRY(TESS_ZEROS(loop->n_args, &uses->uses));
    for (int a = 0; a < loop->n_args; a++) {
        const tess_arg *arg = &loop->args[a];
        if (!arg->map[0] && strcmp(arg->set, loop->set) != 0)
            continue; /* a constant or a reduction: no dat on a set */
        tess_dat_use *use = NULL;
        TRY(use_of_arg(bound, arg, uses, &use));
        const bool is_read = arg->access == TESS_READ || arg->access == TESS_RW;
        use->is_read |= is_read;
        use->is_added_to |= arg->access == TESS_INC;
        use->is_written |= arg->access != TESS_READ;
        if (use->target >= 0)
            mark_slots(bound, arg, is_read, use);
    }
    return TESS_OK;
}

void tess_dat_uses_free(tess_dat_uses *uses) {
    for (int u = 0; u < uses->n; u++)
        free(uses->uses[u].slots);
    free(uses->uses);
}
