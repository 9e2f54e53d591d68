/* The loops of a chain, as its text runs them: at a point, or of the elements that it gathers. */
#include "kernels/codegen/chain_writer.h"

#include <stdio.h>
#include <string.h>

/* What a loop is printed with. */
typedef struct printed {
    tess_chain_writer *w;
    const tess_chain *chain;
    int k; /* of the chain */
    const tess_loop *loop;
    const tess_kernel *kernel;
    const tess_chain_record *record; /* of its set */
    bool gathered, once;
} printed;

static printed printed_loop(tess_chain_writer *w, int k) {
    const tess_chain *chain = w->setting->chain;
    const tess_loop *loop = chain->loops[k].loop;
    const tess_chain_record *record = tess_chain_record_of(w, loop->set);
    return (printed){.w = w,
                     .chain = chain,
                     .k = k,
                     .loop = loop,
                     .kernel = w->setting->kernels[k],
                     .record = record,
                     .gathered = chain->loops[k].gathered,
                     .once = record->once != NULL};
}

int tess_chain_dat_number(const tess_chain_writer *w, const tess_arg *arg) {
    return (int)(tess_chain_dat_of(w->setting->chain, arg) - w->setting->chain->dats);
}

static const tess_page_dat *words_of(const printed *l, const tess_arg *arg) {
    return &l->w->dats[tess_chain_dat_number(l->w, arg)];
}

static bool is_owned(const printed *l, const tess_arg *arg) {
    return strcmp(arg->set, l->chain->owner) == 0;
}

/* First and one past the last slot of the map that an arg goes through; 0, 1 where it goes through
 * none. */
static const tess_map *map_of(const printed *l, const tess_arg *arg, int *first, int *end) {
    const tess_map *map = arg->map[0] ? tess_mesh_find_map(l->w->mesh, arg->map) : NULL;
    *first = map && arg->slot >= 0 ? arg->slot : 0;
    *end = map && arg->slot < 0 ? map->arity : *first + 1;
    return map;
}

static int local_size(const printed *l, int a) {
    int first, end;
    map_of(l, &l->loop->args[a], &first, &end);
    return (end - first) * l->loop->args[a].dim;
}

/* Which of the slots by which elements of the set add a slot is; -1: none. */
static int adding_slot(const printed *l, const tess_map *map, int slot) {
    const tess_chain_slots adds = tess_chain_adds(l->w, l->loop->set);
    for (int s = 0; s < adds.n; s++)
        if (adds.map[s] == map && adds.slot[s] == slot)
            return s;
    return -1;
}

/* Whether the slot of an element leads to the gathering point itself, whatever the entry. */
static bool is_own_slot(const printed *l, const tess_map *map, int slot) {
    return l->gathered && l->record->own_slot == 0 && adding_slot(l, map, slot) == 0;
}

/* --- args ------------------------------------------------------------------------------------- */

/* Where the array of an arg's values is: the point's own row, the element's, or one of the loop's.
 */
static void print_name(const printed *l, int a) {
    const tess_arg *arg = &l->loop->args[a];
    const int first = tess_kernel_arg_component(&l->kernel->args[a], 0);
    const bool is_row = !arg->map[0] && arg->set[0] && arg->access != TESS_INC;
    if (is_row && is_owned(l, arg))
        tess_page_code(l->w->page, words_of(l, arg), "v->@dat");
    else if (is_row)
        tess_page_code(l->w->page, words_of(l, arg), "of_@dat");
    else
        tess_page_code(l->w->page, NULL, "arg%d_%d", l->k, a);
    if (is_row && first > 0)
        tess_page_code(l->w->page, NULL, " + %d", first);
}

/* Bytes that are read or written at once. */
enum { PIECE = 16 };

/* Whether n values of a row from `first` on are whole pieces. */
static bool is_wide(const tess_page_dat *dat, int first, int n) {
    return dat->aos && strcmp(dat->type, "int") != 0 && dat->row * dat->size % PIECE == 0 &&
           first * dat->size % PIECE == 0 && n * dat->size % PIECE == 0;
}

