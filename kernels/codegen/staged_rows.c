/* Rows: what lies in memory as rows of several values an element, staged in shared memory. */
#include "kernels/codegen/tables.h"

#include <stdio.h>

/* A dat whose values a thread alone would read one by one, each far from its neighbours'. */
static bool is_row(const tess_page_dat *dat) {
    return dat->read_directly && dat->aos && dat->dim > 1;
}

/* NAME_rows(b): where rows of n values of a type lie; gives where they end. */
static int64_t print_position(tess_page *page, const char *name, const char *type,
                              int64_t row_bytes, int64_t start) {
    tess_page_code(page, NULL,
                   "INLINE %s *%s_rows(const struct block *b) {\n"
                   "    return (%s *)(b->shared + %lld);\n}\n\n",
                   type, name, type, (long long)start);
    return start + (page->threads * row_bytes + 15) / 16 * 16;
}

/* Copies rows of n values of the array NAME; consecutive threads copy consecutive values. */
static void print_stage(tess_page *page, const char *name, int n) {
    tess_page_code(page, NULL,
                   "    TURNS(v, thread_index(), n * %d, THREADS)\n"
                   "        async_copy(&%s_rows(b)[v],\n"
                   "                   &p->%s[%s_at(element_at(p, first + v / %d), v %% %d)]);\n",
                   n, name, name, name, n, n);
}

/* The name of a target's index array. */
static void index_name(const tess_page *page, int r, char name[TESS_SYMBOL_SIZE]) {
    snprintf(name, TESS_SYMBOL_SIZE, "%s_index", page->sets[r].name);
}

static int64_t print_positions(tess_page *page, const tess_rows_staged *staged, int64_t start) {
    char name[TESS_SYMBOL_SIZE];
    for (int i = 0; staged->dats && i < page->n_dats; i++) {
        const tess_page_dat *dat = &page->dats[i];
        if (is_row(dat))
            start =
                print_position(page, dat->symbol, dat->type, (int64_t)dat->dim * dat->size, start);
    }
    for (int r = 0; staged->maps && r < page->bound->n_targets; r++) {
        index_name(page, r, name);
        start =
            print_position(page, name, "int", page->bound->targets[r].n_slots * INT64_C(4), start);
    }
    return start;
}

static void print_stage_rows(tess_page *page, const tess_rows_staged *staged) {
    char name[TESS_SYMBOL_SIZE];
    tess_page_code(
        page, NULL,
        "INLINE void stage_rows(const struct params *p, const struct block *b, int first) {\n"
        "    const int n = b->end - first < THREADS ? b->end - first : THREADS;\n");
    for (int i = 0; staged->dats && i < page->n_dats; i++)
        if (is_row(&page->dats[i]))
            print_stage(page, page->dats[i].symbol, page->dats[i].dim);
    for (int r = 0; staged->maps && r < page->bound->n_targets; r++) {
        index_name(page, r, name);
        print_stage(page, name, page->bound->targets[r].n_slots);
    }
    tess_page_code(page, NULL, "    (void)p, (void)n;\n}\n\n");
}

static void print_read_own(tess_page *page, bool staged) {
    tess_page_code(page, NULL,
                   "INLINE void read_own(const struct params *p, const struct block *b,\n"
                   "                     struct element *e, int i) {\n");
    for (int a = 0; a < page->bound->loop->n_args; a++) {
        const tess_page_dat *dat = tess_page_dat_of(page, a);
        if (!tess_page_reads_own(page, a))
            continue;
        if (staged && is_row(dat))
            tess_page_code(
                page, dat,
                "    UNROLL for (int d = 0; d < @dim; d++)\n"
                "        e->arg%d[d] = load(&@dat_rows(b)[thread_index() * @dim + d]);\n",
                a);
        else
            tess_page_read_own(page, a);
    }
    tess_page_code(page, NULL, "    (void)p, (void)b, (void)e, (void)i;\n}\n\n");
}

static void print_find_own_points(tess_page *page, bool staged) {
    tess_page_code(page, NULL,
                   "INLINE void find_own_points(const struct params *p, const struct block *b,\n"
                   "                            struct element *e, int i) {\n");
    if (!staged)
        tess_page_code(page, NULL, "    find_points(p, e, i);\n");
    for (int r = 0; staged && r < page->bound->n_targets; r++) {
        const tess_page_dat set = tess_page_set_words(page, r);
        const int n_slots = page->bound->targets[r].n_slots;
        for (int s = 0; s < n_slots; s++)
            tess_page_code(page, &set,
                           "    e->@set_point[%d] = load(&@set_index_rows(b)[thread_index() * %d + "
                           "%d]);\n",
                           s, n_slots, s);
    }
    tess_page_code(page, NULL, "    (void)p, (void)b, (void)e, (void)i;\n}\n\n");
}

int64_t tess_table_rows(tess_page *page, const tess_rows_staged *staged, int64_t start) {
    const int64_t end = print_positions(page, staged, start);
    print_stage_rows(page, staged);
    print_read_own(page, staged->dats);
    if (staged->index)
        print_find_own_points(page, staged->maps);
    return end;
}
