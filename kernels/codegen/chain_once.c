/* Elements of a chain that a block computes once: which, and the rows of the block's memory in
 * which what they add lies until points sum it. */
#include "kernels/codegen/chain_writer.h"

#include "core/base/array.h"
#include <stdlib.h>
#include <string.h>

int64_t tess_chain_row_size(const tess_chain_list *once) {
    return (once->most + 3) / 4 * 4;
}

static bool adds_to_points(const tess_arg *arg) {
    return arg->map[0] && arg->access == TESS_INC;
}

int tess_chain_rows_arg(const tess_kernel *kernel, const tess_loop *loop, int a) {
    int first = 0;
    while (!adds_to_points(&loop->args[first]) ||
           !tess_arg_shares_dat(&loop->args[first], &loop->args[a]) ||
           tess_kernel_arg_component(&kernel->args[first], 0) !=
               tess_kernel_arg_component(&kernel->args[a], 0) ||
           loop->args[first].dim != loop->args[a].dim)
        first++;
    return first;
}

/* --- which ------------------------------------------------------------------------------------ */

/* Whether two args of a loop add to the same values through one slot: they have no rows. */
static bool adds_twice(const tess_kernel *kernel, const tess_loop *loop) {
    for (int a = 0; a < loop->n_args; a++)
        for (int b = 0; b < a; b++) {
            const tess_arg *one = &loop->args[a], *other = &loop->args[b];
            if (adds_to_points(one) && adds_to_points(other) && strcmp(one->map, other->map) == 0 &&
                (one->slot == other->slot || one->slot < 0 || other->slot < 0) &&
                tess_chain_rows_arg(kernel, loop, a) == tess_chain_rows_arg(kernel, loop, b))
                return true;
        }
    return false;
}

/* What an element's computation spares that is not done once for each of its points, and what it
 * adds, of all loops over the set: these are computed in the same rings, and rows have what they
 * add.
 */
typedef struct effort {
    const char *set; /* NULL: it cannot be computed once */
    double spared;   /* flops for each value that is kept */
    int64_t bytes;   /* of the values of all slots */
    bool opposite;
} effort;

static effort effort_of(const tess_chain_setting *setting, const tess_chain_entries *entries) {
    const tess_chain *chain = setting->chain;
    const int n_slots = entries->n_slots;
    int64_t flops = 0, values = 0;
    int ring = -1;
    effort of = {.set = entries->set, .opposite = n_slots == 2};
    for (int k = 0; k < chain->n_loops; k++) {
        const tess_loop *loop = chain->loops[k].loop;
        const tess_kernel *kernel = setting->kernels[k];
        bool adds = false;
        if (strcmp(loop->set, entries->set) != 0)
            continue;
        if ((ring >= 0 && ring != chain->loops[k].ring) || adds_twice(kernel, loop))
            of.set = NULL;
        ring = chain->loops[k].ring;
        flops += kernel->flops;
        for (int a = 0; a < loop->n_args; a++) {
            if (!adds_to_points(&loop->args[a]))
                continue;
            adds = true;
            if (tess_chain_rows_arg(kernel, loop, a) != a)
                continue;
            values += loop->args[a].dim;
            of.bytes += loop->args[a].dim * (int64_t)tess_type_size(loop->args[a].type);
        }
        of.opposite &= !adds || tess_antisymmetry_is_opposite(kernel->antisymmetry);
    }
    const int n_rows = of.opposite ? 1 : n_slots;
    of.bytes *= n_rows;
    of.spared = (double)(flops * (n_slots - 1)) / (double)(values * n_rows);
    return of;
}

/* Flops that are spared for each value that passes through the block's memory, from which on that
 * pays: airfoil's edges spare 18, lulesh's hexes 93, miniaero's faces 68. */
enum { SPARED = 50 };

bool tess_chain_pays_once(const tess_chain_setting *setting, const tess_chain_entries *entries) {
    const effort of = effort_of(setting, entries);
    return of.set &&
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

/* Lists the sets whose elements are computed once, those first that spare most, while their rows
 * have room in `most` bytes; 0: there is room. */
static tess_status choose_once(const tess_chain_setting *setting, int64_t most,
                               tess_chain_lists *lists) {
    tess_status status = TESS_OK;
    const int n_sets = setting->blocks->n_sets;
    effort *efforts = NULL, *best;
    int64_t bytes = 0;
    CHECK(TESS_ZEROS(n_sets, &efforts));
    for (int f = 0; f < n_sets; f++)
        if (tess_chain_pays_once(setting, &setting->blocks->sets[f]))
            efforts[f] = effort_of(setting, &setting->blocks->sets[f]);
    for (;; best->set = NULL) {
        best = NULL;
        for (int f = 0; f < n_sets; f++)
            if (efforts[f].set && (!best || efforts[f].spared > best->spared))
                best = &efforts[f];
        if (!best)
            break;
        CHECK(add_list(setting, best->set, lists));
        tess_chain_list *once = &lists->of[lists->n - 1];
        once->opposite = best->opposite;
        bytes += tess_chain_row_size(once) * best->bytes;
        if (most > 0 && bytes > most) {
            bytes -= tess_chain_row_size(once) * best->bytes;
            tess_chain_list_clear(once);
            lists->n--;
        }
    }
done:
    free(efforts);
    return status;
}

tess_status tess_chain_lists_choose(const tess_chain_setting *setting, int64_t most_shared,
                                    tess_chain_lists *out) {
    const tess_chain *chain = setting->chain;
    const bool is_free =
        setting->elements != TESS_ELEMENTS_AUTO || setting->store->device->one_thread;
    *out = (tess_chain_lists){.n = 0};
    TRY(TESS_ZEROS(chain->n_dats + setting->blocks->n_sets, &out->of));
    for (int d = 0; d < chain->n_dats && chain->n_rings > 0; d++) {
        const char *set = chain->dats[d].set;
        if (set[0] && strcmp(set, chain->owner) != 0 &&
            !tess_chain_entries_of(setting->blocks, set) && !tess_chain_read_of(out, set))
            TRY(add_list(setting, set, out));
    }
    return choose_once(setting, is_free ? 0 : most_shared / 2, out);
}

/* --- rows ------------------------------------------------------------------------------------- */

/* Rows of one stage lie where those of the one before it lay. */
void tess_chain_rows_print(tess_chain_writer *w) {
    int64_t at = w->kept_end, end = at;
    int stage = 0;
    for (const tess_chain_use *use = w->uses; use->arg; use++) {
        const tess_chain_loop *of = &w->chain->loops[use->k];
        const tess_chain_list *once = tess_chain_elements_of(w->setting->lists, of->loop->set);
        if (of->stage > stage)
            at = w->kept_end;
        stage = of->stage;
        if (!once || !adds_to_points(use->arg) ||
            tess_chain_rows_arg(w->setting->kernels[use->k], of->loop, use->a) != use->a)
            continue;
        const int n_slots = tess_chain_entries_of(w->setting->blocks, once->set)->n_slots;
        const int64_t row = tess_chain_row_size(once) * (once->opposite ? 1 : n_slots);
        PUT(w, use->words,
            "INLINE @type *rows_%d_%d(const struct block *b, int d, int row) {\n"
            "    return &((@type *)(b->shared + %lld))[d * %lld + row];\n}\n\n",
            use->k, use->a, (long long)at, (long long)row);
        at += row * use->arg->dim * use->words->size;
        end = at > end ? at : end;
    }
    w->row_bytes = end - w->kept_end;
    w->kept_end = (end + 15) / 16 * 16;
}
