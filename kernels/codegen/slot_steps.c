/* Steps: the slots through which a block's elements increment its points, one after another, such
 * that the increments of a point come in the order of the elements, whatever the block. */
#include "core/base/array.h"
#include "core/base/rows.h"
#include "kernels/codegen/tables.h"

#include <stdlib.h>

/* The increments of a block's points that wait for their step: a row for each point and each pass
 * of the block's threads, of elements among the block's * n_slots + slot. */
typedef struct waiting {
    const tess_plan *plan;
    const tess_plan_set *set;
    int threads, n_passes;
    tess_rows *rows;
    uint16_t *n_done; /* of each row: those that have their step */
    uint16_t *number; /* [n_slots][n_executed]: the steps of that slot before its own */
} waiting;

/* Counts the rows' items, or puts them there: a row is of one block. */
static void list(waiting *all, bool put) {
    const tess_plan_set *set = all->set;
#pragma omp parallel for schedule(static)
    for (int32_t b = 0; b < all->plan->n_blocks; b++) {
        const int64_t first = all->plan->block_offset[b], end = all->plan->block_offset[b + 1];
        for (int64_t k = first; k < end; k++)
            for (int s = 0; s < set->n_slots; s++) {
                const uint16_t local = set->local_index[k * set->n_slots + s];
                const int64_t row =
                    (set->point_offset[b] + local) * all->n_passes + (k - first) / all->threads;
                if (!set->slot_incremented[s] || local == TESS_NO_POINT)
                    continue;
                if (put)
                    tess_rows_put(all->rows, row, (int32_t)((k - first) * set->n_slots + s));
                else
                    tess_rows_count(all->rows, row);
            }
    }
}

/* Gives step `number` of a slot to the first increment that waits in a row, where that is of this
 * slot; n_first: by slot, the rows whose first is of it then. */
static void take_step(waiting *all, int slot, int number, int64_t *n_first) {
    const int n_slots = all->set->n_slots;
    const int64_t *begin = all->rows->offset;
#pragma omp parallel for schedule(static) reduction(+ : n_first[:n_slots])
    for (int32_t b = 0; b < all->plan->n_blocks; b++)
        for (int64_t row = all->set->point_offset[b] * all->n_passes;
             row < all->set->point_offset[b + 1] * all->n_passes; row++) {
            const int32_t *item = all->rows->item + begin[row] + all->n_done[row];
            const int32_t *end = all->rows->item + begin[row + 1];
            if (item < end && *item % n_slots == slot) {
                const int64_t k = all->plan->block_offset[b] + *item / n_slots;
                all->number[slot * all->plan->n_executed + k] = (uint16_t)number;
                all->n_done[row]++;
                item++;
            }
            if (item < end)
                n_first[*item % n_slots]++;
        }
}

int tess_slot_steps_of(const tess_slot_steps *steps, int n, int slot) {
    int number = 0;
    for (int t = 0; t < n; t++)
        number += steps->slot[t] == slot;
    return number;
}

/* The next step is of the slot that most rows wait for. */
static tess_status schedule(waiting *all, tess_slot_steps *steps) {
    tess_status status = TESS_OK;
    const int n_slots = all->set->n_slots;
    int64_t *n_first = NULL, room = 0;
    CHECK(TESS_ZEROS(n_slots, &n_first));
    take_step(all, -1, 0, n_first);
    for (;;) {
        int most = 0;
        for (int s = 1; s < n_slots; s++)
            most = n_first[s] > n_first[most] ? s : most;
        if (n_first[most] == 0)
            break;
        const int number = tess_slot_steps_of(steps, steps->n, most);
        CHECK(TESS_RESERVE(steps->n + 1, &room, &steps->slot));
        steps->slot[steps->n++] = most;
        for (int s = 0; s < n_slots; s++)
            n_first[s] = 0;
        take_step(all, most, number, n_first);
    }
done:
    free(n_first);
    return status;
}

tess_status tess_slot_steps_make(const tess_page *page, int target, uint16_t *number,
                                 tess_slot_steps *steps) {
    tess_status status = TESS_OK;
    const tess_plan *plan = page->plan;
    waiting all = {.plan = plan,
                   .set = &plan->sets[target],
                   .threads = page->threads,
                   .n_passes =
                       (int)((tess_page_most_executed(page) + page->threads - 1) / page->threads),
                   .number = number};
    const int64_t n_rows = all.set->point_offset[plan->n_blocks] * all.n_passes;
    CHECK(tess_rows_new(n_rows, &all.rows));
    CHECK(TESS_ZEROS(n_rows, &all.n_done));
    list(&all, false);
    CHECK(tess_rows_open(all.rows));
    list(&all, true);
    CHECK(schedule(&all, steps));
done:
    free(all.n_done);
    tess_rows_free(all.rows);
    return status;
}
