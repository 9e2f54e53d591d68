/* The loops of a chain, as its text runs them: at a point, or of the elements that it gathers. */
#include "kernels/codegen/chain_writer.h"

#include <stdio.h>
#include <string.h>

/* --- values ----------------------------------------------------------------------------------- */

/* Values that 16 bytes hold, of rows of `row` values; 1 where these are no values of a whole row.
 */
static int run_of(const tess_page_dat *dat, int row, int first, int n) {
    const int run = 16 / dat->size;
    const bool whole = row % run == 0 && first % run == 0 && n % run == 0;
    return whole && strcmp(dat->type, "int") != 0 ? run : 1;
}

int tess_chain_kept_run(const tess_page_dat *dat) {
    return run_of(dat, dat->dim, 0, dat->dim);
}

/* A dat that the chain changes in place may have other values than before it. */
void tess_print_move(tess_chain_writer *w, int d, tess_move way, const int first_n[2],
                     const char *here, const char *at) {
    const tess_page_dat *dat = &w->dats[d];
    const tess_chain_dat *of = &w->chain->dats[d];
    const bool kept = way == TESS_LOAD_KEPT || way == TESS_STORE_KEPT;
    const int first = first_n[0], n = first_n[1];
    const int run = run_of(dat, kept ? dat->dim : dat->aos ? dat->row : 1, first, n);
    const char *word = way == TESS_FETCH && (!of->stored || of->two_buffers) ? "fetch" : "load";
    char there[256];
    if (way == TESS_LOAD_KEPT)
        snprintf(there, sizeof there, "since(@dat_kept_%d(b, %s, %d + d), %d, \"@dat\")",
                 w->now[d].version, at, first, w->now[d].since);
    else if (kept)
        snprintf(there, sizeof there, "@dat_kept_%d(b, %s, %d + d)", w->now[d].version, at, first);
    else
        snprintf(there, sizeof there, "&p->@dat%s[@dat_at(%s, %d + d)]",
                 way == TESS_STORE && of->two_buffers ? "_next" : "", at, first);
    PUT(w, dat, "    UNROLL for (int d = 0; d < %d; d += %d)\n            ", n, run);
    if ((way == TESS_STORE || way == TESS_STORE_KEPT) && run > 1)
        PUT(w, dat, "store_run(%s, %s + d, %d);\n", there, here, run);
    else if (way == TESS_STORE || way == TESS_STORE_KEPT)
        PUT(w, dat, "store(%s, (%s)[d]);\n", there, here);
    else if (run > 1)
        PUT(w, dat, "%s_run(%s + d, %s, %d);\n", word, here, there, run);
    else
        PUT(w, dat, "(%s)[d] = %s(%s);\n", here, word, there);
}

void tess_print_keep(tess_chain_writer *w, int d) {
    const tess_page_dat *dat = &w->dats[d];
    const int run = tess_chain_kept_run(dat);
    const bool wide = run > 1 && dat->aos && dat->row % run == 0;
    const char *type = wide ? "struct piece" : dat->type;
    PUT(w, dat,
        "    UNROLL for (int d = 0; d < @dim; d += %d)\n"
        "        async_copy((%s *)@dat_kept_0(b, k, d), (const %s *)&p->@dat[@dat_at(i, d)]);\n",
        wide ? run : 1, type, type);
}

/* --- args ------------------------------------------------------------------------------------- */

/* Which of the slots by which elements of a set add to the owner a slot is; -1: none. */
static int adding_slot(const tess_chain_writer *w, const tess_map *map, int slot) {
    tess_chain_slots adds;
    if (tess_chain_slots_find(w->chain, w->mesh, w->mesh->sets[map->from].name, w->chain->owner,
                              TESS_INC, &adds) != TESS_OK)
        return -1;
    int s = adds.n - 1;
    while (s >= 0 && (adds.map[s] != map || adds.slot[s] != slot))
        s--;
    return s;
}

