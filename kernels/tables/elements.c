/* Staged elements: the elements that a block executes, so that their own values can be copied to
 * shared memory once, for all of their points. */
#include "core/base/array.h"
#include "core/base/sort.h"
#include "kernels/page/loop_names.h"
#include "kernels/tables/tables.h"

#include <stdlib.h>
#include <string.h>

/* Gives the elements of block b their staged places; what is not in the run to `others`. */
static int64_t stage_block(const tess_page *page, int32_t b, int32_t *stored, tess_run *run,
                           int32_t *others, int32_t *place) {
    const tess_plan *plan = page->plan;
    const int64_t first = plan->block_offset[b], n = plan->block_offset[b + 1] - first;
    for (int64_t i = 0; i < n; i++)
        stored[i] = tess_page_element(page, plan->executed[first + i]);
    tess_sort(stored, n);
    *run = tess_run_longest(stored, n);
    const int64_t n_others = tess_run_others(*run, stored, n, others);
    for (int64_t i = 0; i < n; i++)
        place[first + i] = tess_run_place(
            *run, false, tess_page_element(page, plan->executed[first + i]), others, n_others);
    return n_others;
}

/* Stages the elements of all blocks; *most: the places that one needs. */
static tess_status put_staged(tess_page *page, int64_t *most, int32_t *place) {
    tess_status status = TESS_OK;
    const tess_plan *plan = page->plan;
    int64_t *offset = NULL;
    int32_t *stored = NULL, *others = NULL;
    tess_run *runs = NULL;
    CHECK(TESS_ALLOC(plan->n_executed, &stored));
    CHECK(TESS_ALLOC(plan->n_executed, &others));
    CHECK(TESS_ALLOC(plan->n_blocks, &runs));
    CHECK(TESS_ZEROS(plan->n_blocks + INT64_C(1), &offset));
    for (int32_t b = 0; b < plan->n_blocks; b++) {
        const int64_t n_others = stage_block(page, b, stored, &runs[b], others + offset[b], place);
        offset[b + 1] = offset[b] + n_others;
        if (tess_run_end(runs[b]) + n_others > *most)
            *most = tess_run_end(runs[b]) + n_others;
    }
    CHECK(tess_table_runs(page, "own", runs, offset, &others));
done:
    free(offset);
    free(stored);
    free(others);
    free(runs);
    return status;
}

/* True for the first arg that reads an element's own values of a dat. */
static bool is_own_read(const tess_loop *loop, int a) {
    const tess_arg *arg = &loop->args[a];
    return !arg->map[0] && !tess_arg_is_global(arg) && arg->access == TESS_READ &&
           !tess_dat_named_before(loop, a);
}

int64_t tess_table_own_reads(const tess_page *page) {
    int64_t n = 0;
    for (int a = 0; a < page->bound->loop->n_args; a++)
        n += is_own_read(page->bound->loop, a);
    return n;
}

/* EACH_OWN_READ(X), and where the copies of each dat lie. */
static int64_t print_copies(tess_page *page, int64_t most, int64_t start) {
    const tess_loop *loop = page->bound->loop;
    char s[TESS_SYMBOL_SIZE];
    tess_page_print(page, "#define ELEMENTS_STAGED %lld\n#define EACH_OWN_READ(X)",
                    (long long)most);
    for (int a = 0; a < loop->n_args; a++) {
        tess_dat_symbol(&loop->args[a], s);
        if (is_own_read(loop, a))
            tess_page_print(page, " X(%s)", s);
    }
    tess_page_print(page, "\n");
    for (int a = 0; a < loop->n_args; a++) {
        if (!is_own_read(loop, a))
            continue;
        tess_dat_symbol(&loop->args[a], s);
        tess_page_print(page, "#define %s_OWN %lld\n", s, (long long)start);
        start += most * loop->args[a].dim * (int64_t)tess_type_size(loop->args[a].type);
        start = (start + 15) / 16 * 16;
    }
    return start;
}

tess_status tess_table_elements(tess_page *page, int64_t *bytes, int32_t **place) {
    int64_t most = 0;
    page->has_own_reads = true;
    TRY(TESS_ALLOC(page->plan->n_executed, place));
    TRY(put_staged(page, &most, *place));
    *bytes = print_copies(page, (most + 11) / 16 * 16 + 4, *bytes);
    return TESS_OK;
}
