/* Own sums: where blocks own points they sum increments of these alone, which lie one behind the
 * other among what they stage where points are stored by their owners. */
#include "core/base/array.h"
#include "core/plan/point_owners.h"
#include "kernels/codegen/tables.h"

#include <stdlib.h>

/* The least range of block b's points, in the order of storage, that holds those that it owns. */
static void find_range(const tess_page *page, int r, tess_point_owners owners, int32_t b,
                       int32_t range[2]) {
    const tess_plan_set *set = &page->plan->sets[r];
    const int32_t *point = set->points + set->point_offset[b];
    const int64_t n = set->point_offset[b + 1] - set->point_offset[b];
    int32_t low = INT32_MAX, high = -1;
    for (int64_t i = 0; i < n; i++) {
        const int32_t stored = tess_page_point(page, r, point[i]);
        if (owners.owner && tess_point_owner(owners, point[i]) != b)
            continue;
        low = stored < low ? stored : low;
        high = stored > high ? stored : high;
    }
    for (int64_t i = 0; i < n; i++) {
        const int32_t stored = tess_page_point(page, r, point[i]);
        range[0] += stored < low;
        range[1] += stored >= low && stored <= high;
    }
}

static tess_status put_ranges(tess_page *page, int r) {
    tess_status status = TESS_OK;
    const tess_plan *plan = page->plan;
    const tess_point_owners owners =
        tess_point_owners_of(page->bound, plan->partitioned_set, plan->owner, r);
    const tess_page_dat set = tess_page_set_words(page, r);
    int32_t *range = NULL;
    int64_t most = 1;
    CHECK(TESS_ZEROS(2 * plan->n_blocks, &range));
#pragma omp parallel for schedule(static) reduction(max : most)
    for (int32_t b = 0; b < plan->n_blocks; b++) {
        find_range(page, r, owners, b, range + 2 * b);
        most = range[2 * b + 1] > most ? range[2 * b + 1] : most;
    }
    page->sets[r].n_own = most;
    tess_page_member(page, &set,
                     "    int @set_own, @set_n_own; /* where its sums begin, and how many */\n");
    tess_page_open_code(page, &set,
                        "    b.@set_own = fetch(&p->@set_own_range[2 * index]);\n"
                        "    b.@set_n_own = fetch(&p->@set_own_range[2 * index + 1]);\n");
    CHECK(tess_page_array(page, "const int *", range, plan->n_blocks * INT64_C(8), "%s_own_range",
                          set.set));
done:
    free(range);
    return status;
}

tess_status tess_table_own_sums(tess_page *page) {
    for (int r = 0; r < page->bound->n_targets; r++)
        if (page->plan->sets[r].incremented)
            TRY(put_ranges(page, r));
    return TESS_OK;
}
