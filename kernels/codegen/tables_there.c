/* Tables there: what is brought to the device for them, and what stays there. */
#include "kernels/codegen/tables_there.h"

#include "core/base/array.h"
#include "core/base/print_args.h"
#include <stdlib.h>

tess_status tess_tables_there_open(tess_page *page, const char *kernels) {
    const tess_store *store = page->store;
    TRY(TESS_ZEROS(1, &page->there));
    page->there->room.kernels = &page->there->kernels;
    TRY(TESS_ZEROS(page->bound->n_targets, &page->there->sets));
    return tess_cut_kernels_open(store->device, store->target, kernels, &page->there->kernels);
}

void tess_tables_there_close(tess_page *page) {
    tess_tables_there *there = page->there;
    if (!there)
        return;
    tess_cut_room_close(&there->room);
    tess_cut_kernels_close(&there->kernels);
    free(there->sets);
    free(there);
    page->there = NULL;
}

/* --- what is brought -------------------------------------------------------------------------- */

/* Sends n of a size, unless they are there. */
static tess_status send(tess_page *page, const char *name, const void *from, int64_t n, size_t size,
                        tess_address *to) {
    return *to ? TESS_OK : tess_cut_send(&page->there->room, name, from, n, size, to);
}

tess_status tess_there_offsets(tess_page *page, const int64_t *offset, tess_address *out) {
    const int64_t n = page->plan->n_blocks + INT64_C(1);
    int32_t *narrow = NULL;
    if (offset[n - 1] > INT32_MAX)
        FAIL(TESS_ERROR_MISSING, "more than 2^31 values");
    TRY(TESS_ALLOC(n, &narrow));
    for (int64_t i = 0; i < n; i++)
        narrow[i] = (int32_t)offset[i];
    const tess_status status = send(page, "offsets", narrow, n, sizeof *narrow, out);
    free(narrow);
    return status;
}

/* Fails where a block has more points, or elements, than a thread block sorts. */
static tess_status check_sizes(const tess_plan *plan, int target) {
    const int64_t *offset = target < 0 ? plan->block_offset : plan->sets[target].point_offset;
    for (int32_t b = 0; b < plan->n_blocks; b++)
        if (offset[b + 1] - offset[b] > TESS_CUT_CHUNK)
            FAIL(TESS_ERROR_MISSING, "blocks of more than %d %s", TESS_CUT_CHUNK,
                 target < 0 ? "elements" : "points");
    return TESS_OK;
}

tess_status tess_there_blocks(tess_page *page) {
    tess_tables_there *there = page->there;
    return there->block_offset
               ? TESS_OK
               : tess_there_offsets(page, page->plan->block_offset, &there->block_offset);
}

tess_status tess_there_elements(tess_page *page) {
    tess_tables_there *there = page->there;
    const int64_t n = page->plan->n_executed, size = sizeof(int32_t);
    if (there->knows_executed)
        return TESS_OK;
    there->knows_executed = true;
    if (tess_table_in_order(page))
        return TESS_OK;
    TRY(tess_cut_take(&there->room, "executed elements", n, (size_t)size, &there->executed));
    return tess_device_upload_filled(page->store->device, page->store->target, there->executed,
                                     tess_table_executed(page), n * size);
}

tess_status tess_there_owner(tess_page *page) {
    const tess_bound_loop *bound = page->bound;
    int first_slot = 0;
    const int target = tess_page_owned_target(page, &first_slot);
    return send(page, "owners", page->plan->owner,
                bound->mesh->sets[bound->targets[target].set].size, sizeof *page->plan->owner,
                &page->there->owner);
}

tess_status tess_there_points(tess_page *page, int target) {
    const tess_plan *plan = page->plan;
    const tess_plan_set *set = &plan->sets[target];
    tess_there_set *there = &page->there->sets[target];
    const int to = page->bound->targets[target].set;
    const int32_t *order = tess_store_order(page->store, to);
    if (there->point_offset)
        return TESS_OK;
    TRY(check_sizes(plan, target));
    TRY(send(page, "points", set->points, set->point_offset[plan->n_blocks], sizeof *set->points,
             &there->points));
    TRY(send(page, "local indices", set->local_index, plan->n_executed * set->n_slots,
             sizeof *set->local_index, &there->local_index));
    if (order)
        TRY(send(page, "order of storage", order, page->bound->mesh->sets[to].size, sizeof *order,
                 &there->order));
    return tess_there_offsets(page, set->point_offset, &there->point_offset);
}