/* Prints the reading of n values of a row that is kept, from value `first` on. */
static void print_load_kept(tess_chain_writer *w, int d, const int first_n[2], const char *to,
                            const char *place) {
    const int first = first_n[0], n = first_n[1], run = tess_chain_kept_run(&w->dats[d]);
    if (run > 1 && first % run == 0 && n % run == 0)
        tess_page_code(w->page, &w->dats[d],
                       "UNROLL for (int d = 0; d < %d; d += %d)\n"
                       "            load_run(%s + d, @dat_kept(b, %d, %s, d + %d), %d);\n",
                       n, run, to, w->kept_version[d], place, first, run);
    else
        tess_page_code(w->page, &w->dats[d],
                       "UNROLL for (int d = 0; d < %d; d++)\n"
                       "            (%s)[d] = load(@dat_kept(b, %d, %s, d + %d));\n",
                       n, to, w->kept_version[d], place, first);
}

static void print_store_kept(tess_chain_writer *w, int d) {
    const int run = tess_chain_kept_run(&w->dats[d]);
    if (run > 1)
        tess_page_code(w->page, &w->dats[d],
                       "    UNROLL for (int d = 0; d < @dim; d += %d)\n"
                       "            store_run(@dat_kept(b, %d, k, d), v.@dat + d, %d);\n",
                       run, w->kept_version[d], run);
    else
        tess_page_code(w->page, &w->dats[d],
                       "    UNROLL for (int d = 0; d < @dim; d++)\n"
                       "            store(@dat_kept(b, %d, k, d), v.@dat[d]);\n",
                       w->kept_version[d]);
}

void tess_chain_print_keep(tess_chain_writer *w, int d) {
    const tess_page_dat *words = &w->dats[d];
    const int run = tess_chain_kept_run(words);
    const char *as = run > 1 && is_wide(words, 0, words->dim) ? "struct piece" : words->type;
    tess_page_code(w->page, words,
                   "    UNROLL for (int d = 0; d < @dim; d += %d)\n"
                   "        async_copy((%s *)@dat_kept(b, 0, k, d),\n"
                   "                   (const %s *)&p->@dat[@dat_at(i, d)]);\n",
                   as == words->type ? 1 : run, as, as);
}

/* Whether values of a dat may be there during the launch that are not those from before. */
static bool changes_in_place(const tess_chain_dat *dat) {
    return dat->stored && !dat->two_buffers;
}

/* Prints the reading of n values of an element's row, from value `first` on, from memory: to `to`,
 * of the element that is stored at `at`. */
static void print_fetch(tess_chain_writer *w, int d, const int first_n[2], const char *to,
                        const char *at) {
    const tess_page_dat *words = &w->dats[d];
    const char *word = changes_in_place(&w->setting->chain->dats[d]) ? "load" : "fetch";
    const int first = first_n[0], n = first_n[1];
    if (is_wide(words, first, n))
        tess_page_code(w->page, words, "%s_run(%s, &p->@dat[@dat_at(%s, %d)], %d);\n", word, to, at,
                       first, n);
    else
        tess_page_code(w->page, words,
                       "UNROLL for (int d = 0; d < %d; d++)\n"
                       "                (%s)[d] = %s(&p->@dat[@dat_at(%s, d + %d)]);\n",
                       n, to, word, at, first);
}

/* Prints the storing of a row. */
static void print_store(tess_chain_writer *w, int d, const char *at, const char *row) {
    const tess_page_dat *words = &w->dats[d];
    const char *next = w->setting->chain->dats[d].two_buffers ? "_next" : "";
    if (is_wide(words, 0, words->dim))
        tess_page_code(w->page, words, "store_run(&p->@dat%s[@dat_at(%s, 0)], %s@dat, @dim);\n",
                       next, at, row);
    else
        tess_page_code(w->page, words,
                       "UNROLL for (int d = 0; d < @dim; d++)\n"
                       "                store(&p->@dat%s[@dat_at(%s, d)], %s@dat[d]);\n",
                       next, at, row);
}

