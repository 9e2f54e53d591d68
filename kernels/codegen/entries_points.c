/* The points of entries: which each block owns, and which it stages. */
#include "core/base/array.h"
#include "core/base/sort.h"
#include "kernels/codegen/entries.h"

#include <stdlib.h>

/* --- own points ------------------------------------------------------------------------------- */

/* Lists where the own points of a block are stored that it reaches, or (NULL) gives how many: the
 * others have no increments. */
static int64_t list_own(const tess_entries *all, int32_t b, int32_t *stored) {
    const tess_plan *plan = all->page->plan;
    const tess_plan_set *set = &plan->sets[all->target];
    int64_t n = 0;
    for (int64_t i = set->point_offset[b]; i < set->point_offset[b + 1]; i++) {
        if (plan->owner[set->points[i]] != b)
            continue;
        if (stored)
            stored[n] = tess_page_point(all->page, all->target, set->points[i]);
        n++;
    }
    return n;
}

/* Puts the own points of a block in the order of storage; whether they are stored one behind the
 * other, as their positions are. */
static bool order_own(tess_entries *all, int32_t b, int32_t *own) {
    const tess_plan *plan = all->page->plan;
    const tess_plan_set *set = &plan->sets[all->target];
    const int64_t first = all->own_offset[b], n = list_own(all, b, own + first);
    bool in_order = true;
    tess_sort(own + first, n);
    for (int64_t k = first; k < first + n; k++)
        in_order = in_order && own[k] == k;
    for (int64_t i = set->point_offset[b]; i < set->point_offset[b + 1]; i++) {
        const int32_t point = set->points[i];
        if (plan->owner[point] == b)
            all->rank[point] =
                (int32_t)(first +
                          tess_sorted_position(own + first, n,
                                               tess_page_point(all->page, all->target, point)));
    }
    return in_order;
}

/* That of all blocks. */
static tess_status order_all_own(tess_entries *all, int32_t **own) {
    const tess_page *page = all->page;
    const int32_t n_blocks = page->plan->n_blocks;
    bool in_order = true;
    TRY(TESS_ALLOC(page->bound->mesh->sets[page->bound->targets[all->target].set].size,
                   &all->rank));
#pragma omp parallel for schedule(static)
    for (int32_t b = 0; b < n_blocks; b++)
        all->own_offset[b + 1] = list_own(all, b, NULL);
    for (int32_t b = 0; b < n_blocks; b++)
        all->own_offset[b + 1] += all->own_offset[b];
    TRY(TESS_ALLOC(all->own_offset[n_blocks], own));
#pragma omp parallel for schedule(static) reduction(&& : in_order)
    for (int32_t b = 0; b < n_blocks; b++)
        in_order = order_own(all, b, *own) && in_order;
    all->own_in_order = in_order;
    return TESS_OK;
}

/* Own points by block in the order of storage, so that neighbouring threads write neighbouring
 * points. */
tess_status tess_entries_put_own(tess_entries *all) {
    tess_status status = TESS_OK;
    tess_page *page = all->page;
    int32_t *own = NULL;
    tess_address own_there = 0;
    CHECK(TESS_ZEROS(page->plan->n_blocks + INT64_C(1), &all->own_offset));
    CHECK(page->there ? tess_entries_own_there(all, &own_there) : order_all_own(all, &own));
    const bool in_order = all->own_in_order;
    const int64_t bytes = all->own_offset[page->plan->n_blocks] * INT64_C(4);
    tess_page_print(page, "#define OWN_IN_ORDER %d\n", in_order);
    tess_page_code(page, NULL,
                   "INLINE int own_at(const struct params *p, int k) {\n    (void)p;\n"
                   "    return %s;\n}\n\n",
                   in_order ? "k" : "fetch(&p->own[k])");
    if (!in_order)
        CHECK(page->there ? tess_there_array(page, "const int *", own_there, bytes, "own")
                          : tess_page_array(page, "const int *", own, bytes, "own"));
    CHECK(tess_table_ranges(page, "own_begin", "own_end", all->own_offset, "", "own_offset"));
done:
    free(own);
    return status;
}

/* --- staged points ---------------------------------------------------------------------------- */

