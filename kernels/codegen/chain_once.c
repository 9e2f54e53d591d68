/* Elements of a chain that a block computes once: which, and the rows of the block's memory in
 * which what they add lies until points sum it. */
#include "kernels/codegen/chain_writer.h"

#include "core/base/array.h"
#include <string.h>

int64_t tess_chain_row_size(const tess_chain_list *once) {
    return (once->most + 3) / 4 * 4;
}

/* --- which ------------------------------------------------------------------------------------ */

/* What an element's computation spares that is not done once for each of its points, and what it
 * adds, of all loops over the set. */
typedef struct effort {
    bool possible; /* all loops are computed in the same rings */
    double spared; /* flops for each value that is kept */
    int64_t bytes; /* of these values */
    bool opposite;
} effort;

static effort effort_of(const tess_chain_setting *setting, const tess_chain_entries *entries) {
    const tess_chain *chain = setting->chain;
    int64_t flops = 0, values = 0;
    int ring = -1;
    effort of = {.possible = true, .opposite = entries->n_slots == 2};
    for (int k = 0; k < chain->n_loops; k++) {
        const tess_loop *loop = chain->loops[k].loop;
        if (strcmp(loop->set, entries->set) != 0)
            continue;
        of.possible &= ring < 0 || ring == chain->loops[k].ring;
        ring = chain->loops[k].ring;
        flops += setting->kernels[k]->flops;
        for (int a = 0; a < loop->n_args; a++) {
            const tess_arg *arg = &loop->args[a];
            const int64_t n = arg->dim * (arg->slot < 0 ? entries->n_slots : 1);
            if (!arg->map[0] || arg->access != TESS_INC)
                continue;
            of.opposite &= tess_antisymmetry_is_opposite(setting->kernels[k]->antisymmetry);
            values += n;
            of.bytes += n * (int64_t)tess_type_size(arg->type);
        }
    }
    of.spared = (double)(flops * (entries->n_slots - 1)) / (double)values * (of.opposite ? 2 : 1);
    of.bytes /= of.opposite ? 2 : 1;
    return of;
}

/* Flops that are spared for each value that passes through the block's memory, from which on that
 * pays: airfoil's edges spare 18, lulesh's hexes 93, miniaero's faces 68. */
enum { SPARED = 50 };

bool tess_chain_pays_once(const tess_chain_setting *setting, const tess_chain_entries *entries) {
    const effort of = effort_of(setting, entries);
    return of.possible &&
           (setting->elements == TESS_ELEMENTS_AUTO ? of.spared >= SPARED
                                                    : setting->elements == TESS_ELEMENTS_ONCE);
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
        if (!tess_chain_pays_once(setting, &blocks->sets[f]))
            continue;
        const effort of = effort_of(setting, &blocks->sets[f]);
        TRY(add_list(setting, blocks->sets[f].set, out));
        tess_chain_list *once = &out->of[out->n - 1];
        once->opposite = of.opposite;
        const int64_t bytes = tess_chain_row_size(once) * of.bytes;
        if (is_free || bytes <= room)
            room -= bytes;
        else
            tess_chain_list_clear(&out->of[--out->n]);
    }
    return TESS_OK;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* Rows of one stage lie where those of the one before it lay. */
void tess_chain_rows_print(tess_chain_writer *w) {
    int64_t at = w->kept_end, end = at;
    int stage = 0;
    for (const tess_chain_use *use = w->uses; use->arg; use++) {
        const tess_chain_loop *of = &w->chain->loops[use->k];
        const tess_chain_list *once = tess_chain_elements_of(w->setting->lists, of->loop->set);
        if (!once || !use->adds ||
            (use->end == use->first + 1 && tess_chain_row(w, use, use->first) < 0))
            continue;
        at = of->stage > stage ? w->kept_end : at;
        stage = of->stage;
        const int64_t row =
            tess_chain_row_size(once) * (once->opposite ? 1 : use->end - use->first);
        PUT(w, use->words,
            "INLINE @type *%s_rows(const struct block *b, int d, int row) {\n"
            "    return &((@type *)(b->shared + %lld))[d * %lld + row];\n}\n\n",
            use->name, (long long)at, (long long)row);
        at += row * use->arg->dim * use->words->size;
        end = at > end ? at : end;
    }
    w->row_bytes = end - w->kept_end;
    w->kept_end = (end + 15) / 16 * 16;
}
