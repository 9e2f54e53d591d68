/* The loops of a chain, as its text runs them: at a point, or of the elements that it gathers. */
#include "kernels/codegen/chain_printed.h"

#include <stdio.h>
#include <string.h>

tess_status tess_print_direct(tess_chain_writer *w, int k) {
    const tess_printed l = tess_printed_loop(w, k);
    bool reaches = false;
    for (int a = 0; a < l.loop->n_args; a++)
        reaches |= l.loop->args[a].map[0] != 0;
    tess_page_code(
        w->page, NULL,
        "/* %s at a point. */\n"
        "INLINE void loop_%d(const struct params *p, const struct block *b, struct point "
        "*v,\n                   struct sums *s) {\n",
        l.loop->name, k);
    if (reaches)
        tess_page_code(w->page, NULL, "    const struct %s_entry e = %s_entry_at(p, b, v->k, 0);\n",
                       l.loop->set, l.loop->set);
    TRY(tess_print_call(&l));
    tess_page_code(w->page, NULL, "    (void)p, (void)b, (void)s;\n}\n\n");
    return TESS_OK;
}

/* --- groups ----------------------------------------------------------------------------------- */

int tess_chain_group(const tess_chain *chain, int k) {
    while (k > 0 && tess_chain_goes_on(chain, k - 1))
        k--;
    return k;
}

int tess_chain_group_end(const tess_chain *chain, int k) {
    while (tess_chain_goes_on(chain, k))
        k++;
    return k + 1;
}

int tess_chain_group_ring(const tess_chain *chain, int k) {
    int ring = 0;
    for (const int end = tess_chain_group_end(chain, k); k < end; k++)
        ring = chain->loops[k].ring > ring ? chain->loops[k].ring : ring;
    return ring;
}

/* --- elements --------------------------------------------------------------------------------- */

static const tess_arg *first_of_dat(const tess_chain *chain, int begin, int k, int a) {
    const tess_arg *arg = &chain->loops[k].loop->args[a];
    for (int i = begin; i <= k; i++)
        for (int c = 0; c < (i < k ? chain->loops[i].loop->n_args : a); c++)
            if (tess_arg_shares_dat(&chain->loops[i].loop->args[c], arg))
                return &chain->loops[i].loop->args[c];
    return arg;
}

/* The rows of elements' own values that a group of loops has: declared once, read where the first
 * loop that has one uses it, or writes only a part of it. */
static void print_rows(tess_chain_writer *w, int begin, int end) {
    for (int k = begin; k < end; k++) {
        const tess_printed l = tess_printed_loop(w, k);
        for (int a = 0; a < l.loop->n_args; a++) {
            const tess_arg *arg = &l.loop->args[a];
            if (arg->map[0] || !arg->set[0] || first_of_dat(l.chain, begin, k, a) != arg)
                continue;
            tess_page_code(w->page, tess_printed_words(&l, arg),
                           "    @type of_@dat[@dim] UNSET;\n");
            if (arg->access == TESS_WRITE && !arg->is_part)
                continue;
            const tess_page_dat *words = tess_printed_words(&l, arg);
            char to[2 * TESS_NAME_SIZE + 8];
            snprintf(to, sizeof to, "of_%s", words->symbol);
            tess_page_code(w->page, NULL, "    ");
            tess_print_fetch(w, (int)(words - w->dats), (int[]){0, words->dim}, to, "element");
        }
    }
}

/* Whether a loop of the chain from `k` on writes the dat. */
static bool is_written_from(const tess_chain *chain, int k, const tess_arg *arg) {
    for (; k < chain->n_loops; k++)
        for (int a = 0; a < chain->loops[k].loop->n_args; a++)
            if (chain->loops[k].loop->args[a].access != TESS_READ &&
                tess_arg_shares_dat(&chain->loops[k].loop->args[a], arg))
                return true;
    return false;
}

