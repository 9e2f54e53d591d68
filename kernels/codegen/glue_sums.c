/* The sums of the glue: what a page's threads add to global values. */
#include "kernels/codegen/glue.h"

static bool is_sum(const tess_page_dat *dat) {
    return !dat->set[0] && dat->written;
}

/* struct sums and sums_clear. */
static void print_sums(tess_page *page, const tess_page_dat *dats, int n) {
    tess_page_code(page, NULL, "struct sums {\n    int none;\n");
    for (int i = 0; i < n; i++)
        if (is_sum(&dats[i]))
            tess_page_code(page, &dats[i], "    @type @dat[@dim];\n");
    tess_page_code(page, NULL,
                   "};\n\nINLINE void sums_clear(struct sums *s) {\n    s->none = 0;\n");
    for (int i = 0; i < n; i++)
        if (is_sum(&dats[i]))
            tess_page_code(page, &dats[i],
                           "    UNROLL for (int d = 0; d < @dim; d++)\n        s->@dat[d] = 0;\n");
    tess_page_code(page, NULL, "}\n\n");
}

int64_t tess_glue_sums_print(tess_page *page, const tess_page_dat *dats, int n, int64_t start) {
    const int64_t part_bytes = (page->threads + TESS_WARP - 1) / TESS_WARP * 8;
    int64_t end = start;
    print_sums(page, dats, n);
    tess_page_code(page, NULL, "INLINE void sums_give(const struct params *p, struct sums *s) {\n");
    for (int giving = 0; giving < (page->one_thread ? 1 : 2); giving++) {
        end = start;
        for (int i = 0; i < n; i++)
            for (int v = 0; is_sum(&dats[i]) && v < dats[i].dim; v++, end += part_bytes) {
                if (giving)
                    tess_page_code(page, &dats[i],
                                   "    if (thread_index() == %lld)\n"
                                   "        GIVE_PARTS(&p->@dat[%d], ",
                                   (long long)((end - start) / part_bytes % page->threads), v);
                else
                    tess_page_code(page, &dats[i], "    GIVE_SUM(&p->@dat[%d], s->@dat[%d], ", v,
                                   v);
                tess_page_code(page, &dats[i], "(@type *)(shared_memory() + %lld));\n",
                               (long long)end);
            }
        if (!giving && !page->one_thread && end > start)
            tess_page_code(page, NULL, "    barrier();\n");
    }
    tess_page_code(page, NULL, "    (void)p, (void)s;\n}\n\n");
    return page->one_thread ? start : end;
}

void tess_glue_sums(tess_page *page) {
    const tess_loop *loop = page->bound->loop;
    int64_t start = 0;
    for (int i = 0; i < page->n_launches; i++)
        start = page->launches[i].shared_bytes > start ? page->launches[i].shared_bytes : start;
    start = (start + 7) / 8 * 8;
    const int64_t end = tess_glue_sums_print(page, page->dats, page->n_dats, start);
    tess_page_code(page, NULL,
                   "INLINE void sums_take(struct sums *s, struct element *e) {\n"
                   "    (void)s, (void)e;\n");
    for (int a = 0; a < loop->n_args; a++)
        if (!loop->args[a].set[0] && loop->args[a].access == TESS_INC)
            tess_page_code(page, tess_page_dat_of(page, a),
                           "    UNROLL for (int d = 0; d < @dim; d++)\n"
                           "        s->@dat[d] += e->arg%d[d];\n",
                           a);
    tess_page_code(page, NULL, "}\n\n");
    for (int i = 0; end > start && i < page->n_launches; i++)
        page->launches[i].shared_bytes = end;
}
