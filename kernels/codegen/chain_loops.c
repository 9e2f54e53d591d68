/* The loops of a chain, as its text runs them: at a point, or of the elements that it gathers. */
#include "kernels/codegen/chain_writer.h"

#include <stdio.h>
#include <string.h>

/* --- values ----------------------------------------------------------------------------------- */

/* Values of a row that are read or stored by a word, `run` at once. */
typedef struct values {
    const tess_page_dat *dat;
    int n, run;
    const char *word; /* fetch, load or store */
} values;

/* Values that 16 bytes hold; 1 where these are no values of a whole row. */
static int run_of(const tess_page_dat *dat, int row, int first, int n) {
    const int run = 16 / dat->size;
    const bool whole = row % run == 0 && first % run == 0 && n % run == 0;
    return whole && strcmp(dat->type, "int") != 0 ? run : 1;
}

int tess_chain_kept_run(const tess_page_dat *dat) {
    return run_of(dat, dat->dim, 0, dat->dim);
}

static int stored_run(const tess_page_dat *dat, int first, int n) {
    return dat->aos ? run_of(dat, dat->row, first, n) : 1;
}

/* here: an array of the thread's; there: the address of value d. */
static void print_values(tess_chain_writer *w, values of, const char *here, const char *there) {
    const bool stores = strcmp(of.word, "store") == 0;
    PUT(w, of.dat, "    UNROLL for (int d = 0; d < %d; d += %d)\n            ", of.n, of.run);
    if (stores && of.run > 1)
        PUT(w, of.dat, "store_run(%s, %s + d, %d);\n", there, here, of.run);
    else if (stores)
        PUT(w, of.dat, "store(%s, (%s)[d]);\n", there, here);
    else if (of.run > 1)
        PUT(w, of.dat, "%s_run(%s + d, %s, %d);\n", of.word, here, there, of.run);
    else
        PUT(w, of.dat, "(%s)[d] = %s(%s);\n", here, of.word, there);
}

void tess_print_load_kept(tess_chain_writer *w, int d, const int first_n[2], const char *to,
                          const char *place) {
    const tess_page_dat *dat = &w->dats[d];
    const int run = tess_chain_kept_run(dat);
    const bool whole = first_n[0] % run == 0 && first_n[1] % run == 0;
    char from[256];
    snprintf(from, sizeof from, "since(@dat_kept(b, %d, %s, %d + d), %d, \"@dat\")",
             w->now[d].version, place, first_n[0], w->now[d].since);
    print_values(w, (values){dat, first_n[1], whole ? run : 1, "load"}, to, from);
}

void tess_print_store_kept(tess_chain_writer *w, int d) {
    const tess_page_dat *dat = &w->dats[d];
    char to[64];
    snprintf(to, sizeof to, "@dat_kept(b, %d, k, d)", w->now[d].version);
    print_values(w, (values){dat, dat->dim, tess_chain_kept_run(dat), "store"}, "v.@dat", to);
}

/* A dat that the chain changes in place may have other values than before it. */
void tess_print_fetch(tess_chain_writer *w, int d, const int first_n[2], const char *to,
                      const char *at) {
    const tess_page_dat *dat = &w->dats[d];
    const bool changes = w->chain->dats[d].stored && !w->chain->dats[d].two_buffers;
    char from[256];
    snprintf(from, sizeof from, "&p->@dat[@dat_at(%s, %d + d)]", at, first_n[0]);
    print_values(w,
                 (values){dat, first_n[1], stored_run(dat, first_n[0], first_n[1]),
                          changes ? "load" : "fetch"},
                 to, from);
}

void tess_print_store(tess_chain_writer *w, int d, const char *at, const char *row) {
    const tess_page_dat *dat = &w->dats[d];
    char to[256];
    snprintf(to, sizeof to, "&p->@dat%s[@dat_at(%s, d)]",
             w->chain->dats[d].two_buffers ? "_next" : "", at);
    print_values(w, (values){dat, dat->dim, stored_run(dat, 0, dat->dim), "store"}, row, to);
}

