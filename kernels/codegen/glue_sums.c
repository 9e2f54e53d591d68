/* The sums of the glue: what a page's threads add to global values. */
#include "kernels/codegen/glue.h"

static bool is_summed(const tess_arg *arg) {
    return !arg->set[0] && arg->access == TESS_INC;
}

static void print_sums(tess_page *page) {
    const tess_loop *loop = page->bound->loop;
    const char *const heads[] = {"struct sums {\n    int none;\n",
                                 "INLINE void sums_clear(struct sums *s) {\n    s->none = 0;\n",
                                 "INLINE void sums_take(struct sums *s, struct element *e) {\n"
                                 "    (void)s, (void)e;\n"};
    const char *const tails[] = {"};\n\n", "}\n\n", "}\n\n"};
    for (int part = 0; part < 3; part++) {
        tess_page_print(page, "%s", heads[part]);
        for (int a = 0; a < loop->n_args; a++) {
            const tess_arg *arg = &loop->args[a];
            if (!is_summed(arg))
                continue;
            if (part == 0) {
                tess_page_print(page, "    %s arg%d[%d];\n", tess_type_name(arg->type), a,
                                arg->dim);
                continue;
            }
            tess_page_print(page, "    UNROLL for (int d = 0; d < %d; d++)\n        ", arg->dim);
            if (part == 1)
                tess_page_print(page, "s->arg%d[d] = 0;\n", a);
            else
                tess_page_print(page, "s->arg%d[d] += e->arg%d[d];\n", a, a);
        }
        tess_page_print(page, "%s", tails[part]);
    }
}

/* sums_give, and room behind the strategy's own shared memory for what the warps of a block sum. */
static void print_sums_give(tess_page *page) {
    const tess_loop *loop = page->bound->loop;
    const bool one_thread = page->one_thread;
    const int64_t n_warps = (page->threads + TESS_WARP - 1) / TESS_WARP;
    int64_t start = 0, n_values = 0;
    for (int i = 0; i < page->n_launches; i++)
        start = page->launches[i].shared_bytes > start ? page->launches[i].shared_bytes : start;
    start = (start + 7) / 8 * 8;
    tess_page_print(page, "INLINE void sums_give(const struct params *p, struct sums *s) {\n");
    for (int giving = 0; giving < (one_thread ? 1 : 2); giving++) {
        n_values = 0;
        for (int a = 0; a < loop->n_args; a++) {
            const tess_arg *arg = &loop->args[a];
            for (int d = 0; is_summed(arg) && d < arg->dim; d++, n_values++) {
                if (giving)
                    tess_page_print(page,
                                    "    if (thread_index() == %lld)\n"
                                    "        GIVE_PARTS(&p->global_%s[%d], ",
                                    (long long)(n_values % page->threads), arg->dat, d);
                else
                    tess_page_print(page, "    GIVE_SUM(&p->global_%s[%d], s->arg%d[%d], ",
                                    arg->dat, d, a, d);
                tess_page_print(page, "(%s *)(shared_memory() + %lld));\n",
                                tess_type_name(arg->type),
                                (long long)(start + n_values * n_warps * 8));
            }
        }
        if (!giving && !one_thread && n_values > 0)
            tess_page_print(page, "    barrier();\n");
    }
    tess_page_print(page, "    (void)p, (void)s;\n}\n\n");
    for (int i = 0; n_values > 0 && !one_thread && i < page->n_launches; i++)
        page->launches[i].shared_bytes = start + n_values * n_warps * 8;
}

void tess_glue_sums(tess_page *page) {
    print_sums(page);
    print_sums_give(page);
}
