/* Parts of a plan that go from points back to what increments them: lists, rounds, owners. */
#include "kernels/tables/tables.h"

#include "core/base/array.h"
#include "kernels/page/loop_names.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes offsets of counts: count[i + 1] is the number of i; afterwards where i begins. */
static void add_up(int64_t *count, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        count[i + 1] += count[i];
}

/* Moves offsets that were advanced while a list was filled back to where they began. */
static void move_back(int64_t *offset, int64_t n) {
    memmove(offset + 1, offset, (size_t)n * sizeof *offset);
    offset[0] = 0;
}

/* An increment of staged point `i` (among all blocks'), by position k of block b and a slot. */
typedef void visit_increment(void *context, int64_t i, int32_t b, int64_t k, int slot);

static void visit_block_increments(const tess_page *page, int r, visit_increment *visit,
                                   void *context) {
    const tess_plan *plan = page->plan;
    const tess_plan_set *set = &plan->sets[r];
    for (int32_t b = 0; b < plan->n_blocks; b++)
        for (int64_t k = plan->block_offset[b]; k < plan->block_offset[b + 1]; k++)
            for (int s = 0; s < set->n_slots; s++) {
                const uint16_t local = set->local_index[k * set->n_slots + s];
                if (set->slot_incremented[s] && local != TESS_NO_POINT)
                    visit(context, set->point_offset[b] + local, b, k, s);
            }
}

/* --- rounds ----------------------------------------------------------------------------------- */

typedef struct rounds {
    int32_t *seen;   /* increments of each staged point so far */
    uint16_t *round; /* [slot][stride] */
    int64_t stride;
    int32_t *n_rounds; /* by block */
} rounds;

static void give_round(void *context, int64_t i, int32_t b, int64_t k, int slot) {
    rounds *all = context;
    const int32_t round = all->seen[i]++;
    all->round[slot * all->stride + k] = (uint16_t)round;
    if (round >= all->n_rounds[b])
        all->n_rounds[b] = round + 1;
}

tess_status tess_table_rounds(tess_page *page) {
    tess_status status = TESS_OK;
    const tess_plan *plan = page->plan;
    rounds all = {.stride = tess_store_stride(plan->n_executed)};
    page->has_rounds = true;
    CHECK(TESS_ZEROS(plan->n_blocks, &all.n_rounds));
    for (int r = 0; r < plan->n_sets; r++) {
        const tess_plan_set *set = &plan->sets[r];
        if (!set->incremented)
            continue;
        free(all.seen);
        free(all.round);
        all.round = NULL;
        CHECK(TESS_ZEROS(set->point_offset[plan->n_blocks], &all.seen));
        CHECK(TESS_ZEROS(all.stride * set->n_slots, &all.round));
        visit_block_increments(page, r, give_round, &all);
        CHECK(tess_page_array(page, "const unsigned short *", all.round,
                              all.stride * set->n_slots * 2, "%s_round", tess_reach_name(page, r)));
    }
    CHECK(tess_page_array(page, "const int *", all.n_rounds, plan->n_blocks * INT64_C(4),
                          "n_rounds"));
done:
    free(all.n_rounds);
    free(all.round);
    free(all.seen);
    return status;
}

/* --- owners ----------------------------------------------------------------------------------- */

tess_status tess_table_home(tess_page *page) {
    const tess_plan *plan = page->plan;
    int first_slot = 0;
    const int r = tess_owned_reach(page, &first_slot);
    const tess_loop_target *reach = &page->bound->targets[r];
    uint8_t *home = NULL;
    TRY(TESS_ZEROS(plan->n_executed, &home));
    for (int32_t b = 0; b < plan->n_blocks; b++)
        for (int64_t k = plan->block_offset[b]; k < plan->block_offset[b + 1]; k++) {
            const int64_t e = plan->executed[k];
            for (int s = first_slot; s < reach->n_slots; s++) {
                const int32_t point = reach->slot_index[s][e * reach->slot_stride[s]];
                if (point < 0 || !reach->slot_incremented[s])
                    continue;
                home[k] = plan->owner[point] == b;
                break;
            }
        }
    const tess_status status =
        tess_page_array(page, "const unsigned char *", home, plan->n_executed, "home");
    free(home);
    return status;
}

/* --- two-step --------------------------------------------------------------------------------- */

static void list_point_increments(const tess_page *page, int r, int64_t *offset, int32_t *entry) {
    const tess_plan *plan = page->plan;
    const tess_loop_target *reach = &page->bound->targets[r];
    for (int64_t k = 0; k < plan->n_executed; k++)
        for (int s = 0; s < reach->n_slots; s++) {
            const int32_t point =
                reach->slot_index[s][(int64_t)plan->executed[k] * reach->slot_stride[s]];
            if (point < 0 || !reach->slot_incremented[s])
                continue;
            const int32_t stored = tess_page_point(page, r, point);
            if (!entry)
                offset[stored + 1]++;
            else
                entry[offset[stored]++] = (int32_t)(s * plan->n_executed + k);
        }
}

static tess_status point_list(tess_page *page, int r) {
    tess_status status = TESS_OK;
    const int64_t n = page->bound->mesh->sets[page->bound->targets[r].set].size;
    int64_t *offset = NULL;
    int32_t *entry = NULL;
    if (page->plan->n_executed > INT32_MAX / page->bound->targets[r].n_slots)
        FAIL(TESS_ERROR_INPUT, "loop %s has too many elements for 32-bit entries",
             page->bound->loop->name);
    CHECK(TESS_ZEROS(n + 1, &offset));
    list_point_increments(page, r, offset, NULL);
    add_up(offset, n);
    const int64_t n_entries = offset[n];
    CHECK(TESS_ALLOC(n_entries, &entry));
    list_point_increments(page, r, offset, entry);
    move_back(offset, n);
    CHECK(tess_table_offsets(page, offset, n + 1, tess_reach_name(page, r), "_list_offset"));
    CHECK(tess_page_array(page, "const int *", entry, n_entries * 4, "%s_list",
                          tess_reach_name(page, r)));
done:
    free(entry);
    free(offset);
    return status;
}

tess_status tess_table_point_lists(tess_page *page) {
    const tess_loop *loop = page->bound->loop;
    for (int r = 0; r < page->bound->n_targets; r++)
        if (page->bound->targets[r].incremented)
            TRY(point_list(page, r));
    for (int a = 0; a < loop->n_args; a++) {
        const int r = tess_arg_first_reach(page, a, true);
        if (r < 0)
            continue;
        char type[32];
        snprintf(type, sizeof type, "%s *", tess_type_name(loop->args[a].type));
        TRY(tess_page_array(page, type, NULL,
                            page->plan->n_executed * page->bound->targets[r].n_slots *
                                loop->args[a].dim * (int64_t)tess_type_size(loop->args[a].type),
                            "%s_%s_temporary", loop->args[a].set, loop->args[a].dat));
    }
    return TESS_OK;
}