void tess_print_keep(tess_chain_writer *w, int d) {
    const tess_page_dat *dat = &w->dats[d];
    const int run = tess_chain_kept_run(dat);
    const bool wide = run > 1 && stored_run(dat, 0, dat->dim) > 1;
    const char *type = wide ? "struct piece" : dat->type;
    PUT(w, dat,
        "    UNROLL for (int d = 0; d < @dim; d += %d)\n"
        "        async_copy((%s *)@dat_kept(b, 0, k, d), (const %s *)&p->@dat[@dat_at(i, d)]);\n",
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

bool tess_chain_is_own(const tess_chain_writer *w, const tess_chain_use *use, int slot) {
    return w->chain->loops[use->k].gathered && record_at(w, use->k)->own_slot == 0 &&
           adding_slot(w, use->map, slot) == 0;
}

/* Values of one slot, of a point that is not the gathering one, or where that is not known. */
static tess_status print_read_slot(tess_chain_writer *w, const tess_chain_use *use, int slot) {
    const int dim = use->arg->dim, offset = (slot - use->first) * dim;
    const tess_chain_field *field = NULL;
    char to[64];
    snprintf(to, sizeof to, "arg%d_%d + %d", use->k, use->a, offset);
    if (use->is_owned && tess_chain_is_own(w, use, slot)) {
        PUT(w, use->words,
            "    UNROLL for (int d = 0; d < %d; d++)\n        (%s)[d] = v->@dat[%d + d];\n", dim,
            to, use->component);
        return TESS_OK;
    }
    TRY(tess_chain_field_get(w, use->map, slot, &field));
    PUT(w, NULL, "    {\n        const int i = %s(e);\n", field->name);
    if (field->padded)
        PUT(w, NULL,
            "        UNROLL for (int d = 0; d < %d; d++)\n            (%s)[d] = 0;\n"
            "        if (i != %s)\n    ",
            dim, to, field->local ? "0xffff" : "-1");
    (field->local ? tess_print_load_kept : tess_print_fetch)(w, use->d,
                                                             (int[]){use->component, dim}, to, "i");
    PUT(w, NULL, "    }\n");
    return TESS_OK;
}

/* Declares an arg's array and fills it, where it is the loop's. */
static tess_status print_fill(tess_chain_writer *w, const tess_chain_use *use) {
    const int n = (use->end - use->first) * use->arg->dim;
    if (use->is_row)
        return TESS_OK;
    PUT(w, use->words, "    @type arg%d_%d[%d] UNSET;\n", use->k, use->a, n);
    if (use->arg->access == TESS_INC || !use->map)
        PUT(w, use->words, "    UNROLL for (int d = 0; d < %d; d++)\n        arg%d_%d[d] = %s;\n",
            n, use->k, use->a,
            use->arg->access == TESS_INC ? TESS_SUMS_BEGIN : "fetch(&p->@dat[d])");
    for (int s = use->first; use->map && use->arg->access == TESS_READ && s < use->end; s++)
        TRY(print_read_slot(w, use, s));
    return TESS_OK;
}

/* The rows of the block's memory in which what an arg adds lies, slot after slot. */
static void print_keep_rows(tess_chain_writer *w, const tess_chain_use *use) {
    const tess_chain_list *once = record_at(w, use->k)->once;
    const int rows =
        tess_chain_rows_arg(w->setting->kernels[use->k], w->chain->loops[use->k].loop, use->a);
    for (int s = use->first; s < use->end; s++) {
        const int adds = adding_slot(w, use->map, s);
        if (adds == 0 || !once->opposite)
            PUT(w, NULL,
                "    UNROLL for (int d = 0; d < %d; d++)\n"
                "        store(rows_%d_%d(b, d, %lld + k), arg%d_%d[%d + d]);\n",
                use->arg->dim, use->k, rows, (long long)(adds * tess_chain_row_size(once)), use->k,
                use->a, (s - use->first) * use->arg->dim);
    }
}

/* What an arg adds to the gathering point, to the point itself, or to a global sum. */
static void print_take(tess_chain_writer *w, const tess_chain_use *use) {
    const tess_chain_record *record = record_at(w, use->k);
    if (!use->arg->set[0]) {
        PUT(w, use->words,
            "    if (%s)\n        UNROLL for (int d = 0; d < %d; d++)\n"
            "            s->@dat[d] += arg%d_%d[d];\n",
            record->once                       ? "owns"
            : w->chain->loops[use->k].gathered ? "v->k < b->n[0] && owns"
                                               : "v->k < b->n[0]",
            use->arg->dim, use->k, use->a);
        return;
    }
    if (record->once) {
        print_keep_rows(w, use);
        return;
    }
    for (int s = use->first; s < use->end; s++) {
        const int adds = use->map ? adding_slot(w, use->map, s) : 0;
        if (use->map && record->own_slot == 0 && adds != 0)
            continue;
        if (use->map && record->own_slot < 0)
            PUT(w, NULL, "    if (slot == %d)\n    ", adds);
        PUT(w, use->words,
            "    UNROLL for (int d = 0; d < %d; d++)\n"
            "        v->@dat[%d + d] += arg%d_%d[%d + d];\n",
            use->arg->dim, use->component, use->k, use->a, (s - use->first) * use->arg->dim);
    }
}

/* A loop's args, the call, and what it adds. */
static tess_status print_call(tess_chain_writer *w, int k) {
    const tess_chain_use *use = w->uses, *first;
    while (use->k < k)
        use++;
    first = use;
    for (; use->k == k; use++)
        TRY(print_fill(w, use));
    PUT(w, NULL, "    %s(", tess_kernel_function(w->setting->kernels[k]));
    for (use = first; use->k == k; use++) {
        PUT(w, NULL, use->a > 0 ? ", " : "");
        if (!use->is_row)
            PUT(w, NULL, "arg%d_%d", k, use->a);
        else
            PUT(w, use->words, use->is_owned ? "v->@dat + %d" : "of_@dat + %d", use->component);
    }
    PUT(w, NULL, ");\n");
    for (use = first; use->k == k; use++)
        if (use->arg->access == TESS_INC)
            print_take(w, use);
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

/* Whether a loop from `k` on writes the dat; loops before `use` from `begin` on have it. */
static bool is_written_from(const tess_chain_writer *w, int k, int d) {
    const tess_chain_use *use = w->uses;
    while (use->arg && (use->k < k || use->d != d || use->arg->access == TESS_READ))
        use++;
    return use->arg;
}

static bool is_first_use(const tess_chain_writer *w, int begin, const tess_chain_use *of) {
    const tess_chain_use *use = w->uses;
    while (use->k < begin || use->d != of->d)
        use++;
    return use == of;
}

/* The rows of elements' own values that a group of loops has: declared once, read where the first
 * loop that has one uses it, or writes only a part of it. */
static void print_rows(tess_chain_writer *w, int begin, int end) {
    for (const tess_chain_use *use = w->uses; use->arg; use++) {
        if (use->k < begin || use->k >= end || !use->is_row || !is_first_use(w, begin, use))
            continue;
        PUT(w, use->words, "    @type of_@dat[@dim] UNSET;\n");
        if (use->arg->access != TESS_WRITE || use->arg->is_part)
            tess_print_fetch(w, use->d, (int[]){0, use->words->dim}, "of_@dat", "element");
    }
}

/* What is stored of elements, by the point that owns them. */
static void print_store_rows(tess_chain_writer *w, int begin, int end, bool once) {
    for (const tess_chain_use *use = w->uses; use->arg; use++) {
        if (use->k < begin || use->k >= end || use->map || !use->arg->set[0] ||
            use->arg->access == TESS_READ || !w->chain->dats[use->d].stored ||
            is_written_from(w, use->k + 1, use->d))
            continue;
        PUT(w, NULL, "    if (owns%s)\n    ", once ? "" : " && v->k < b->n[0]");
        tess_print_store(w, use->d, "element", "of_@dat");
    }
}

/* What a group does with an entry, or with an element that the block computes once. */
static tess_status print_entry(tess_chain_writer *w, int begin, int end) {
    const tess_chain_record *record = record_at(w, begin);
    PUT(w, &record->words,
        "INLINE void %s_%d(const struct params *p, const struct block *b, %s, struct sums *s,\n"
        "                  struct @set_entry e) {\n",
        record->once ? "element" : "entry", begin, record->once ? "int k" : "struct point *v");
    if (record->marked)
        PUT(w, &record->words,
            "    const int mark = @set_mark(e), slot = mark & %d, owns = mark >> 7;\n"
            "    (void)slot, (void)owns;\n",
            TESS_ENTRY_OWNS - 1);
    if (record->has_element)
        PUT(w, &record->words, "    const int element = @set_element(e);\n    (void)element;\n");
    print_rows(w, begin, end);
    for (int k = begin; k < end; k++) {
        const int ring = w->chain->loops[k].ring;
        const bool fewer = ring < tess_chain_group_ring(w->chain, begin);
        if (fewer)
            PUT(w, NULL, "    if (v->k < b->n[%d]) {\n", ring);
        TRY(print_call(w, k));
        PUT(w, NULL, fewer ? "    }\n" : "");
    }
    print_store_rows(w, begin, end, record->once);
    PUT(w, NULL, "    (void)p, (void)b, (void)s, (void)e;\n}\n\n");
    return TESS_OK;
}

/* The slots through which a loop adds to the values that one of its args adds to, as bits. */
static uint64_t slots_of_rows(const tess_chain_writer *w, const tess_chain_use *of) {
    const tess_kernel *kernel = w->setting->kernels[of->k];
    const tess_loop *loop = w->chain->loops[of->k].loop;
    uint64_t slots = 0;
    for (const tess_chain_use *use = w->uses; use->arg; use++)
        for (int s = use->first; s < use->end; s++)
            if (use->k == of->k && use->map && use->arg->access == TESS_INC &&
                tess_chain_rows_arg(kernel, loop, use->a) == of->a)
                slots |= (uint64_t)1 << adding_slot(w, use->map, s);
    return slots;
}

/* What a point takes of an element that the block computed once, by its row. */
static void print_take_row(tess_chain_writer *w, int begin, int end) {
    const tess_chain_list *once = record_at(w, begin)->once;
    const tess_chain_record *rows = tess_chain_rows_of(w, once);
    const uint32_t minus = tess_chain_minus(&rows->fields[0]);
    const uint64_t all = ~(uint64_t)0 >> (64 - rows->entries->n_slots);
    PUT(w, NULL, "INLINE void take_%d(const struct block *b, struct point *v, int %s) {\n", begin,
        once->opposite ? "of" : "row");
    if (once->opposite)
        PUT(w, NULL, "    const int minus = of & %u, row = of & %u;\n", minus, minus - 1);
    for (const tess_chain_use *use = w->uses; use->arg; use++) {
        if (use->k < begin || use->k >= end || !use->map || use->arg->access != TESS_INC ||
            tess_chain_rows_arg(w->setting->kernels[use->k], w->chain->loops[use->k].loop,
                                use->a) != use->a)
            continue;
        const uint64_t slots = slots_of_rows(w, use);
        if (!once->opposite && slots != all)
            PUT(w, NULL, "    if (0x%llxull >> row / %lld & 1)\n    ", (unsigned long long)slots,
                (long long)tess_chain_row_size(once));
        PUT(w, use->words,
            "    UNROLL for (int d = 0; d < %d; d++) {\n"
            "        const @type x = load(rows_%d_%d(b, d, row));\n"
            "        v->@dat[%d + d] += %sx;\n    }\n",
            use->arg->dim, use->k, use->a, use->component, once->opposite ? "minus ? -x : " : "");
    }
    PUT(w, NULL, "    (void)b, (void)v, (void)row;\n}\n\n");
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
    PUT(w, &words,
        "    const int n = @set_rounds(p, b, v->k);\n"
        "    %sTURNS(round, 0, n, 1) {\n"
        "        const struct @set_entry e = @set_entry_at(p, b, v->k, round);\n"
        "        if (@set_none(e))\n            continue;\n        TURN(round);\n        ",
        whole ? "ONE_BY_ONE " : "");
    if (record->once)
        PUT(w, &words, "take_%d(b, v, %s(e));\n    }\n    (void)s;\n", begin,
            record->fields[0].name);
    else
        PUT(w, &words, "entry_%d(p, b, v, s, e);\n    }\n", begin);
}

static tess_status print_direct(tess_chain_writer *w, int k) {
    const tess_chain_use *use = w->uses;
    while (use->k < k || (use->k == k && !use->map))
        use++;
    if (use->k == k)
        PUT(w, &record_at(w, k)->words,
            "    const struct @set_entry e = @set_entry_at(p, b, v->k, 0);\n");
    TRY(print_call(w, k));
    PUT(w, NULL, "    (void)p, (void)b, (void)s;\n");
    return TESS_OK;
}

/* Each element of the point goes through all loops of a group; or each of the block does, and the
 * point sums what they add. */
tess_status tess_print_loops(tess_chain_writer *w, int begin, int end) {
    const tess_chain_record *record = record_at(w, begin);
    const bool gathered = w->chain->loops[begin].gathered;
    PUT(w, NULL, "/* %s of the %s:", record->once ? "Once" : "Each", record->set);
    for (int k = begin; k < end; k++)
        PUT(w, NULL, " %s", w->chain->loops[k].loop->name);
    PUT(w, NULL, ". */\n");
    if (gathered)
        TRY(print_entry(w, begin, end));
    if (record->once)
        print_take_row(w, begin, end);
    PUT(w, NULL,
        "INLINE void loop_%d(const struct params *p, const struct block *b, struct point *v,\n"
        "                   struct sums *s) {\n",
        begin);
    if (record->once)
        record = tess_chain_rows_of(w, record->once);
    if (!gathered)
        TRY(print_direct(w, begin));
    else
        print_rounds(w, begin, record);
    PUT(w, NULL, "    TURN(0);\n}\n\n");
    return TESS_OK;
}

/* What a block computes once for a stage, before its points sum it. */
bool tess_print_elements(tess_chain_writer *w, int stage) {
    bool any = false;
    PUT(w, NULL,
        "INLINE void elements_%d(const struct params *p, const struct block *b, struct sums *s) "
        "{\n",
        stage);
    for (int k = 0; k < w->chain->n_loops; k++) {
        const tess_chain_record *record = record_at(w, k);
        if (w->chain->loops[k].stage != stage || !record->once ||
            tess_chain_group(w->chain, k) != k)
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
