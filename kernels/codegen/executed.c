/* Executed elements: where those of a plan are stored, by position. */
#include "kernels/codegen/tables_there.h"

/* As tess_page_element, of an order that is found once for all. */
static inline int32_t stored_at(const tess_plan *plan, const int32_t *order, int64_t position) {
    const int32_t element = plan->executed[position];
    return order ? order[element] : element;
}

static void fill_executed(const void *context, int64_t at, int64_t bytes, void *to) {
    const tess_page *page = context;
    const int64_t first = at / (int64_t)sizeof(int32_t), n = bytes / (int64_t)sizeof(int32_t);
    const int32_t *order = tess_store_order(page->store, page->bound->set);
    int32_t *const out = to;
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++)
        out[i] = stored_at(page->plan, order, first + i);
}

tess_filler tess_table_executed(const tess_page *page) {
    return (tess_filler){fill_executed, page};
}

bool tess_table_in_order(const tess_page *page) {
    const int32_t *order = tess_store_order(page->store, page->bound->set);
    bool in_order = true;
#pragma omp parallel for reduction(&& : in_order)
    for (int64_t k = 0; k < page->plan->n_executed; k++)
        in_order = in_order && stored_at(page->plan, order, k) == k;
    return in_order;
}

tess_status tess_table_order(tess_page *page) {
    const int64_t bytes = page->plan->n_executed * (int64_t)sizeof(int32_t);
    if (page->there)
        TRY(tess_there_elements(page));
    const bool in_order = page->there ? !page->there->executed : tess_table_in_order(page);
    tess_page_print(page, "#define ELEMENTS_IN_ORDER %d\n", in_order);
    tess_page_code(page, NULL,
                   "INLINE int element_at(const struct params *p, int k) {\n"
                   "    (void)p;\n    return %s;\n}\n\n",
                   in_order ? "k" : "fetch(&p->executed[k])");
    if (in_order)
        return TESS_OK;
    return page->there
               ? tess_there_array(page, "const int *", page->there->executed, bytes, "executed")
               : tess_page_array_filled(page, "const int *", tess_table_executed(page), bytes,
                                        "executed");
}