/* Values of one slot, of a point that is not the gathering one, or where that is not known. */
static tess_status print_read_slot(const printed *l, int a, const tess_map *map, int slot,
                                   int offset) {
    const tess_arg *arg = &l->loop->args[a];
    const int first = tess_kernel_arg_component(&l->kernel->args[a], 0);
    const int d = tess_chain_dat_number(l->w, arg);
    tess_page *page = l->w->page;
    const tess_chain_field *field = NULL;
    if (is_own_slot(l, map, slot) && is_owned(l, arg)) {
        tess_page_code(page, words_of(l, arg),
                       "    UNROLL for (int d = 0; d < %d; d++)\n"
                       "        arg%d_%d[%d + d] = v->@dat[%d + d];\n",
                       arg->dim, l->k, a, offset, first);
        return TESS_OK;
    }
    TRY(tess_chain_field_get(l->w, map, slot, &field));
    char to[64];
    snprintf(to, sizeof to, "arg%d_%d + %d", l->k, a, offset);
    tess_page_code(page, NULL, "    {\n        const int i = %s(e);\n", field->name);
    if (field->padded)
        tess_page_code(page, NULL,
                       "        UNROLL for (int d = 0; d < %d; d++)\n"
                       "            (%s)[d] = 0;\n"
                       "        if (i != %s)\n    ",
                       arg->dim, to, field->local ? "0xffff" : "-1");
    tess_page_code(page, NULL, "        ");
    if (field->local)
        print_load_kept(l->w, d, (int[]){first, arg->dim}, to, "i");
    else
        print_fetch(l->w, d, (int[]){first, arg->dim}, to, "i");
    tess_page_code(page, NULL, "    }\n");
    return TESS_OK;
}

/* Where sums begin: x is x + -0.0 whatever x is, so that a compiler drops the first addition; not
 * so x + 0.0, which is 0.0 where x is -0.0. */
#define ZERO "-(@type)0"

/* Declares an arg's array and fills it, where it is the loop's. */
static tess_status print_fill(const printed *l, int a) {
    const tess_arg *arg = &l->loop->args[a];
    tess_page *page = l->w->page;
    int first, end;
    const tess_map *map = map_of(l, arg, &first, &end);
    if (!map && arg->set[0] && arg->access != TESS_INC)
        return TESS_OK;
    tess_page_code(page, words_of(l, arg), "    @type arg%d_%d[%d] UNSET;\n", l->k, a,
                   local_size(l, a));
    if (arg->access == TESS_INC)
        tess_page_code(page, words_of(l, arg),
                       "    UNROLL for (int d = 0; d < %d; d++)\n"
                       "        arg%d_%d[d] = " ZERO ";\n",
                       local_size(l, a), l->k, a);
    else if (!map)
        tess_page_code(page, words_of(l, arg),
                       "    UNROLL for (int d = 0; d < %d; d++)\n"
                       "        arg%d_%d[d] = fetch(&p->@dat[d]);\n",
                       arg->dim, l->k, a);
    for (int s = first; map && arg->access == TESS_READ && s < end; s++)
        TRY(print_read_slot(l, a, map, s, (s - first) * arg->dim));
    return TESS_OK;
}

/* The rows of the block's memory in which what an arg adds lies, slot after slot. */
static void print_keep_rows(const printed *l, int a) {
    const tess_arg *arg = &l->loop->args[a];
    const tess_chain_once *once = l->record->once;
    int first, end;
    const tess_map *map = map_of(l, arg, &first, &end);
    for (int s = first; s < end; s++) {
        const int adds = adding_slot(l, map, s);
        if (adds == 0 || !once->opposite)
            tess_page_code(l->w->page, NULL,
                           "    UNROLL for (int d = 0; d < %d; d++)\n"
                           "        store(rows_%d_%d(b, d, %lld + k), arg%d_%d[%d + d]);\n",
                           arg->dim, l->k, tess_chain_rows_arg(l->kernel, l->loop, a),
                           (long long)(adds * tess_chain_row_size(once)), l->k, a,
                           (s - first) * arg->dim);
    }
}

/* What an arg adds to the gathering point, to the point itself, or to a global sum. */
static void print_take(const printed *l, int a) {
    const tess_arg *arg = &l->loop->args[a];
    tess_page *page = l->w->page;
    const tess_page_dat *words = words_of(l, arg);
    const int component = tess_kernel_arg_component(&l->kernel->args[a], 0);
    int first, end;
    const tess_map *map = map_of(l, arg, &first, &end);
    if (!arg->set[0]) {
        tess_page_code(page, words,
                       "    if (%s)\n"
                       "        UNROLL for (int d = 0; d < %d; d++)\n"
                       "            s->@dat[d] += arg%d_%d[d];\n",
                       l->once       ? "owns"
                       : l->gathered ? "v->k < b->n[0] && owns"
                                     : "v->k < b->n[0]",
                       arg->dim, l->k, a);
        return;
    }
    if (l->once) {
        print_keep_rows(l, a);
        return;
    }
    for (int s = first; s < end; s++) {
        const int adds = map ? adding_slot(l, map, s) : 0;
        if (map && l->record->own_slot == 0 && adds != 0)
            continue;
        if (map && l->record->own_slot < 0)
            tess_page_code(page, NULL, "    if (slot == %d)\n    ", adds);
        tess_page_code(page, words,
                       "    UNROLL for (int d = 0; d < %d; d++)\n"
                       "        v->@dat[%d + d] += arg%d_%d[%d + d];\n",
                       arg->dim, component, l->k, a, (s - first) * arg->dim);
    }
}