static const tess_chain_record *record_at(const tess_chain_writer *w, int k) {
    return tess_chain_record_of(w, w->chain->loops[k].loop->set);
}

const tess_chain_use *tess_chain_uses(const tess_chain_writer *w, int k) {
    const tess_chain_use *use = w->uses;
    while (use->k < k)
        use++;
    return use;
}

bool tess_chain_is_own(const tess_chain_writer *w, const tess_chain_use *use, int slot) {
    return w->chain->loops[use->k].gathered && record_at(w, use->k)->own_first &&
           adding_slot(w, use->map, slot) == 0;
}

/* Which of its arg's rows has what an element adds through a slot; -1: none, where one row is for
 * both slots. */
static int row_of(const tess_chain_writer *w, const tess_chain_use *use, int slot) {
    const tess_chain_record *record = record_at(w, use->k);
    const int adds = adding_slot(w, use->map, slot);
    if (record->once->opposite && adds > 0)
        return -1;
    return use->end - use->first == record->rows_of->entries->n_slots ? adds : slot - use->first;
}

/* Rows of one stage lie where those of the one before it lay. */
void tess_chain_rows_print(tess_chain_writer *w) {
    int64_t at = w->kept_end, end = at;
    int stage = 0;
    for (const tess_chain_use *use = w->uses; use->arg; use++) {
        const tess_chain_loop *of = &w->chain->loops[use->k];
        const tess_chain_list *once = tess_chain_elements_of(w->setting->lists, of->loop->set);
        if (!once || !use->adds || (use->end == use->first + 1 && row_of(w, use, use->first) < 0))
            continue;
        at = of->stage > stage ? w->kept_end : at;
        stage = of->stage;
        const int64_t row = once->most * (once->opposite ? 1 : use->end - use->first);
        PUT(w, use->words,
            "INLINE @type *%s_rows(const struct block *b, int d, int row) {\n"
            "    return &((@type *)(b->shared + %lld))[d * %lld + row];\n}\n\n",
            use->name, (long long)at, (long long)row);
        at += row * use->arg->dim * use->words->size;
        end = at > end ? at : end;
    }
    w->kept_end = (end + 15) / 16 * 16;
}

/* Values of one slot, of a point that is not the gathering one, or where that is not known. */
static void print_read_slot(tess_chain_writer *w, const tess_chain_use *use, int slot) {
    const int dim = use->arg->dim;
    const tess_chain_field *field = tess_chain_field_of(record_at(w, use->k), use->map, slot);
    const bool local = field->bits == 16;
    char to[64];
    snprintf(to, sizeof to, "%s + %d", use->name, (slot - use->first) * dim);
    if (use->is_owned && tess_chain_is_own(w, use, slot)) {
        PUT(w, use->words, "    EACH(%d)\n        (%s)[d] = v->@dat[%d + d];\n", dim, to,
            use->component);
        return;
    }
    PUT(w, NULL, "    {\n        const int i = %s;\n", field->value);
    if (use->map->padded)
        PUT(w, NULL, "        EACH(%d)\n            (%s)[d] = 0;\n        if (i != %s)\n    ", dim,
            to, local ? "0xffff" : "-1");
    tess_print_move(w, use->d, local ? TESS_LOAD_KEPT : TESS_FETCH, (int[]){use->component, dim},
                    to, "i");
    PUT(w, NULL, "    }\n");
}

/* Declares an arg's array and fills it, where it is the loop's. */
static void print_fill(tess_chain_writer *w, const tess_chain_use *use) {
    const int n = (use->end - use->first) * use->arg->dim;
    const bool adds = use->arg->access == TESS_INC;
    if (use->is_row)
        return;
    PUT(w, use->words, "    @type %s[%d] UNSET;\n", use->name, n);
    if (adds || !use->map)
        PUT(w, use->words, "    EACH(%d)\n        %s[d] = %s;\n", n, use->name,
            adds ? TESS_SUMS_BEGIN : "fetch(&p->@dat[d])");
    for (int s = use->first; use->map && use->arg->access == TESS_READ && s < use->end; s++)
        print_read_slot(w, use, s);
}

