/* Gathers: which increments of its block each point sums, and where in shared memory they lie. */
#include "core/base/array.h"
#include "kernels/codegen/tables.h"

#include <stdlib.h>
#include <string.h>

/* The increments of one set's points by block, round and place. */
typedef struct gathers {
    const tess_plan *plan;
    const tess_plan_set *set;
    const int32_t *position; /* of the points of all blocks */
    int64_t most;            /* elements that a block executes */
    int64_t stride;  /* from one round to the next: the points that a block has, to whole sectors */
    int n_rounds;    /* of the point with most increments */
    uint16_t *seen;  /* [points of all blocks]: their increments so far */
    uint16_t *entry; /* [n_blocks][n_rounds][stride] */
} gathers;

/* Runs over the increments of block b; where there are no entries yet it counts rounds only, and
 * gives how many. */
static int list_block(const gathers *all, int32_t b) {
    const tess_plan_set *set = all->set;
    const int64_t first = all->plan->block_offset[b], end = all->plan->block_offset[b + 1];
    int n_rounds = 0;
    for (int s = 0; s < set->n_slots; s++)
        for (int64_t k = first; k < end; k++) {
            const uint16_t local = set->local_index[k * set->n_slots + s];
            if (!set->slot_incremented[s] || local == TESS_NO_POINT)
                continue;
            const int64_t i = set->point_offset[b] + local;
            const int round = all->seen[i]++;
            if (all->entry)
                all->entry[((int64_t)b * all->n_rounds + round) * all->stride + all->position[i]] =
                    (uint16_t)(s * all->most + k - first);
            n_rounds = round >= n_rounds ? round + 1 : n_rounds;
        }
    return n_rounds;
}

static tess_status list_all(gathers *all) {
    const int32_t n_blocks = all->plan->n_blocks;
    const int64_t *offset = all->set->point_offset;
    int n_rounds = 0;
    TRY(TESS_ZEROS(offset[n_blocks], &all->seen));
#pragma omp parallel for schedule(static) reduction(max : n_rounds)
    for (int32_t b = 0; b < n_blocks; b++) {
        const int n = list_block(all, b);
        n_rounds = n > n_rounds ? n : n_rounds;
    }
    all->n_rounds = n_rounds;
    for (int32_t b = 0; b < n_blocks; b++) {
        const int64_t n_points = (offset[b + 1] - offset[b] + 15) / 16 * 16;
        all->stride = n_points > all->stride ? n_points : all->stride;
    }
    memset(all->seen, 0, (size_t)offset[n_blocks] * sizeof *all->seen);
    const int64_t n = n_blocks * all->n_rounds * all->stride;
    TRY(TESS_ALLOC(n, &all->entry));
    memset(all->entry, 0xff, (size_t)n * sizeof *all->entry);
#pragma omp parallel for schedule(static)
    for (int32_t b = 0; b < n_blocks; b++)
        list_block(all, b);
    return TESS_OK;
}

tess_status tess_table_gather(tess_page *page, int r, const int32_t *position) {
    tess_status status = TESS_OK;
    const tess_page_dat set = tess_page_set_words(page, r);
    gathers all = {.plan = page->plan,
                   .set = &page->plan->sets[r],
                   .position = position,
                   .most = tess_page_most_executed(page)};
    if (all.set->n_slots * all.most > UINT16_MAX)
        FAIL(TESS_ERROR_USAGE,
             "sum=block-gather takes blocks of at most %d elements here, not %lld",
             UINT16_MAX / all.set->n_slots, (long long)all.most);
    CHECK(list_all(&all));
    tess_page_print(page, "#define %s_ROUNDS %d\n", set.set, all.n_rounds);
    tess_page_code(page, &set,
                   "INLINE long long @set_gather_at(int block, int round, int i) {\n"
                   "    return (block * (long long)@set_ROUNDS + round) * %lld + i;\n}\n\n",
                   (long long)all.stride);
    CHECK(tess_page_array(page, "const unsigned short *", all.entry,
                          page->plan->n_blocks * all.n_rounds * all.stride * 2, "%s_gather",
                          set.set));
done:
    free(all.entry);
    free(all.seen);
    return status;
}

bool tess_table_is_opposite(const tess_page *page, const tess_page_dat *dat) {
    return page->bound->targets[dat->target].n_slots == 2 &&
           tess_antisymmetry_is_opposite(page->kernel->antisymmetry);
}

int64_t tess_table_increments(tess_page *page, int64_t start) {
    const int64_t most = tess_page_most_executed(page);
    tess_page_print(page, "#define MOST_EXECUTED %lld\n", (long long)most);
    for (int i = 0; i < page->n_dats; i++) {
        const tess_page_dat *dat = &page->dats[i];
        if (!dat->summed)
            continue;
        const bool opposite = tess_table_is_opposite(page, dat);
        tess_page_code(page, dat,
                       "INLINE @type *@dat_increment(const struct block *b, int slot, int d, int "
                       "element) {\n    (void)slot;\n"
                       "    return &((@type *)(b->shared + %lld))[(%s * @dim + d) * "
                       "MOST_EXECUTED + element];\n}\n\n",
                       (long long)start, opposite ? "0" : "slot");
        start += (opposite ? 1 : page->bound->targets[dat->target].n_slots) * dat->dim * most *
                 dat->size;
        start = (start + 15) / 16 * 16;
    }
    tess_page_code(
        page, NULL,
        "/* Keeps what the block's i-th element adds. */\n"
        "INLINE void keep_increments(const struct block *b, const struct element *e, int i) {\n");
    for (int i = 0; i < page->n_accesses; i++) {
        const tess_page_access *to = &page->accesses[i];
        if (to->access == TESS_INC && (to->slot == 0 || !tess_table_is_opposite(page, to->dat)))
            tess_page_code(page, to->dat,
                           "    UNROLL for (int d = 0; d < @dim; d++)\n"
                           "        store(@dat_increment(b, %d, d, i), e->arg%d[%d + d]);\n",
                           to->slot, to->arg, to->offset);
    }
    tess_page_code(page, NULL, "    (void)b, (void)e, (void)i;\n}\n\n");
    return start;
}