/* Args, the call, and what it adds. */
static tess_status print_call(const printed *l) {
    tess_page *page = l->w->page;
    for (int a = 0; a < l->loop->n_args; a++)
        TRY(print_fill(l, a));
    tess_page_code(page, NULL, "    %s(", tess_kernel_function(l->kernel));
    for (int a = 0; a < l->loop->n_args; a++) {
        tess_page_code(page, NULL, "%s", a > 0 ? ", " : "");
        print_name(l, a);
    }
    tess_page_code(page, NULL, ");\n");
    for (int a = 0; a < l->loop->n_args; a++)
        if (l->loop->args[a].access == TESS_INC)
            print_take(l, a);
    return TESS_OK;
}

static tess_status print_direct(tess_chain_writer *w, int k) {
    const printed l = printed_loop(w, k);
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
    TRY(print_call(&l));
    tess_page_code(w->page, NULL, "    (void)p, (void)b, (void)s;\n}\n\n");
    return TESS_OK;
}

/* --- groups --------------------------------------------------------------------------------------
 */

/* The first loop of the group that loop k is in. */
static int group_of(const tess_chain *chain, int k) {
    while (k > 0 && tess_chain_goes_on(chain, k - 1))
        k--;
    return k;
}

static int group_end(const tess_chain *chain, int k) {
    while (tess_chain_goes_on(chain, k))
        k++;
    return k + 1;
}

/* The most rings of the loops of a group that begins with loop k. */
static int group_ring(const tess_chain *chain, int k) {
    int ring = 0;
    for (const int end = group_end(chain, k); k < end; k++)
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
        const printed l = printed_loop(w, k);
        for (int a = 0; a < l.loop->n_args; a++) {
            const tess_arg *arg = &l.loop->args[a];
            if (arg->map[0] || !arg->set[0] || first_of_dat(l.chain, begin, k, a) != arg)
                continue;
            tess_page_code(w->page, words_of(&l, arg), "    @type of_@dat[@dim] UNSET;\n");
            if (arg->access == TESS_WRITE && !arg->is_part)
                continue;
            const tess_page_dat *words = words_of(&l, arg);
            char to[2 * TESS_NAME_SIZE + 8];
            snprintf(to, sizeof to, "of_%s", words->symbol);
            tess_page_code(w->page, NULL, "    ");
            print_fetch(w, (int)(words - w->dats), (int[]){0, words->dim}, to, "element");
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
        const printed l = printed_loop(w, k);
        for (int a = 0; a < l.loop->n_args; a++) {
            const tess_arg *arg = &l.loop->args[a];
            const tess_chain_dat *dat = tess_chain_dat_of(l.chain, arg);
            if (arg->map[0] || !arg->set[0] || arg->access == TESS_READ || !dat->stored ||
                is_written_from(l.chain, k + 1, arg))
                continue;
            tess_page_code(w->page, NULL, "    if (owns%s)\n            ",
                           once ? "" : " && v->k < b->n[0]");
            print_store(w, tess_chain_dat_number(w, arg), "element", "of_");
        }
    }
}