/* What an arg adds to a global sum, to the point itself, or slot after slot to the gathering point
 * or to rows of the block's memory. */
static void print_take(tess_chain_writer *w, const tess_chain_use *use) {
    const tess_chain_record *record = record_at(w, use->k);
    const tess_chain_list *once = record->once;
    const int dim = use->arg->dim;
    if (!use->arg->set[0])
        PUT(w, use->words, "    if (owns)\n        EACH(%d)\n            s->@dat[d] += %s[d];\n",
            dim, use->name);
    for (int s = use->first; use->adds && s < use->end; s++) {
        const int adds = adding_slot(w, use->map, s);
        const int from = (s - use->first) * dim, row = once ? row_of(w, use, s) : -1;
        if (row >= 0)
            PUT(w, NULL, "    EACH(%d)\n        store(%s_rows(b, d, %lld + k), %s[%d + d]);\n", dim,
                use->name, (long long)(row * once->most), use->name, from);
        if (once || (adds != 0 && record->own_first))
            continue;
        if (!record->own_first)
            PUT(w, NULL, "    if (slot == %d)\n    ", adds);
        PUT(w, use->words, "    EACH(%d)\n        v->@dat[%d + d] += %s[%d + d];\n", dim,
            use->component, use->name, from);
    }
}

/* A loop's args, the call, and what it adds. */
static void print_call(tess_chain_writer *w, int k) {
    const tess_chain_use *first = tess_chain_uses(w, k), *use;
    for (use = first; use->k == k; use++)
        print_fill(w, use);
    PUT(w, NULL, "    %s(", tess_kernel_function(w->setting->kernels[k]));
    for (use = first; use->k == k; use++) {
        PUT(w, NULL, use->a > 0 ? ", " : "");
        if (!use->is_row)
            PUT(w, NULL, "%s", use->name);
        else
            PUT(w, use->words, use->is_owned ? "v->@dat + %d" : "of_@dat + %d", use->component);
    }
    PUT(w, NULL, ");\n");
    for (use = first; use->k == k; use++)
        if (use->arg->access == TESS_INC)
            print_take(w, use);
}

/* --- elements --------------------------------------------------------------------------------- */

int tess_chain_group_end(const tess_chain *chain, int k) {
    while (tess_chain_goes_on(chain, k))
        k++;
    return k + 1;
}

int tess_chain_most_ring(const tess_chain *chain, int begin, int end) {
    int ring = 0;
    for (int k = begin; k < end; k++)
        ring = chain->loops[k].ring > ring ? chain->loops[k].ring : ring;
    return ring;
}

/* The rows of elements' own values that a group of loops has: declared once, read where the first
 * loop that has one uses it, or writes only a part of it. */
static void print_rows(tess_chain_writer *w, int begin, int end) {
    const tess_chain_use *all = tess_chain_uses(w, begin);
    for (const tess_chain_use *use = all; use->k < end; use++) {
        const tess_chain_use *first = all;
        while (first->d != use->d)
            first++;
        if (!use->is_row || first != use)
            continue;
        PUT(w, use->words, "    @type of_@dat[@dim] UNSET;\n");
        if (use->arg->access != TESS_WRITE || use->arg->is_part)
            tess_print_move(w, use->d, TESS_FETCH, (int[]){0, use->words->dim}, "of_@dat",
                            "element");
    }
}

/* What is stored of elements, by the point that owns them, when the last loop has written it. */
static void print_store_rows(tess_chain_writer *w, int begin, int end) {
    for (const tess_chain_use *use = tess_chain_uses(w, begin); use->k < end; use++) {
        const tess_chain_use *later = tess_chain_uses(w, use->k + 1);
        while (later->arg && (later->d != use->d || later->arg->access == TESS_READ))
            later++;
        if (use->map || !use->arg->set[0] || use->arg->access == TESS_READ ||
            !w->chain->dats[use->d].stored || later->arg)
            continue;
        PUT(w, NULL, "    if (owns)\n    ");
        tess_print_move(w, use->d, TESS_STORE, (int[]){0, use->words->dim}, "of_@dat", "element");
    }
}