/* What is stored of elements, by the point that owns them. */
static void print_store_rows(tess_chain_writer *w, int begin, int end, bool once) {
    for (int k = begin; k < end; k++) {
        const tess_printed l = tess_printed_loop(w, k);
        for (int a = 0; a < l.loop->n_args; a++) {
            const tess_arg *arg = &l.loop->args[a];
            const tess_chain_dat *dat = tess_chain_dat_of(l.chain, arg);
            if (arg->map[0] || !arg->set[0] || arg->access == TESS_READ || !dat->stored ||
                is_written_from(l.chain, k + 1, arg))
                continue;
            tess_page_code(w->page, NULL, "    if (owns%s)\n            ",
                           once ? "" : " && v->k < b->n[0]");
            tess_print_store(w, tess_chain_dat_number(w, arg), "element", "of_");
        }
    }
}

/* What a group does with an entry, or with an element that the block computes once. */
static tess_status print_entry(tess_chain_writer *w, int begin, int end) {
    const tess_printed first = tess_printed_loop(w, begin);
    const tess_page_dat set = {.set = first.loop->set};
    if (first.once)
        tess_page_code(w->page, &set,
                       "INLINE void element_%d(const struct params *p, const struct block *b, "
                       "struct sums *s,\n                      int k, struct @set_entry e) {\n",
                       begin);
    else
        tess_page_code(w->page, &set,
                       "INLINE void entry_%d(const struct params *p, const struct block *b, struct "
                       "point *v,\n                    struct sums *s, struct @set_entry e) {\n",
                       begin);
    if (first.record->marked)
        tess_page_code(w->page, &set,
                       "    const int mark = @set_mark(e), slot = mark & %d, owns = mark >> 7;\n",
                       TESS_ENTRY_OWNS - 1);
    if (first.record->has_element)
        tess_page_code(w->page, &set,
                       "    const int element = @set_element(e);\n    (void)element;\n");
    print_rows(w, begin, end);
    for (int k = begin; k < end; k++) {
        const tess_printed l = tess_printed_loop(w, k);
        const bool fewer = l.chain->loops[k].ring < tess_chain_group_ring(l.chain, begin);
        if (fewer)
            tess_page_code(w->page, NULL, "    if (v->k < b->n[%d]) {\n", l.chain->loops[k].ring);
        TRY(tess_print_call(&l));
        tess_page_code(w->page, NULL, fewer ? "    }\n" : "");
    }
    print_store_rows(w, begin, end, first.once);
    if (first.record->marked)
        tess_page_code(w->page, NULL, "    (void)slot, (void)owns;\n");
    tess_page_code(w->page, NULL, "    (void)p, (void)b, (void)s, (void)e;\n}\n\n");
    return TESS_OK;
}

/* The slots through which a loop adds to the values that an arg adds to, as bits. */
static uint64_t slots_of_rows(const tess_printed *l, int rows) {
    uint64_t slots = 0;
    for (int a = 0; a < l->loop->n_args; a++) {
        const tess_arg *arg = &l->loop->args[a];
        int first, end;
        const tess_map *map = tess_printed_map(l, arg, &first, &end);
        for (int s = first; map && arg->access == TESS_INC && s < end; s++)
            if (tess_chain_rows_arg(l->kernel, l->loop, a) == rows)
                slots |= (uint64_t)1 << tess_printed_adds(l, map, s);
    }
    return slots;
}

