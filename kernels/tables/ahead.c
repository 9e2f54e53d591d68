/* What a block brings to the L2 for one that begins later: the plan's part of it. */
#include "core/base/array.h"
#include "kernels/applications/loop_bytes.h"
#include "kernels/page/loop_names.h"
#include "kernels/tables/tables.h"

#include <stdlib.h>

int64_t tess_table_blocks_ahead(const tess_page *page, int64_t ahead) {
    static const int64_t distance = 9000000, cached = 40000000;
    const int64_t bytes = tess_dat_bytes(page->bound) + tess_map_bytes(page->bound);
    if (ahead >= 0)
        return ahead;
    if (bytes < cached || page->kernel->flops * page->bound->n_elements < bytes / 2)
        return 0;
    return (distance * page->plan->n_blocks + bytes - 1) / bytes;
}

/* For each block one past the highest point, as stored, that it or a block before it reaches; the
 * first is 0. Where points are stored in the order in which blocks reach them, those between two
 * such numbers are the ones that are new to a block. */
static tess_status put_frontier(tess_page *page, int r) {
    const tess_plan_set *set = &page->plan->sets[r];
    const int32_t n_blocks = page->plan->n_blocks;
    int32_t *frontier = NULL;
    TRY(TESS_ZEROS(n_blocks + INT64_C(1), &frontier));
    for (int32_t b = 0; b < n_blocks; b++) {
        frontier[b + 1] = frontier[b];
        for (int64_t i = set->point_offset[b]; i < set->point_offset[b + 1]; i++) {
            const int32_t end = tess_page_point(page, r, set->points[i]) + 1;
            frontier[b + 1] = end > frontier[b + 1] ? end : frontier[b + 1];
        }
    }
    const tess_status status =
        tess_page_array(page, "const int *", frontier, (n_blocks + INT64_C(1)) * 4, "%s_frontier",
                        tess_reach_name(page, r));
    free(frontier);
    return status;
}

/* EACH_DIRECT(X): X(dat), elements' own dats that are read, once each. */
static void print_each_direct(tess_page *page) {
    const tess_loop *loop = page->bound->loop;
    char s[TESS_SYMBOL_SIZE];
    tess_page_print(page, "#define EACH_DIRECT(X)");
    for (int a = 0; a < loop->n_args; a++) {
        const tess_arg *arg = &loop->args[a];
        if (arg->map[0] || tess_arg_is_global(arg) || arg->access == TESS_WRITE ||
            tess_dat_named_before(loop, a))
            continue;
        tess_dat_symbol(arg, s);
        tess_page_print(page, " X(%s)", s);
    }
    tess_page_print(page, "\n");
}

tess_status tess_table_ahead(tess_page *page, int64_t ahead) {
    tess_page_print(page, "#define AHEAD %lld\n", (long long)ahead);
    if (ahead == 0)
        return TESS_OK;
    print_each_direct(page);
    for (int r = 0; r < page->bound->n_targets; r++)
        TRY(put_frontier(page, r));
    return TESS_OK;
}
