/* Elements of a chain that a block computes once: which, and the rows of the block's memory in
 * which what they add lies until points sum it. */
#include "kernels/codegen/chain_page.h"
#include "kernels/codegen/chain_writer.h"

#include "core/base/array.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t tess_chain_row_size(const tess_chain_list *once) {
    return (once->most + 3) / 4 * 4;
}

tess_chain_slots tess_chain_adds(const tess_chain_setting *setting, const char *set) {
    tess_chain_slots adds;
    if (tess_chain_slots_find(setting->chain, setting->store->state->mesh, set,
                              setting->chain->owner, TESS_INC, &adds) != TESS_OK)
        adds.n = 0;
    return adds;
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

/* Whether all loops over the set are computed in the same rings, and rows have what they add. */
static bool can_be_once(const tess_chain_setting *setting, const char *set) {
    const tess_chain *chain = setting->chain;
    int ring = -1;
    for (int k = 0; k < chain->n_loops; k++) {
        const tess_loop *loop = chain->loops[k].loop;
        if (strcmp(loop->set, set) != 0)
            continue;
        if ((ring >= 0 && chain->loops[k].ring != ring) || adds_twice(setting->kernels[k], loop))
            return false;
        ring = chain->loops[k].ring;
    }
    return true;
}

/* What an element's computation spares that is not done once for each of its points, and what it
 * adds, of all loops over the set. */
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
    effort of = {.set = can_be_once(setting, entries->set) ? entries->set : NULL,
                 .opposite = n_slots == 2};
    for (int k = 0; k < chain->n_loops; k++) {
        const tess_loop *loop = chain->loops[k].loop;
        const tess_kernel *kernel = setting->kernels[k];
        bool adds = false;
        if (strcmp(loop->set, entries->set) != 0)
            continue;
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

/* Computes a set's elements once, where their rows have room in `most` bytes; 0: there is room. */
static tess_status take_once(const tess_chain_setting *setting, const effort *of, int64_t most,
                             tess_chain_lists *lists, int64_t *bytes) {
    TRY(add_list(setting, of->set, lists));
    tess_chain_list *once = &lists->of[lists->n - 1];
    const int64_t more = tess_chain_row_size(once) * of->bytes;
    once->opposite = of->opposite;
    if (most > 0 && *bytes + more > most) {
        tess_chain_list_clear(once);
        lists->n--;
        return TESS_OK;
    }
    *bytes += more;
    return TESS_OK;
}

static tess_status choose_once(const tess_chain_setting *setting, int64_t most,
                               tess_chain_lists *lists) {
    tess_status status = TESS_OK;
    const int n_sets = setting->blocks->n_sets;
    const tess_chain_elements asked = setting->elements;
    effort *efforts = NULL;
    int64_t bytes = 0;
    CHECK(TESS_ZEROS(n_sets, &efforts));
    for (int f = 0; f < n_sets && asked != TESS_ELEMENTS_POINTS; f++)
        efforts[f] = effort_of(setting, &setting->blocks->sets[f]);
    for (;;) {
        effort *best = NULL;
        for (int f = 0; f < n_sets; f++)
            if (efforts[f].set && (!best || efforts[f].spared > best->spared))
                best = &efforts[f];
        if (!best || (asked == TESS_ELEMENTS_AUTO && best->spared < SPARED))
            break;
        CHECK(take_once(setting, best, most, lists, &bytes));
        best->set = NULL;
    }
done:
    free(efforts);
    return status;
}

/* Whether a set is neither the owner nor gathered. */
static bool is_only_read(const tess_chain_setting *setting, const char *set) {
    return set[0] && strcmp(set, setting->chain->owner) != 0 &&
           !tess_chain_entries_of(setting->blocks, set);
}

tess_status tess_chain_lists_choose(const tess_chain_setting *setting, int64_t most_shared,
                                    tess_chain_lists *out) {
    const tess_chain *chain = setting->chain;
    const bool is_free =
        setting->elements != TESS_ELEMENTS_AUTO || setting->store->device->one_thread;
    *out = (tess_chain_lists){.n = 0};
    TRY(TESS_ZEROS(chain->n_dats + setting->blocks->n_sets, &out->of));
    for (int d = 0; d < chain->n_dats && chain->n_rings > 0; d++)
        if (is_only_read(setting, chain->dats[d].set) &&
            !tess_chain_read_of(out, chain->dats[d].set))
            TRY(add_list(setting, chain->dats[d].set, out));
    return choose_once(setting, is_free ? 0 : most_shared / 2, out);
}

/* --- rows ------------------------------------------------------------------------------------- */

void tess_chain_rows_print(tess_chain_writer *w) {
    const tess_chain *chain = w->setting->chain;
    int64_t at = w->kept_end, end = at;
    for (int k = 0; k < chain->n_loops; k++) {
        const tess_loop *loop = chain->loops[k].loop;
        const tess_chain_list *once = tess_chain_elements_of(w->setting->lists, loop->set);
        if (k > 0 && chain->loops[k].stage > chain->loops[k - 1].stage)
            at = w->kept_end;
        for (int a = 0; once && a < loop->n_args; a++) {
            const tess_arg *arg = &loop->args[a];
            if (!adds_to_points(arg) || tess_chain_rows_arg(w->setting->kernels[k], loop, a) != a)
                continue;
            const int64_t row = tess_chain_row_size(once) *
                                (once->opposite ? 1 : tess_chain_adds(w->setting, loop->set).n);
            const tess_page_dat *words = &w->dats[tess_chain_dat_number(w, arg)];
            tess_page_code(w->page, words,
                           "INLINE @type *rows_%d_%d(const struct block *b, int d, int row) {\n"
                           "    return &((@type *)(b->shared + %lld))[d * %lld + row];\n}\n\n",
                           k, a, (long long)at, (long long)row);
            at += row * arg->dim * words->size;
            end = at > end ? at : end;
        }
    }
    w->row_bytes = end - w->kept_end;
    w->kept_end = (end + 15) / 16 * 16;
}