/* What a block stages of its own points: as they are stored, else as if from the start. */
static tess_run own_run(const tess_entries *all, int32_t b) {
    const int64_t first = all->own_offset[b];
    return (tess_run){.begin = all->own_in_order ? (int32_t)first : 0,
                      .length = (int32_t)(all->own_offset[b + 1] - first)};
}

static bool is_own(const tess_entries *all, int r, int32_t b, int32_t point) {
    return r == all->target && all->page->plan->owner[point] == b;
}

/* Gives each point of block b its staged place; the run, and what is not in it to `others`. */
static int64_t stage_block(const tess_entries *all, int r, int32_t b, int32_t *stored,
                           tess_run *run, int32_t *others) {
    int32_t *at = all->staged_at[r];
    const tess_plan_set *set = &all->page->plan->sets[r];
    const int64_t first = set->point_offset[b], n = set->point_offset[b + 1] - first;
    int64_t n_stored = 0;
    for (int64_t i = 0; i < n; i++)
        if (!is_own(all, r, b, set->points[first + i]))
            stored[n_stored++] = tess_page_point(all->page, r, set->points[first + i]);
    tess_sort(stored, n_stored);
    *run = r == all->target ? own_run(all, b) : tess_run_longest(stored, n_stored);
    const tess_run outside = r == all->target ? (tess_run){0, 0} : *run;
    const int64_t n_others = tess_run_others(outside, stored, n_stored, others);
    for (int64_t i = 0; i < n; i++) {
        const int32_t point = set->points[first + i];
        at[first + i] =
            is_own(all, r, b, point)
                ? run->begin % TESS_RUN_ALIGNED + (int32_t)(all->rank[point] - all->own_offset[b])
                : tess_run_position(*run, r == all->target, tess_page_point(all->page, r, point),
                                    others, n_others);
    }
    return n_others;
}

/* The run of what blocks own. */
static void print_own_run(tess_page *page, int r) {
    const tess_page_dat words = tess_page_set_words(page, r);
    tess_page_code(page, &words,
                   "INLINE int @set_run_begin(const struct params *p, int block) {\n"
                   "    return OWN_IN_ORDER ? own_begin(p, block) : 0;\n}\n\n"
                   "INLINE int @set_run_end(const struct params *p, int block) {\n"
                   "    return own_end(p, block) - (OWN_IN_ORDER ? 0 : own_begin(p, block));"
                   "\n}\n\n");
}

static tess_status stage_there(tess_entries *all, int r) {
    int64_t most = 0;
    TRY(tess_there_points(all->page, r));
    return tess_there_stage(all->page, r, r == all->target ? &all->there.own : NULL,
                            &all->there.staged_at[r], &most);
}

static tess_status stage_here(tess_entries *all, int r) {
    tess_status status = TESS_OK;
    tess_page *page = all->page;
    const tess_plan *plan = page->plan;
    const tess_plan_set *set = &plan->sets[r];
    const int64_t n = set->point_offset[plan->n_blocks];
    int64_t *offset = NULL;
    int32_t *others = NULL, *stored = NULL;
    tess_run *runs = NULL;
    CHECK(TESS_ALLOC(n, &all->staged_at[r]));
    CHECK(TESS_ALLOC(n, &others));
    CHECK(TESS_ALLOC(n, &stored));
    CHECK(TESS_ALLOC(plan->n_blocks, &runs));
    CHECK(TESS_ZEROS(plan->n_blocks + 1, &offset));
#pragma omp parallel for schedule(static)
    for (int32_t b = 0; b < plan->n_blocks; b++) {
        const int64_t first = set->point_offset[b];
        offset[b + 1] = stage_block(all, r, b, stored + first, &runs[b], others + first);
    }
    tess_table_close_gaps(others, set->point_offset, plan->n_blocks, offset);
    CHECK(
        tess_table_runs(page, page->sets[r].name, r == all->target ? NULL : runs, offset, &others));
done:
    free(runs);
    free(stored);
    free(others);
    free(offset);
    return status;
}

tess_status tess_entries_put_staged(tess_entries *all, int r) {
    if (r == all->target)
        print_own_run(all->page, r);
    return all->page->there ? stage_there(all, r) : stage_here(all, r);
}
