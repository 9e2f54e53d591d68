/* The args of a chain's loops: how its text reads them, and what it does with what they add. */
#include "kernels/codegen/chain_printed.h"

#include <stdio.h>
#include <string.h>

tess_printed tess_printed_loop(tess_chain_writer *w, int k) {
    const tess_chain *chain = w->setting->chain;
    const tess_loop *loop = chain->loops[k].loop;
    const tess_chain_record *record = tess_chain_record_of(w, loop->set);
    return (tess_printed){.w = w,
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

const tess_page_dat *tess_printed_words(const tess_printed *l, const tess_arg *arg) {
    return &l->w->dats[tess_chain_dat_number(l->w, arg)];
}

bool tess_printed_is_owned(const tess_printed *l, const tess_arg *arg) {
    return strcmp(arg->set, l->chain->owner) == 0;
}

const tess_map *tess_printed_map(const tess_printed *l, const tess_arg *arg, int *first, int *end) {
    const tess_map *map = arg->map[0] ? tess_mesh_find_map(l->w->mesh, arg->map) : NULL;
    *first = map && arg->slot >= 0 ? arg->slot : 0;
    *end = map && arg->slot < 0 ? map->arity : *first + 1;
    return map;
}

static int local_size(const tess_printed *l, int a) {
    int first, end;
    tess_printed_map(l, &l->loop->args[a], &first, &end);
    return (end - first) * l->loop->args[a].dim;
}

int tess_printed_adds(const tess_printed *l, const tess_map *map, int slot) {
    const tess_chain_slots adds = tess_chain_adds(l->w->setting, l->loop->set);
    for (int s = 0; s < adds.n; s++)
        if (adds.map[s] == map && adds.slot[s] == slot)
            return s;
    return -1;
}

bool tess_printed_is_own(const tess_printed *l, const tess_map *map, int slot) {
    return l->gathered && l->record->own_slot == 0 && tess_printed_adds(l, map, slot) == 0;
}

/* --- args ------------------------------------------------------------------------------------- */

/* Where the array of an arg's values is: the point's own row, the element's, or one of the loop's.
 */
static void print_name(const tess_printed *l, int a) {
    const tess_arg *arg = &l->loop->args[a];
    const int first = tess_kernel_arg_component(&l->kernel->args[a], 0);
    const bool is_row = !arg->map[0] && arg->set[0] && arg->access != TESS_INC;
    if (is_row && tess_printed_is_owned(l, arg))
        tess_page_code(l->w->page, tess_printed_words(l, arg), "v->@dat");
    else if (is_row)
        tess_page_code(l->w->page, tess_printed_words(l, arg), "of_@dat");
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
void tess_print_load_kept(tess_chain_writer *w, int d, const int first_n[2], const char *to,
                          const char *place) {
    const int first = first_n[0], n = first_n[1], run = tess_chain_kept_run(&w->dats[d]);
    const int since = w->kept_since[d];
    if (run > 1 && first % run == 0 && n % run == 0)
        tess_page_code(w->page, &w->dats[d],
                       "UNROLL for (int d = 0; d < %d; d += %d)\n"
                       "            load_run(%s + d, since(@dat_kept(b, %d, %s, d + %d), %d, "
                       "\"@dat\"), %d);\n",
                       n, run, to, w->kept_version[d], place, first, since, run);
    else
        tess_page_code(w->page, &w->dats[d],
                       "UNROLL for (int d = 0; d < %d; d++)\n"
                       "            (%s)[d] = load(since(@dat_kept(b, %d, %s, d + %d), %d, "
                       "\"@dat\"));\n",
                       n, to, w->kept_version[d], place, first, since);
}

void tess_print_store_kept(tess_chain_writer *w, int d) {
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
void tess_print_fetch(tess_chain_writer *w, int d, const int first_n[2], const char *to,
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
void tess_print_store(tess_chain_writer *w, int d, const char *at, const char *row) {
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
static tess_status print_read_slot(const tess_printed *l, int a, const tess_map *map, int slot,
                                   int offset) {
    const tess_arg *arg = &l->loop->args[a];
    const int first = tess_kernel_arg_component(&l->kernel->args[a], 0);
    const int d = tess_chain_dat_number(l->w, arg);
    tess_page *page = l->w->page;
    const tess_chain_field *field = NULL;
    if (tess_printed_is_own(l, map, slot) && tess_printed_is_owned(l, arg)) {
        tess_page_code(page, tess_printed_words(l, arg),
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
        tess_print_load_kept(l->w, d, (int[]){first, arg->dim}, to, "i");
    else
        tess_print_fetch(l->w, d, (int[]){first, arg->dim}, to, "i");
    tess_page_code(page, NULL, "    }\n");
    return TESS_OK;
}

/* Declares an arg's array and fills it, where it is the loop's. */
static tess_status print_fill(const tess_printed *l, int a) {
    const tess_arg *arg = &l->loop->args[a];
    tess_page *page = l->w->page;
    int first, end;
    const tess_map *map = tess_printed_map(l, arg, &first, &end);
    if (!map && arg->set[0] && arg->access != TESS_INC)
        return TESS_OK;
    tess_page_code(page, tess_printed_words(l, arg), "    @type arg%d_%d[%d] UNSET;\n", l->k, a,
                   local_size(l, a));
    if (arg->access == TESS_INC)
        tess_page_code(page, tess_printed_words(l, arg),
                       "    UNROLL for (int d = 0; d < %d; d++)\n"
                       "        arg%d_%d[d] = " TESS_SUMS_BEGIN ";\n",
                       local_size(l, a), l->k, a);
    else if (!map)
        tess_page_code(page, tess_printed_words(l, arg),
                       "    UNROLL for (int d = 0; d < %d; d++)\n"
                       "        arg%d_%d[d] = fetch(&p->@dat[d]);\n",
                       arg->dim, l->k, a);
    for (int s = first; map && arg->access == TESS_READ && s < end; s++)
        TRY(print_read_slot(l, a, map, s, (s - first) * arg->dim));
    return TESS_OK;
}

/* The rows of the block's memory in which what an arg adds lies, slot after slot. */
static void print_keep_rows(const tess_printed *l, int a) {
    const tess_arg *arg = &l->loop->args[a];
    const tess_chain_list *once = l->record->once;
    int first, end;
    const tess_map *map = tess_printed_map(l, arg, &first, &end);
    for (int s = first; s < end; s++) {
        const int adds = tess_printed_adds(l, map, s);
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
static void print_take(const tess_printed *l, int a) {
    const tess_arg *arg = &l->loop->args[a];
    tess_page *page = l->w->page;
    const tess_page_dat *words = tess_printed_words(l, arg);
    const int component = tess_kernel_arg_component(&l->kernel->args[a], 0);
    int first, end;
    const tess_map *map = tess_printed_map(l, arg, &first, &end);
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
        const int adds = map ? tess_printed_adds(l, map, s) : 0;
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

tess_status tess_print_call(const tess_printed *l) {
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
