/* The lists of a chain's blocks: which sets are read, and which elements a block computes once. */
#include "kernels/codegen/chain_writer.h"

#include "core/base/array.h"
#include <string.h>

/* Flops that are spared for each value that passes through the block's memory, from which on it
 * pays to compute an element once: airfoil's edges spare 18, lulesh's hexes 93, miniaero's faces
 * 68. */
enum { SPARED = 50 };

/* What an element adds in all loops over its set. */
typedef struct effort {
    bool once;     /* it is computed once, where there is memory for it */
    bool opposite; /* what its slots add differs by the sign */
    int64_t bytes; /* of the block's memory, then */
} effort;

static effort effort_of(const tess_chain_setting *setting, const tess_chain_entries *entries) {
    const tess_chain *chain = setting->chain;
    int64_t flops = 0, values = 0;
    int ring = -1;
    effort of = {.once = setting->elements != TESS_ELEMENTS_POINTS,
                 .opposite = entries->n_slots == 2};
    for (int k = 0; k < chain->n_loops; k++) {
        const tess_loop *loop = chain->loops[k].loop;
        if (strcmp(loop->set, entries->set) != 0)
            continue;
        of.once &= ring < 0 || ring == chain->loops[k].ring;
        ring = chain->loops[k].ring;
        flops += setting->kernels[k]->flops * (entries->n_slots - 1);
        for (int a = 0; a < loop->n_args; a++) {
            const tess_arg *arg = &loop->args[a];
            const int64_t n = arg->dim * (arg->slot < 0 ? entries->n_slots : 1);
            if (!tess_arg_adds(arg))
                continue;
            of.opposite &= tess_antisymmetry_is_opposite(setting->kernels[k]->antisymmetry);
            values += n;
            of.bytes += n * (int64_t)tess_type_size(arg->type);
        }
    }
    of.bytes /= of.opposite ? 2 : 1;
    values /= of.opposite ? 2 : 1;
    of.once &= setting->elements == TESS_ELEMENTS_ONCE || flops >= SPARED * values;
    return of;
}

bool tess_chain_pays_once(const tess_chain_setting *setting, const tess_chain_entries *entries) {
    return effort_of(setting, entries).once;
}

static tess_status add_list(const tess_chain_setting *setting, const char *set,
                            tess_chain_lists *lists) {
    const tess_mesh *mesh = setting->store->state->mesh;
    const int32_t *order = tess_store_order(setting->store, tess_mesh_find_set(mesh, set));
    return tess_chain_list_build(setting->chain, mesh, setting->blocks, set, order,
                                 &lists->of[lists->n++]);
}

tess_status tess_chain_lists_choose(const tess_chain_setting *setting, int64_t most_shared,
                                    tess_chain_lists *out) {
    const tess_chain *chain = setting->chain;
    const tess_chain_blocks *blocks = setting->blocks;
    const bool is_free =
        setting->elements != TESS_ELEMENTS_AUTO || setting->store->device->one_thread;
    int64_t room = most_shared / 2;
    *out = (tess_chain_lists){.n = 0};
    TRY(TESS_ZEROS(chain->n_dats + blocks->n_sets, &out->of));
    for (int d = 0; d < chain->n_dats && chain->n_rings > 0; d++) {
        const char *set = chain->dats[d].set;
        if (set[0] && strcmp(set, chain->owner) != 0 && !tess_chain_entries_of(blocks, set) &&
            !tess_chain_read_of(out, set))
            TRY(add_list(setting, set, out));
    }
    for (int f = 0; f < blocks->n_sets; f++) {
        const effort of = effort_of(setting, &blocks->sets[f]);
        if (!of.once)
            continue;
        TRY(add_list(setting, blocks->sets[f].set, out));
        tess_chain_list *once = &out->of[out->n - 1];
        once->opposite = of.opposite;
        const int64_t bytes = once->most * of.bytes;
        if (is_free || bytes <= room)
            room -= bytes;
        else
            tess_chain_list_clear(&out->of[--out->n]);
    }
    return TESS_OK;
}