/* What a group does with an entry, or with an element that the block computes once. */
static void print_entry(tess_chain_writer *w, int begin, int end) {
    const tess_chain_record *record = record_at(w, begin);
    PUT(w, &record->words,
        "INLINE void %s_%d(const struct params *p, const struct block *b, %s, struct sums *s,\n"
        "                  struct @set_entry e) {\n",
        record->once ? "element" : "entry", begin, record->once ? "int k" : "struct point *v");
    if (record->marked)
        PUT(w, NULL,
            "    const int mark = %s, slot = mark & %d, owns = mark >> 7%s;\n"
            "    (void)slot, (void)owns;\n",
            record->fields[0].value, TESS_ENTRY_OWNS - 1, record->once ? "" : " && v->k < b->n[0]");
    if (record->has_element)
        PUT(w, NULL, "    const int element = %s;\n    (void)element;\n",
            record->fields[record->n_fields - 1].value);
    print_rows(w, begin, end);
    for (int k = begin; k < end; k++) {
        const int ring = w->chain->loops[k].ring;
        const bool fewer = ring < tess_chain_most_ring(w->chain, begin, end);
        if (fewer)
            PUT(w, NULL, "    if (v->k < b->n[%d]) {\n", ring);
        print_call(w, k);
        PUT(w, NULL, fewer ? "    }\n" : "");
    }
    print_store_rows(w, begin, end);
    PUT(w, NULL, "    (void)p, (void)b, (void)s, (void)e;\n}\n\n");
}

/* What a point takes of an element that the block computed once, by its row: of each arg what it
 * adds through any slot, or, where it adds through some only, where the row is of these. */
static void print_take_row(tess_chain_writer *w, int begin, int end) {
    const tess_chain_record *record = record_at(w, begin);
    const long long size = record->once->most;
    const bool opposite = record->once->opposite;
    PUT(w, NULL,
        "INLINE void take_%d(const struct block *b, struct point *v, int of) {\n"
        "    const int minus = of & %d, row = of & %d;\n",
        begin, TESS_ROW_MINUS, TESS_ROW_MINUS - 1);
    for (const tess_chain_use *use = tess_chain_uses(w, begin); use->k < end; use++)
        for (int s = use->first; use->adds && s < use->end; s++) {
            const int row = row_of(w, use, s), adds = adding_slot(w, use->map, s);
            const bool all = use->end - use->first == record->rows_of->entries->n_slots;
            if (row < 0 || (all && !opposite && s > use->first))
                continue;
            if (!all && !opposite)
                PUT(w, NULL, "    if (row / %lld == %d)\n    ", size, adds);
            PUT(w, use->words,
                "    EACH(%d) {\n        const @type x = load(%s_rows(b, d, row - %lld));\n"
                "        v->@dat[%d + d] += %sx;\n    }\n",
                use->arg->dim, use->name, all ? 0 : (adds - row) * size, use->component,
                opposite ? "minus ? -x : " : "");
        }
    PUT(w, NULL, "    (void)b, (void)v, (void)minus, (void)row;\n}\n\n");
}

/* Entries that are computed in one go where a point has them all. */
enum { MOST_AT_ONCE = 4 };

/* The loop over a point's entries. Where all points may have as many, and this one has, no entry
 * waits for what is read of another, and the compiler computes once what all need of the point. */