tess_status tess_there_incremented(const tess_page *page, int target, int64_t *bits) {
    const tess_plan_set *set = &page->plan->sets[target];
    if (set->n_slots > TESS_SLOTS_THERE)
        FAIL(TESS_ERROR_MISSING, "elements of more than %d points", TESS_SLOTS_THERE);
    *bits = 0;
    for (int s = 0; s < set->n_slots; s++)
        *bits |= (int64_t)((uint64_t)set->slot_incremented[s] << s);
    return TESS_OK;
}

/* --- what stays ------------------------------------------------------------------------------- */

tess_status tess_there_read(const tess_page *page, tess_address from, int64_t n, size_t size,
                            void *to) {
    return tess_cut_bring(&page->there->kernels, to, (const void *)(uintptr_t)from, n, size);
}

tess_status tess_there_bring(const tess_page *page, tess_address from, int64_t n, int32_t **out) {
    TRY(TESS_ALLOC(n, out));
    const tess_status status = tess_there_read(page, from, n, sizeof **out, *out);
    if (status != TESS_OK) {
        free(*out);
        *out = NULL;
    }
    return status;
}

tess_status tess_there_array(tess_page *page, const char *type, tess_address values, int64_t bytes,
                             const char *name, ...) {
    char words[80];
    TESS_PRINT_ARGS(words, name);
    TRY(tess_page_array_placed(page, type, values, bytes, words));
    tess_cut_keep(&page->there->room, values);
    return TESS_OK;
}

/* Adds what follows from staging; *most: the positions that a block needs. */
static tess_status add_lists(tess_page *page, const char *set, int64_t *most) {
    tess_status status = TESS_OK;
    tess_cut_params *p = &page->there->kernels.params;
    const int32_t n_blocks = page->plan->n_blocks;
    int64_t *offset = NULL;
    int32_t *n_others = NULL;
    tess_run *runs = NULL;
    CHECK(TESS_ZEROS(n_blocks + INT64_C(1), &offset));
    CHECK(tess_there_bring(page, p->n_others, n_blocks, &n_others));
    for (int32_t b = 0; b < n_blocks; b++)
        offset[b + 1] = offset[b] + n_others[b];
    if (p->runs) {
        CHECK(TESS_ALLOC(n_blocks, &runs));
        CHECK(tess_there_read(page, p->runs, n_blocks, sizeof *runs, runs));
    }
    for (int32_t b = 0; runs && b < n_blocks; b++)
        if (tess_run_positions(runs[b], n_others[b]) > *most)
            *most = tess_run_positions(runs[b], n_others[b]);
    CHECK(tess_table_runs_there(page, set, offset));
done:
    free(offset);
    free(n_others);
    free(runs);
    return status;
}

tess_status tess_there_stage(tess_page *page, int target, const tess_there_own *own,
                             tess_address *staged_at, int64_t *most) {
    tess_tables_there *there = page->there;
    tess_cut_params *p = &there->kernels.params;
    const tess_plan *plan = page->plan;
    const tess_there_set elements = {there->block_offset, there->executed, 0, 0};
    const tess_there_set *set = target < 0 ? &elements : &there->sets[target];
    const int64_t n =
        target < 0 ? plan->n_executed : plan->sets[target].point_offset[plan->n_blocks];
    *p = (tess_cut_params){.n_blocks = plan->n_blocks,
                           .offsets = set->point_offset,
                           .points = set->points,
                           .order = set->order,
                           .own_offsets = own ? own->offsets : 0,
                           .own_ranks = own ? own->ranks : 0,
                           .in_order = own && own->in_order};
    if (target < 0)
        TRY(check_sizes(plan, target));
    TRY(tess_cut_take(&there->room, "staged positions", n, sizeof(int32_t), staged_at));
    TRY(tess_cut_take(&there->room, "other points", n, sizeof(int32_t), &p->others));
    TRY(tess_cut_take(&there->room, "how many", plan->n_blocks, sizeof(int32_t), &p->n_others));
    if (!own)
        TRY(tess_cut_take(&there->room, "runs", plan->n_blocks, sizeof(tess_run), &p->runs));
    p->staged_at = *staged_at;
    TRY(tess_cut_launch(&there->kernels, "stage_points", plan->n_blocks));
    return add_lists(page, target < 0 ? "own" : page->sets[target].name, most);
}