/* What a group does with an entry, or with an element that the block computes once. */
static tess_status print_entry(tess_chain_writer *w, int begin, int end) {
    const printed first = printed_loop(w, begin);
    const tess_page_dat set = {.set = first.loop->set};
    if (first.once)
        tess_page_code(w->page, &set,
                       "INLINE void element_%d(const struct params *p, const struct block *b, "
                       "struct sums *s,\n                      int k) {\n"
                       "    const struct @set_entry e = @set_entry_at(p, b, k, 0);\n",
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
        tess_page_code(w->page, &set, "    const int element = @set_element(e);\n");
    print_rows(w, begin, end);
    for (int k = begin; k < end; k++) {
        const printed l = printed_loop(w, k);
        const bool fewer = l.chain->loops[k].ring < group_ring(l.chain, begin);
        if (fewer)
            tess_page_code(w->page, NULL, "    if (v->k < b->n[%d]) {\n", l.chain->loops[k].ring);
        TRY(print_call(&l));
        tess_page_code(w->page, NULL, fewer ? "    }\n" : "");
    }
    print_store_rows(w, begin, end, first.once);
    if (first.record->marked)
        tess_page_code(w->page, NULL, "    (void)slot, (void)owns;\n");
    tess_page_code(w->page, NULL, "    (void)p, (void)b, (void)s, (void)e;\n}\n\n");
    return TESS_OK;
}

/* The slots through which a loop adds to the values that an arg adds to, as bits. */
static uint64_t slots_of_rows(const printed *l, int rows) {
    uint64_t slots = 0;
    for (int a = 0; a < l->loop->n_args; a++) {
        const tess_arg *arg = &l->loop->args[a];
        int first, end;
        const tess_map *map = map_of(l, arg, &first, &end);
        for (int s = first; map && arg->access == TESS_INC && s < end; s++)
            if (tess_chain_rows_arg(l->kernel, l->loop, a) == rows)
                slots |= (uint64_t)1 << adding_slot(l, map, s);
    }
    return slots;
}

/* What a point takes of the rows that a loop fills. */
static void print_take_rows(const printed *l, uint64_t all) {
    const tess_chain_once *once = l->record->once;
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
        tess_page_code(l->w->page, words_of(l, arg),
                       "    UNROLL for (int d = 0; d < %d; d++) {\n"
                       "        const @type x = load(rows_%d_%d(b, d, row));\n"
                       "        v->@dat[%d + d] += %sx;\n    }\n",
                       arg->dim, l->k, a, tess_kernel_arg_component(&l->kernel->args[a], 0), minus);
    }
}