static void print_rounds(tess_chain_writer *w, int begin, const tess_chain_record *record) {
    const tess_page_dat words = {.set = record->set, .dim = record->rounds};
    const bool whole = record->rounds > 1 && record->rounds <= MOST_AT_ONCE && !record->once;
    if (whole)
        PUT(w, &words,
            "    struct @set_entry all[@dim];\n    int whole = 1;\n"
            "    UNROLL for (int round = 0; round < @dim; round++) {\n"
            "        all[round] = @set_entry_at(p, b, v->k, round);\n"
            "        whole &= !@set_none(all[round]);\n    }\n"
            "    if (whole) {\n"
            "        UNROLL for (int round = 0; round < @dim; round++) {\n"
            "            TURN(round);\n            entry_%d(p, b, v, s, all[round]);\n        }\n"
            "        TURN(0);\n        return;\n    }\n",
            begin);
    if (record->rounds > 0)
        PUT(w, &words, "    const int n = @dim;\n");
    else
        PUT(w, &words,
            "    const int *first = &p->@set_first[(b->begin + v->k) / WARP];\n"
            "    const int n = b->any_@set ? (fetch(&first[1]) - fetch(&first[0])) / WARP : 0;\n");
    PUT(w, &words,
        "    %sTURNS(round, 0, n, 1) {\n"
        "        const struct @set_entry e = @set_entry_at(p, b, v->k, round);\n"
        "        if (@set_none(e))\n            continue;\n        TURN(round);\n        ",
        whole ? "ONE_BY_ONE " : "");
    if (record->once)
        PUT(w, &words, "take_%d(b, v, %s);\n    }\n    (void)s;\n", begin, record->fields[0].value);
    else
        PUT(w, &words, "entry_%d(p, b, v, s, e);\n    }\n", begin);
}

/* Each element of the point goes through all loops of a group; or each of the block does, and the
 * point sums what they add. */
void tess_print_loops(tess_chain_writer *w, int begin, int end) {
    const tess_chain_record *record = record_at(w, begin);
    const tess_chain_use *use = tess_chain_uses(w, begin);
    const bool gathered = w->chain->loops[begin].gathered;
    if (gathered)
        print_entry(w, begin, end);
    if (record->once)
        print_take_row(w, begin, end);
    PUT(w, NULL,
        "INLINE void loop_%d(const struct params *p, const struct block *b, struct point *v,\n"
        "                   struct sums *s) {\n",
        begin);
    if (gathered) {
        print_rounds(w, begin, record->rows_of ? record->rows_of : record);
    } else {
        while (use->k < end && !use->map)
            use++;
        if (use->k < end)
            PUT(w, &record->words,
                "    const struct @set_entry e = @set_entry_at(p, b, v->k, 0);\n");
        PUT(w, NULL, "    const int owns = v->k < b->n[0];\n    (void)owns;\n");
        print_call(w, begin);
    }
    PUT(w, NULL, "    TURN(0);\n    (void)p, (void)b, (void)s;\n}\n\n");
}

/* What a block computes once for a stage, before its points sum it. */
bool tess_print_elements(tess_chain_writer *w, int stage) {
    bool any = false;
    PUT(w, NULL,
        "INLINE void elements_%d(const struct params *p, const struct block *b, struct sums *s) "
        "{\n",
        stage);
    for (int k = 0; k < w->chain->n_loops; k = tess_chain_group_end(w->chain, k)) {
        const tess_chain_record *record = record_at(w, k);
        if (w->chain->loops[k].stage != stage || !record->once)
            continue;
        any = true;
        PUT(w, &record->words,
            "    struct @set_entry next_%d UNSET; /* fetched while one is computed */\n"
            "    if (thread_index() < b->n_@set)\n"
            "        next_%d = @set_entry_at(p, b, thread_index(), 0);\n"
            "    TURNS(k, thread_index(), b->n_@set, THREADS) {\n"
            "        const struct @set_entry e = next_%d;\n"
            "        if (k + THREADS < b->n_@set)\n"
            "            next_%d = @set_entry_at(p, b, k + THREADS, 0);\n"
            "        element_%d(p, b, k, s, e);\n    }\n",
            k, k, k, k, k);
    }
    PUT(w, NULL, "%s    (void)p, (void)b, (void)s;\n}\n\n", any ? "    barrier();\n" : "");
    return any;
}
