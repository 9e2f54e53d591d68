/* Staged elements: the elements that a block executes, so that their own values can be copied to
 * shared memory once, for all of their points. */
#include "core/base/array.h"
#include "core/base/sort.h"
#include "kernels/codegen/tables_there.h"

#include <stdlib.h>

/* Gives the elements of block b their staged places; what is not in the run to `others`. */
static int64_t stage_block(const tess_page *page, int32_t b, int32_t *stored, tess_run *run,
                           int32_t *others, int32_t *position) {
    const tess_plan *plan = page->plan;
    const int64_t first = plan->block_offset[b], n = plan->block_offset[b + 1] - first;
    for (int64_t i = 0; i < n; i++)
        stored[i] = tess_page_element(page, plan->executed[first + i]);
    tess_sort(stored, n);
    *run = tess_run_longest(stored, n);
    const int64_t n_others = tess_run_others(*run, stored, n, others);
    for (int64_t i = 0; i < n; i++)
        position[first + i] = tess_run_position(
            *run, false, tess_page_element(page, plan->executed[first + i]), others, n_others);
    return n_others;
}

/* Stages the elements of all blocks. */
static tess_status put_staged(tess_page *page, tess_staged_elements *out) {
    tess_status status = TESS_OK;
    const tess_plan *plan = page->plan;
    int64_t *offset = NULL;
    int32_t *stored = NULL, *others = NULL;
    tess_run *runs = NULL;
    CHECK(TESS_ALLOC(plan->n_executed, &out->position));
    CHECK(TESS_ALLOC(plan->n_executed, &stored));
    CHECK(TESS_ALLOC(plan->n_executed, &others));
    CHECK(TESS_ALLOC(plan->n_blocks, &runs));
    CHECK(TESS_ZEROS(plan->n_blocks + INT64_C(1), &offset));
#pragma omp parallel for schedule(static)
    for (int32_t b = 0; b < plan->n_blocks; b++) {
        const int64_t first = plan->block_offset[b];
        offset[b + 1] =
            stage_block(page, b, stored + first, &runs[b], others + first, out->position);
    }
    for (int32_t b = 0; b < plan->n_blocks; b++)
        if (tess_run_positions(runs[b], offset[b + 1]) > out->n_positions)
            out->n_positions = tess_run_positions(runs[b], offset[b + 1]);
    tess_table_close_gaps(others, plan->block_offset, plan->n_blocks, offset);
    CHECK(tess_table_runs(page, "own", runs, offset, &others));
done:
    free(offset);
    free(stored);
    free(others);
    free(runs);
    return status;
}

int64_t tess_table_own_reads(const tess_page *page) {
    int64_t n = 0;
    for (int i = 0; i < page->n_dats; i++)
        n += page->dats[i].read_directly;
    return n;
}

int tess_table_own_dats(const tess_page *page, tess_page_dat *dats) {
    int n = 0;
    for (int i = 0; i < page->n_dats; i++)
        if (page->dats[i].read_directly) {
            dats[n] = page->dats[i];
            dats[n++].set = "own";
        }
    return n;
}

/* @dat_own(b, i, d): where the copies of each dat lie. */
static int64_t print_copies(tess_page *page, int64_t most, int64_t start) {
    for (int i = 0; i < page->n_dats; i++) {
        const tess_page_dat *dat = &page->dats[i];
        if (!dat->read_directly)
            continue;
        tess_page_code(page, dat,
                       "INLINE @type *@dat_own(const struct block *b, int i, int d) {\n"
                       "    return &((@type *)(b->shared + %lld))[d * %lld + i];\n}\n\n",
                       (long long)start, (long long)most);
        start += most * dat->dim * dat->size;
        start = (start + 15) / 16 * 16;
    }
    return start;
}

/* read_element and stored_element: by the position of an element among the staged. */
static void print_read_element(tess_page *page) {
    const tess_loop *loop = page->bound->loop;
    tess_page_code(page, NULL,
                   "INLINE void read_element(const struct params *p, const struct block *b, struct "
                   "element *e, int i) {\n");
    for (int a = 0; a < loop->n_args; a++) {
        const tess_page_dat *dat = tess_page_dat_of(page, a);
        if (!tess_page_reads_own(page, a))
            continue;
        if (dat->set[0])
            tess_page_code(page, dat,
                           "    UNROLL for (int d = 0; d < @dim; d++)\n"
                           "        e->arg%d[d] = load(@dat_own(b, i, d));\n",
                           a);
        else
            tess_page_read_own(page, a);
    }
    tess_page_code(
        page, NULL,
        "    (void)p, (void)b, (void)e, (void)i;\n}\n\n"
        "INLINE int stored_element(const struct params *p, const struct block *b, int i) {\n"
        "    return i < b->own_others ? b->own_begin - b->own_run_place + i\n"
        "                             : fetch(&p->own_others[b->own_list + i - "
        "b->own_others]);\n}\n\n");
}

tess_status tess_table_elements(tess_page *page, int64_t *bytes, tess_staged_elements *out) {
    *out = (tess_staged_elements){.n_positions = 1};
    if (page->there) {
        TRY(tess_there_blocks(page));
        TRY(tess_there_elements(page));
        TRY(tess_there_stage(page, -1, NULL, &out->there, &out->n_positions));
    } else {
        TRY(put_staged(page, out));
    }
    *bytes = print_copies(page, (out->n_positions + 11) / 16 * 16 + 4, *bytes);
    tess_table_run_members(page, "own");
    print_read_element(page);
    return TESS_OK;
}