/* What a point takes of an element that the block computed once, by its row. */
static void print_take_row(tess_chain_writer *w, int begin, int end) {
    const printed first = printed_loop(w, begin);
    const tess_chain_record *record = tess_chain_record_of(w, first.record->once->rows);
    const uint32_t minus = tess_chain_minus(&record->fields[0]);
    const int n_slots = tess_chain_adds(w, first.loop->set).n;
    tess_page_code(w->page, NULL,
                   "INLINE void take_%d(const struct block *b, struct point *v, int %s) {\n", begin,
                   first.record->once->opposite ? "of" : "row");
    if (first.record->once->opposite)
        tess_page_code(w->page, NULL, "    const int minus = of & %u, row = of & %u;\n", minus,
                       minus - 1);
    for (int k = begin; k < end; k++) {
        const printed l = printed_loop(w, k);
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
static tess_status print_group(tess_chain_writer *w, int begin, int end) {
    const printed first = printed_loop(w, begin);
    const tess_chain_record *record =
        first.once ? tess_chain_record_of(w, first.record->once->rows) : first.record;
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
static void print_elements(tess_chain_writer *w, int stage) {
    const tess_chain *chain = w->setting->chain;
    bool any = false;
    tess_page_code(w->page, NULL,
                   "INLINE void elements_%d(const struct params *p, const struct block *b, struct "
                   "sums *s) {\n",
                   stage);
    for (int k = 0; k < chain->n_loops; k++) {
        const printed l = printed_loop(w, k);
        const tess_page_dat set = {.set = l.loop->set};
        if (chain->loops[k].stage != stage || !l.once || group_of(chain, k) != k)
            continue;
        any = true;
        tess_page_code(w->page, &set,
                       "    TURNS(k, thread_index(), b->n_@set, THREADS)\n"
                       "        element_%d(p, b, s, k);\n",
                       k);
    }
    tess_page_code(w->page, NULL, "%s    (void)p, (void)b, (void)s;\n}\n\n",
                   any ? "    barrier();\n" : "");
}

/* --- stages ----------------------------------------------------------------------------------- */

static int stage_ring(const tess_chain *chain, int stage) {
    int ring = 0;
    for (int k = 0; k < chain->n_loops; k++)
        if (chain->loops[k].stage == stage && chain->loops[k].ring > ring)
            ring = chain->loops[k].ring;
    return ring;
}

/* How an arg has its dat in the point's row: it changes it, or uses what is there. */
static bool changes_row(const printed *l, const tess_arg *arg) {
    return is_owned(l, arg) && arg->access != TESS_READ;
}

static bool uses_row(const printed *l, const tess_arg *arg) {
    int first, end, s;
    const tess_map *map = map_of(l, arg, &first, &end);
    if (!is_owned(l, arg) || (arg->access == TESS_WRITE && !arg->is_part))
        return false;
    if (!map || arg->access == TESS_INC)
        return true;
    for (s = first; s < end && !is_own_slot(l, map, s); s++)
        ;
    return s < end;
}

/* The rings in which loops from k on in its stage use what is in a row now. */
static int ring_of_uses(tess_chain_writer *w, int k, const tess_arg *of) {
    const tess_chain *chain = w->setting->chain;
    const int stage = chain->loops[k].stage;
    int ring = 0;
    for (bool changed = false; k < chain->n_loops && chain->loops[k].stage == stage && !changed;
         k++) {
        const printed l = printed_loop(w, k);
        for (int a = 0; a < l.loop->n_args; a++) {
            const tess_arg *arg = &l.loop->args[a];
            if (!tess_arg_shares_dat(arg, of))
                continue;
            if (uses_row(&l, arg) && chain->loops[k].ring > ring)
                ring = chain->loops[k].ring;
            changed |= changes_row(&l, arg) && !arg->map[0];
        }
    }
    return ring;
}

static void print_guard(tess_chain_writer *w, int ring, int stage) {
    if (ring < stage_ring(w->setting->chain, stage))
        tess_page_code(w->page, NULL, "    if (k < b->n[%d])\n    ", ring);
}

/* Brings what a loop uses into the point's rows, where it is not there yet. */
static void print_rows_of_point(tess_chain_writer *w, int k) {
    const printed l = printed_loop(w, k);
    for (int a = 0; a < l.loop->n_args; a++) {
        const tess_arg *arg = &l.loop->args[a];
        const int d = tess_chain_dat_number(w, arg);
        const tess_page_dat *words = &w->dats[d];
        if (!uses_row(&l, arg) || w->in_point[d]) {
            w->in_point[d] |= changes_row(&l, arg);
            continue;
        }
        w->in_point[d] = true;
        if (tess_chain_is_zero(l.chain, k, arg)) {
            tess_page_code(w->page, words,
                           "    UNROLL for (int d = 0; d < @dim; d++)\n        v.@dat[d] = " ZERO
                           ";\n");
            continue;
        }
        print_guard(w, ring_of_uses(w, k, arg), l.chain->loops[k].stage);
        tess_page_code(w->page, NULL, "    ");
        char to[2 * TESS_NAME_SIZE + 8];
        snprintf(to, sizeof to, "v.%s", words->symbol);
        if (tess_chain_is_before(l.chain, k, arg) && !l.chain->dats[d].kept_loaded)
            print_fetch(w, d, (int[]){0, words->dim}, to, "v.i");
        else
            print_load_kept(w, d, (int[]){0, words->dim}, to, "k");
    }
}

/* The last loop of a stage that writes a dat; -1: none does. */
static int last_writer(const tess_chain *chain, int stage, int d) {
    for (int k = chain->n_loops - 1; k >= 0; k--)
        for (int a = 0; a < chain->loops[k].loop->n_args; a++) {
            const tess_arg *arg = &chain->loops[k].loop->args[a];
            if (chain->loops[k].stage == stage && arg->access != TESS_READ &&
                tess_chain_dat_of(chain, arg) == &chain->dats[d])
                return k;
        }
    return -1;
}

/* Whether a later stage uses what this one leaves of a dat. */
static bool is_used_later(const tess_chain *chain, int stage, int d) {
    for (int k = 0; k < chain->n_loops; k++) {
        const tess_loop *loop = chain->loops[k].loop;
        for (int a = 0; a < loop->n_args && chain->loops[k].stage > stage; a++)
            if (tess_chain_dat_of(chain, &loop->args[a]) == &chain->dats[d])
                return loop->args[a].access != TESS_WRITE || loop->args[a].is_part;
    }
    return false;
}

int tess_chain_ring_left(const tess_chain *chain, int stage, int d) {
    const tess_chain_dat *dat = &chain->dats[d];
    const int writer = last_writer(chain, stage, d);
    if (writer < 0 || strcmp(dat->set, chain->owner) != 0 || dat->kept_versions == 0 ||
        !is_used_later(chain, stage, d))
        return -1;
    const int ring = chain->loops[writer].ring;
    return ring < dat->kept_ring ? ring : dat->kept_ring;
}

/* What a stage leaves: kept for later ones, stored by the owner. */
static void print_leave(tess_chain_writer *w, int stage) {
    const tess_chain *chain = w->setting->chain;
    for (int d = 0; d < chain->n_dats; d++) {
        const tess_chain_dat *dat = &chain->dats[d];
        const int writer = last_writer(chain, stage, d);
        if (writer < 0 || strcmp(dat->set, chain->owner) != 0)
            continue;
        const int ring = tess_chain_ring_left(chain, stage, d);
        if (ring >= 0) {
            w->kept_version[d] = (w->kept_version[d] + 1) % dat->kept_versions;
            print_guard(w, ring, stage);
            print_store_kept(w, d);
        }
        bool again = false;
        for (int later = stage + 1; later < chain->n_stages; later++)
            again |= last_writer(chain, later, d) >= 0;
        if (!dat->stored || again)
            continue;
        print_guard(w, 0, stage);
        tess_page_code(w->page, NULL, "    ");
        print_store(w, d, "v.i", "v.");
    }
}

static tess_status print_stage(tess_chain_writer *w, int stage) {
    const tess_chain *chain = w->setting->chain;
    for (int k = 0; k < chain->n_loops; k++) {
        if (chain->loops[k].stage != stage || group_of(chain, k) != k)
            continue;
        TRY(chain->loops[k].gathered ? print_group(w, k, group_end(chain, k)) : print_direct(w, k));
    }
    print_elements(w, stage);
    tess_page_code(w->page, NULL,
                   "INLINE void stage_%d(const struct params *p, const struct block *b, int k,\n"
                   "                    struct sums *s) {\n"
                   "    struct point v UNSET;\n    v.k = k;\n    v.i = point_at(p, b, k);\n",
                   stage);
    memset(w->in_point, 0, sizeof *w->in_point * (size_t)chain->n_dats);
    for (int k = 0; k < chain->n_loops; k++) {
        if (chain->loops[k].stage != stage || group_of(chain, k) != k)
            continue;
        for (int i = k; i < group_end(chain, k); i++)
            print_rows_of_point(w, i);
        print_guard(w, group_ring(chain, k), stage);
        tess_page_code(w->page, NULL, "    loop_%d(p, b, &v, s);\n", k);
    }
    print_leave(w, stage);
    tess_page_code(w->page, NULL, "}\n\n");
    return TESS_OK;
}

/* What neighbours in the block read of what was before the chain. */
static void print_keep_loaded(tess_chain_writer *w) {
    const tess_chain *chain = w->setting->chain;
    int ring = 0;
    tess_page_code(
        w->page, NULL,
        "INLINE void keep_loaded(const struct params *p, const struct block *b, int k) {\n"
        "    const int i = point_at(p, b, k);\n");
    for (int d = 0; d < chain->n_dats; d++) {
        const tess_chain_dat *dat = &chain->dats[d];
        if (!dat->kept_loaded)
            continue;
        ring = dat->load_ring > ring ? dat->load_ring : ring;
        tess_page_code(w->page, NULL, "    if (k < b->n[%d])\n    ", dat->load_ring);
        tess_chain_print_keep(w, d);
    }
    tess_page_code(w->page, NULL, "    (void)i;\n}\n\n");
    tess_page_print(w->page, "#define RINGS %d\n#define LOADED_RING %d\n", chain->n_rings, ring);
}

tess_status tess_chain_stages(tess_chain_writer *w) {
    const tess_chain *chain = w->setting->chain;
    print_keep_loaded(w);
    tess_page_print(w->page, "#define EACH_STAGE(run)");
    for (int stage = 0; stage < chain->n_stages; stage++) {
        TRY(print_stage(w, stage));
        tess_page_print(w->page, " run(%d, %d)", stage, stage_ring(chain, stage));
    }
    tess_page_print(w->page, "\n");
    return TESS_OK;
}