/* What a point takes of the rows that a loop fills. */
static void print_take_rows(const tess_printed *l, uint64_t all) {
    const tess_chain_list *once = l->record->once;
    const char *minus = once->opposite ? "minus ? -x : " : "";
    for (int a = 0; a < l->loop->n_args; a++) {
        const tess_arg *arg = &l->loop->args[a];
        if (!arg->map[0] || arg->access != TESS_INC ||
            tess_chain_rows_arg(l->kernel, l->loop, a) != a)
            continue;
        const uint64_t slots = slots_of_rows(l, a);
        if (!once->opposite && slots != all)
            tess_page_code(l->w->page, NULL, "    if (0x%llxull >> row / %lld & 1)\n    ",
                           (unsigned long long)slots, (long long)tess_chain_row_size(once));
        tess_page_code(l->w->page, tess_printed_words(l, arg),
                       "    UNROLL for (int d = 0; d < %d; d++) {\n"
                       "        const @type x = load(rows_%d_%d(b, d, row));\n"
                       "        v->@dat[%d + d] += %sx;\n    }\n",
                       arg->dim, l->k, a, tess_kernel_arg_component(&l->kernel->args[a], 0), minus);
    }
}

/* What a point takes of an element that the block computed once, by its row. */
static void print_take_row(tess_chain_writer *w, int begin, int end) {
    const tess_printed first = tess_printed_loop(w, begin);
    const tess_chain_record *record = tess_chain_rows_of(w, first.record->once);
    const uint32_t minus = tess_chain_minus(&record->fields[0]);
    const int n_slots = tess_chain_adds(w->setting, first.loop->set).n;
    tess_page_code(w->page, NULL,
                   "INLINE void take_%d(const struct block *b, struct point *v, int %s) {\n", begin,
                   first.record->once->opposite ? "of" : "row");
    if (first.record->once->opposite)
        tess_page_code(w->page, NULL, "    const int minus = of & %u, row = of & %u;\n", minus,
                       minus - 1);
    for (int k = begin; k < end; k++) {
        const tess_printed l = tess_printed_loop(w, k);
        print_take_rows(&l, n_slots < 64 ? ((uint64_t)1 << n_slots) - 1 : ~(uint64_t)0);
    }
    tess_page_code(w->page, NULL, "    (void)b, (void)v, (void)row;\n}\n\n");
}

/* What a point takes of all its elements' rows, which one record names. */
static void print_together(tess_chain_writer *w, int begin, const tess_chain_record *record) {
    const tess_page_dat set = {.set = record->set};
    const char *none = record->fields[0].local ? "0xffff" : "-1";
    tess_page_code(w->page, &set,
                   "    const struct @set_entry e = @set_entry_at(p, b, v->k, 0);\n"
                   "    const int row[%d] = {",
                   record->together);
    for (int r = 0; r < record->together; r++)
        tess_page_code(w->page, NULL, "%s%s(e)", r > 0 ? ", " : "", record->fields[r].name);
    tess_page_code(w->page, NULL,
                   "};\n    int whole = 1;\n"
                   "    UNROLL for (int round = 0; round < %d; round++)\n"
                   "        whole &= row[round] != %s;\n"
                   "    UNROLL for (int round = 0; round < %d && whole; round++) {\n"
                   "        TURN(round);\n"
                   "        take_%d(b, v, row[round]);\n    }\n"
                   "    UNROLL for (int round = 0; round < %d && !whole; round++) {\n"
                   "        TURN(round);\n"
                   "        if (row[round] != %s)\n"
                   "            take_%d(b, v, row[round]);\n    }\n"
                   "    (void)p, (void)s;\n",
                   record->together, none, record->together, begin, record->together, none, begin);
}

/* Entries that are computed in one go where a point has them all. */
enum { MOST_AT_ONCE = 4 };

/* The loop over a point's entries. Where all points may have as many, and this one has, no entry
 * waits for what is read of another, and the compiler computes once what all need of the point. */
