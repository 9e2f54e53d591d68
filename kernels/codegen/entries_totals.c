/* The totals of entries: what a thread sums of its point. */
#include "kernels/codegen/entries.h"

void tess_entries_copy_rows(tess_page *page, const tess_page_dat *dat, const char *what) {
    tess_table_copy_rows(page, dat, "b->n_own", "own_at(p, b->first + i)", what);
}

/* A dat's part of these functions. */
static void print_total(tess_page *page, const tess_page_dat *dat, int part) {
    static const char each[] = "    UNROLL for (int d = 0; d < @dim; d++)\n    ";
    if (part == 0) {
        tess_page_code(page, dat, "    @type @dat[@dim];\n");
        return;
    }
    if ((part == 1 && dat->aos) || ((part == 2 || part == 4) && !dat->aos))
        return;
    tess_page_if_phase(page, part < 3 ? tess_phases_begin(page, dat->phases)
                                      : tess_phases_end(page, dat->phases));
    if (part == 1)
        tess_page_code(page, dat, "%s    t->@dat[d] = load(&p->@dat[@dat_at(point, d)]);\n", each);
    if (part == 2)
        tess_page_code(page, dat, "%s    t->@dat[d] = load(@dat_sum(b, own, d));\n", each);
    if (part == 3)
        tess_page_code(page, dat, "%s    store(%s, t->@dat[d]);\n", each,
                       dat->aos ? "@dat_sum(b, own, d)" : "&p->@dat[@dat_at(point, d)]");
    if (part == 4)
        tess_entries_copy_rows(
            page, dat, "        store(&p->@dat[@dat_at(point, d)], load(@dat_sum(b, i, d)));\n");
}

void tess_entries_print_totals(tess_page *page) {
    const char *phase = page->n_phases > 0 ? "    (void)phase;\n" : "";
    static const char *const heads[] = {
        "struct totals {\n",
        "INLINE void load_totals(const struct params *p, struct totals *t, int point%s) {\n",
        "INLINE void load_staged_totals(const struct block *b, struct totals *t, int own%s) {\n",
        "INLINE void store_totals(const struct params *p, const struct block *b, const struct "
        "totals *t, int own, int point%s) {\n",
        "INLINE void give_rows(const struct params *p, const struct block *b%s) {\n"};
    static const char *const tails[] = {"};\n\n", "    (void)p, (void)t, (void)point;\n}\n\n",
                                        "    (void)b, (void)t, (void)own;\n}\n\n",
                                        "    (void)p, (void)b, (void)own, (void)point;\n}\n\n",
                                        "    (void)p, (void)b;\n}\n\n"};
    for (int part = 0; part < 5; part++) {
        tess_page_code(page, NULL, heads[part], tess_page_phase(page));
        for (int i = 0; i < page->n_dats; i++)
            if (page->dats[i].summed)
                print_total(page, &page->dats[i], part);
        tess_page_code(page, NULL, "%s%s", part > 0 ? phase : "", tails[part]);
    }
    tess_page_code(
        page, NULL,
        "/* Adds what an element gives to its point of one slot. */\n"
        "INLINE void take(struct totals *t, const struct element *e, int own_slot%s) {\n",
        tess_page_phase(page));
    for (int i = 0; i < page->n_accesses; i++) {
        const tess_page_access *to = &page->accesses[i];
        if (to->access != TESS_INC || !to->dat->summed)
            continue;
        tess_page_if_phase(page, to->phases);
        tess_page_code(page, to->dat,
                       "    if (own_slot == %d)\n"
                       "        UNROLL for (int d = 0; d < @dim; d++)\n"
                       "            t->@dat[d] += e->arg%d[%d + d];\n",
                       to->slot, to->arg, to->offset);
    }
    tess_page_code(page, NULL, "%s    (void)t, (void)e, (void)own_slot;\n}\n\n", phase);
}
