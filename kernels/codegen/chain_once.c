/* Elements of a chain that a block computes once: which, and the rows of the block's memory in
 * which what they add lies until points sum it. */
#include "kernels/codegen/chain_writer.h"

#include "core/base/array.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tess_chain_once *tess_chain_once_of(const tess_chain_writer *w, const char *set) {
    for (int i = 0; i < w->n_once; i++)
        if (strcmp(w->once[i].list.set, set) == 0)
            return &w->once[i];
    return NULL;
}

int64_t tess_chain_row_size(const tess_chain_once *once) {
    return (once->list.most + 3) / 4 * 4;
}

tess_chain_slots tess_chain_adds(const tess_chain_writer *w, const char *set) {
    const tess_chain *chain = w->setting->chain;
    tess_chain_slots adds;
    if (tess_chain_slots_find(chain, w->mesh, set, chain->owner, TESS_INC, &adds) != TESS_OK)
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
static bool can_be_once(const tess_chain_writer *w, const tess_chain_record *record) {
    const tess_chain *chain = w->setting->chain;
    for (int k = 0; k < chain->n_loops; k++) {
        const tess_loop *loop = chain->loops[k].loop;
        if (strcmp(loop->set, record->set) == 0 &&
            (chain->loops[k].ring != record->ring || adds_twice(w->setting->kernels[k], loop)))
            return false;
    }
    return true;
}

/* What an element's computation spares that is not done once for each of its points, and what it
 * adds, of all loops over the set. */
typedef struct effort {
    const tess_chain_record *record; /* NULL: it cannot be computed once */
    double spared;                   /* flops for each value that is kept */
    int64_t bytes;                   /* of the values of all slots */
    bool opposite;
} effort;

static effort effort_of(const tess_chain_writer *w, const tess_chain_record *record) {
    const tess_chain *chain = w->setting->chain;
    const int n_slots = record->entries->n_slots;
    int64_t flops = 0, values = 0;
    effort of = {.record = can_be_once(w, record) ? record : NULL, .opposite = n_slots == 2};
    for (int k = 0; k < chain->n_loops; k++) {
        const tess_loop *loop = chain->loops[k].loop;
        const tess_kernel *kernel = w->setting->kernels[k];
        bool adds = false;
        if (strcmp(loop->set, record->set) != 0)
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

/* Computes a set's elements once, where their rows have room. */
static tess_status take_once(tess_chain_writer *w, const effort *of, int64_t *bytes) {
    tess_chain_once *once = &w->once[w->n_once++];
    *once = (tess_chain_once){.opposite = of->opposite};
    snprintf(once->rows, sizeof once->rows, "%.40s_rows", of->record->set);
    TRY(tess_chain_once_list(w, of->record, once));
    const int64_t more = tess_chain_row_size(once) * of->bytes;
    *bytes += more;
    if (w->setting->elements != TESS_ELEMENTS_AUTO || w->page->one_thread ||
        *bytes <= w->most_shared / 2)
        return TESS_OK;
    *bytes -= more;
    tess_chain_once_clear(once);
    w->n_once--;
    return TESS_OK;
}

tess_status tess_chain_once_choose(tess_chain_writer *w) {
    tess_status status = TESS_OK;
    const int n_sets = w->setting->blocks->n_sets;
    const tess_chain_elements asked = w->setting->elements;
    effort *efforts = NULL;
    int64_t bytes = 0;
    CHECK(TESS_ZEROS(n_sets, &w->once));
    CHECK(TESS_ZEROS(n_sets, &efforts));
    for (int f = 0; f < n_sets && asked != TESS_ELEMENTS_POINTS; f++)
        efforts[f] = effort_of(w, &w->records[f]);
    for (;;) {
        effort *best = NULL;
        for (int f = 0; f < n_sets; f++)
            if (efforts[f].record && (!best || efforts[f].spared > best->spared))
                best = &efforts[f];
        if (!best || (asked == TESS_ELEMENTS_AUTO && best->spared < SPARED))
            break;
        CHECK(take_once(w, best, &bytes));
        best->record = NULL;
    }
done:
    free(efforts);
    return status;
}

/* --- rows ------------------------------------------------------------------------------------- */

void tess_chain_rows_print(tess_chain_writer *w) {
    const tess_chain *chain = w->setting->chain;
    int64_t at = w->kept_end, end = at;
    for (int k = 0; k < chain->n_loops; k++) {
        const tess_loop *loop = chain->loops[k].loop;
        const tess_chain_once *once = tess_chain_once_of(w, loop->set);
        if (k > 0 && chain->loops[k].stage > chain->loops[k - 1].stage)
            at = w->kept_end;
        for (int a = 0; once && a < loop->n_args; a++) {
            const tess_arg *arg = &loop->args[a];
            if (!adds_to_points(arg) || tess_chain_rows_arg(w->setting->kernels[k], loop, a) != a)
                continue;
            const int64_t row =
                tess_chain_row_size(once) * (once->opposite ? 1 : tess_chain_adds(w, loop->set).n);
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