static void print_rounds(tess_chain_writer *w, int begin, const tess_chain_record *record) {
    const tess_page_dat set = {.set = record->set, .dim = record->rounds};
    const bool whole = record->rounds > 1 && record->rounds <= MOST_AT_ONCE && !record->once;
    if (whole)
        tess_page_code(w->page, &set,
                       "    struct @set_entry all[@dim];\n"
                       "    int whole = 1;\n"
                       "    UNROLL for (int round = 0; round < @dim; round++) {\n"
                       "        all[round] = @set_entry_at(p, b, v->k, round);\n"
                       "        whole &= !@set_none(all[round]);\n"
                       "    }\n"
                       "    if (whole) {\n"
                       "        UNROLL for (int round = 0; round < @dim; round++) {\n"
                       "            TURN(round);\n"
                       "            entry_%d(p, b, v, s, all[round]);\n"
                       "        }\n"
                       "        TURN(0);\n"
                       "        return;\n"
                       "    }\n",
                       begin);
    tess_page_code(w->page, &set,
                   "    const int n = @set_rounds(p, b, v->k);\n"
                   "    %sTURNS(round, 0, n, 1) {\n"
                   "        const struct @set_entry e = @set_entry_at(p, b, v->k, round);\n"
                   "        if (@set_none(e))\n"
                   "            continue;\n"
                   "        TURN(round);\n",
                   whole ? "ONE_BY_ONE " : "");
    if (record->once)
        tess_page_code(w->page, &set, "        take_%d(b, v, %s(e));\n    }\n    (void)s;\n", begin,
                       record->fields[0].name);
    else
        tess_page_code(w->page, &set, "        entry_%d(p, b, v, s, e);\n    }\n", begin);
}

/* A group of loops over one set: each element of the point goes through all of them; or each of the
 * block does, and the point sums what they add. */
tess_status tess_print_group(tess_chain_writer *w, int begin, int end) {
    const tess_printed first = tess_printed_loop(w, begin);
    const tess_chain_record *record =
        first.once ? tess_chain_rows_of(w, first.record->once) : first.record;
    tess_page_code(w->page, NULL, "/* One of the %s of a %s:", first.loop->set,
                   first.once ? "block" : "point");
    for (int k = begin; k < end; k++)
        tess_page_code(w->page, NULL, " %s", first.chain->loops[k].loop->name);
    tess_page_code(w->page, NULL, ". */\n");
    TRY(print_entry(w, begin, end));
    if (first.once)
        print_take_row(w, begin, end);
    tess_page_code(
        w->page, NULL,
        "/* All of a point. */\n"
        "INLINE void loop_%d(const struct params *p, const struct block *b, struct point "
        "*v,\n                   struct sums *s) {\n",
        begin);
    if (record->together)
        print_together(w, begin, record);
    else
        print_rounds(w, begin, record);
    tess_page_code(w->page, NULL, "    TURN(0);\n}\n\n");
    return TESS_OK;
}

/* What a block computes once for a stage, before its points sum it. */
bool tess_print_elements(tess_chain_writer *w, int stage) {
    const tess_chain *chain = w->setting->chain;
    bool any = false;
    tess_page_code(w->page, NULL,
                   "INLINE void elements_%d(const struct params *p, const struct block *b, struct "
                   "sums *s) {\n",
                   stage);
    for (int k = 0; k < chain->n_loops; k++) {
        const tess_printed l = tess_printed_loop(w, k);
        const tess_page_dat set = {.set = l.loop->set};
        if (chain->loops[k].stage != stage || !l.once || tess_chain_group(chain, k) != k)
            continue;
        any = true;
        tess_page_code(w->page, &set,
                       "    struct @set_entry next_%d UNSET; /* fetched while one is computed */\n"
                       "    if (thread_index() < b->n_@set)\n"
                       "        next_%d = @set_entry_at(p, b, thread_index(), 0);\n"
                       "    TURNS(k, thread_index(), b->n_@set, THREADS) {\n"
                       "        const struct @set_entry e = next_%d;\n"
                       "        if (k + THREADS < b->n_@set)\n"
                       "            next_%d = @set_entry_at(p, b, k + THREADS, 0);\n"
                       "        element_%d(p, b, s, k, e);\n    }\n",
                       k, k, k, k, k);
    }
    tess_page_code(w->page, NULL, "%s    (void)p, (void)b, (void)s;\n}\n\n",
                   any ? "    barrier();\n" : "");
    return any;
}
