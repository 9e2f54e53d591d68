/* Slots there: tables of strategies that sum in shared memory, made on the device of a page
 * (kernels/cut/slot_tables.cu). */
#include "kernels/codegen/slots_there.h"

#include "core/base/array.h"
#include "core/plan/point_owners.h"
#include "kernels/cut/device_sort.h"

#include <stdlib.h>
#include <string.h>

/* Prepares kernels for a target. */
static tess_status begin(tess_page *page, int r) {
    const tess_plan *plan = page->plan;
    const tess_plan_set *set = &plan->sets[r];
    int64_t incremented = 0;
    TRY(tess_there_incremented(page, r, &incremented));
    TRY(tess_there_blocks(page));
    TRY(tess_there_points(page, r));
    const tess_there_set *there = &page->there->sets[r];
    page->there->kernels.params =
        (tess_cut_params){.n = plan->n_executed,
                          .n_blocks = plan->n_blocks,
                          .n_slots = set->n_slots,
                          .n_points = page->bound->mesh->sets[page->bound->targets[r].set].size,
                          .n_staged = tess_page_staged(page, r),
                          .stride = tess_store_stride(plan->n_executed),
                          .elements = page->there->block_offset,
                          .offsets = there->point_offset,
                          .points = there->points,
                          .local_index = there->local_index,
                          .order = there->order,
                          .incremented = incremented};
    return TESS_OK;
}

static tess_status launch(tess_page *page, const char *kernel) {
    return tess_cut_launch(&page->there->kernels, kernel, page->plan->n_blocks);
}

static tess_status take(tess_page *page, const char *name, int64_t n, size_t size,
                        tess_address *out) {
    return tess_cut_take(&page->there->room, name, n, size, out);
}

static int64_t n_points_of(const tess_page *page, int r) {
    return page->plan->sets[r].point_offset[page->plan->n_blocks];
}

/* Gives points of blocks their positions in the order of storage. */
static tess_status rank_points(tess_page *page, int r, tess_address *staged_at) {
    tess_cut_params *p = &page->there->kernels.params;
    TRY(take(page, "positions", n_points_of(page, r), sizeof(int32_t), staged_at));
    TRY(take(page, "how many", p->n_blocks, sizeof(int32_t), &p->own_offsets));
    p->own_ranks = p->staged_at = *staged_at;
    return launch(page, "rank_own_points");
}

/* Finds which points blocks increment, and, of what is `kept`, who is the first; *partly: not all
 * that they have. */
static tess_status mark_points(tess_page *page, int r, bool kept, bool *partly) {
    tess_cut_params *p = &page->there->kernels.params;
    uint32_t some = 0;
    TRY(take(page, "incremented points", n_points_of(page, r), sizeof(uint8_t), &p->flags));
    TRY(take(page, "blocks of points", p->n_points, sizeof(int32_t), &p->holders));
    if (kept)
        TRY(take(page, "first blocks of points", p->n_points, sizeof(uint32_t), &p->marks));
    TRY(take(page, "others", 1, sizeof some, &p->most));
    TRY(launch(page, "mark_incremented"));
    TRY(tess_there_read(page, p->most, 1, sizeof some, &some));
    *partly = some > 0;
    return TESS_OK;
}

/* Lets kernels find what decides which points are marked. */
static tess_status find_marks(tess_page *page, int r, tess_marks marks) {
    tess_cut_params *p = &page->there->kernels.params;
    const tess_plan *plan = page->plan;
    const bool incremented = plan->sets[r].incremented;
    const tess_point_owners owners =
        tess_point_owners_of(page->bound, plan->partitioned_set, plan->owner, r);
    if (!incremented || (marks != TESS_MARK_BORDER && marks != TESS_MARK_KEPT))
        p->holders = 0;
    if (!incremented || marks != TESS_MARK_OTHERS || !owners.owner)
        return TESS_OK;
    TRY(tess_there_owner(page));
    p->owners = page->there->owner;
    return owners.pairs ? tess_cut_send(&page->there->room, "pairs", owners.pairs, 2 * p->n_points,
                                        sizeof *owners.pairs, &p->map)
                        : TESS_OK;
}

/* Lists what is kept of points that are staged there. */
static tess_status list_border(tess_page *page, int r, bool partly) {
    tess_status status = TESS_OK;
    const tess_cut_params *p = &page->there->kernels.params;
    const int64_t n = n_points_of(page, r);
    int32_t *points = NULL;
    uint8_t *incremented = NULL;
    CHECK(TESS_ALLOC(n, &incremented));
    CHECK(tess_there_bring(page, p->points_out, n, &points));
    if (partly)
        CHECK(tess_there_read(page, p->flags_out, n, sizeof *incremented, incremented));
    else
        memset(incremented, 1, (size_t)n);
    CHECK(tess_table_border_lists(page, r, points, incremented, n));
done:
    free(points);
    free(incremented);
    return status;
}

tess_status tess_staged_points_there(tess_page *page, int r, tess_marks marks,
                                     tess_address *staged_at, bool *partly) {
    const char *set = page->sets[r].name;
    const int64_t n = n_points_of(page, r);
    tess_cut_params *p = &page->there->kernels.params;
    TRY(tess_table_offsets(page, page->plan->sets[r].point_offset, page->plan->n_blocks + 1, set,
                           "_point_offset"));
    TRY(begin(page, r));
    TRY(rank_points(page, r, staged_at));
    TRY(mark_points(page, r, marks == TESS_MARK_KEPT, partly));
    *partly = *partly && page->plan->sets[r].incremented;
    TRY(find_marks(page, r, marks));
    TRY(take(page, "staged points", n, sizeof(int32_t), &p->points_out));
    if (*partly)
        TRY(take(page, "staged points' flags", n, sizeof(uint8_t), &p->flags_out));
    TRY(launch(page, "put_staged_points"));
    TRY(tess_there_array(page, "const int *", p->points_out, n * 4, "%s_points", set));
    if (marks == TESS_MARK_KEPT && page->plan->sets[r].incremented)
        TRY(list_border(page, r, *partly));
    return *partly ? tess_there_array(page, "const unsigned char *", p->flags_out, n,
                                      "%s_incremented", set)
                   : TESS_OK;
}

tess_status tess_packed_points_there(tess_page *page, int r, tess_address *staged_at,
                                     int32_t *n_incremented) {
    const int64_t n = n_points_of(page, r);
    tess_cut_params *p = &page->there->kernels.params;
    bool partly = false;
    TRY(begin(page, r));
    TRY(rank_points(page, r, staged_at));
    TRY(mark_points(page, r, false, &partly));
    TRY(take(page, "staged points", n, sizeof(int32_t), &p->points_out));
    TRY(take(page, "positions", n, sizeof(int32_t), staged_at));
    TRY(take(page, "how many", p->n_blocks, sizeof(int32_t), &p->n_first));
    p->staged_out = *staged_at;
    TRY(launch(page, "put_incremented_first"));
    TRY(tess_there_read(page, p->n_first, p->n_blocks, sizeof *n_incremented, n_incremented));
    return tess_there_array(page, "const int *", p->points_out, n * 4, "%s_points",
                            page->sets[r].name);
}

tess_status tess_slot_colours_there(tess_page *page, int r, tess_address *colours,
                                    uint32_t *n_colours) {
    tess_cut_params *p = &page->there->kernels.params;
    TRY(begin(page, r));
    TRY(take(page, "colours of slots", p->n_slots * p->n, sizeof(uint16_t), colours));
    TRY(take(page, "how many", p->n_slots, sizeof *n_colours, &p->most));
    p->colours = *colours;
    TRY(launch(page, "colour_slots"));
    return tess_there_read(page, p->most, p->n_slots, sizeof *n_colours, n_colours);
}

tess_status tess_field_there_put(tess_page *page, const tess_field_there *field,
                                 tess_address words) {
    tess_cut_params *p = &page->there->kernels.params;
    TRY(begin(page, field->target));
    p->slot = field->slot;
    p->at = field->at;
    p->bits = field->bits;
    p->colour_at = field->colour_at;
    p->staged_at = field->staged_at;
    p->colours = field->colours;
    p->words = words;
    return launch(page, "put_field");
}

tess_status tess_frontiers_there(tess_page *page, int r, int32_t *ends) {
    tess_cut_params *p = &page->there->kernels.params;
    TRY(begin(page, r));
    TRY(take(page, "frontiers", p->n_blocks, sizeof *ends, &p->most));
    TRY(launch(page, "find_frontiers"));
    return tess_there_read(page, p->most, p->n_blocks, sizeof *ends, ends);
}

tess_status tess_index_there(tess_page *page, int r, tess_address places) {
    tess_cut_params *p = &page->there->kernels.params;
    if (!places)
        TRY(tess_there_elements(page));
    TRY(begin(page, r));
    const int64_t n = p->stride * p->n_slots;
    TRY(take(page, "points of elements", n, sizeof(int32_t), &p->map_out));
    p->stride = page->store->maps_in_rows ? 0 : p->stride;
    p->executed = places ? places : page->there->executed;
    TRY(launch(page, "index_points"));
    return tess_there_array(page, "const int *", p->map_out, n * 4, "%s_index", page->sets[r].name);
}

/* Takes values and sums for a scan of n. */
static tess_status take_values(tess_page *page, int64_t n) {
    tess_cut_params *p = &page->there->kernels.params;
    TRY(take(page, "counts", n, sizeof(int32_t), &p->values));
    return take(page, "sums", tess_cut_tiles(n, TESS_CUT_CHUNK), sizeof(int32_t), &p->sums);
}

/* Puts increments, in the order of elements and their slots, by their points. */
static tess_status sort_increments(tess_page *page) {
    tess_cut_params *p = &page->there->kernels.params;
    p->n *= p->n_slots;
    p->n_tiles = tess_cut_tiles(p->n, TESS_CUT_CHUNK);
    TRY(take(page, "sorted keys", p->n, sizeof(uint64_t), &p->keys_out));
    TRY(take(page, "sorted increments", p->n, sizeof(int32_t), &p->ids_out));
    TRY(take_values(page, TESS_CUT_DIGITS * p->n_tiles));
    return tess_cut_sort(&page->there->kernels, tess_cut_bits(p->n_points));
}

tess_status tess_point_list_there(tess_page *page, int r) {
    tess_cut_params *p = &page->there->kernels.params;
    const char *set = page->sets[r].name;
    int32_t n_increments = 0;
    TRY(begin(page, r));
    TRY(take(page, "keys", p->n * p->n_slots, sizeof(uint64_t), &p->keys));
    TRY(take(page, "increments", p->n * p->n_slots, sizeof(int32_t), &p->ids));
    TRY(take_values(page, p->n_points + 1));
    p->holders = p->values;
    TRY(launch(page, "key_increments"));
    TRY(tess_cut_scan(&page->there->kernels, p->n_points + 1));
    TRY(tess_there_read(page, p->holders + (uint64_t)p->n_points * sizeof n_increments, 1,
                        sizeof n_increments, &n_increments));
    TRY(sort_increments(page));
    TRY(tess_there_array(page, "const int *", p->holders, (p->n_points + 1) * 4, "%s_list_offset",
                         set));
    return tess_there_array(page, "const int *", p->ids, n_increments * INT64_C(4), "%s_list", set);
}

tess_status tess_homes_there(tess_page *page, int r) {
    tess_cut_params *p = &page->there->kernels.params;
    TRY(begin(page, r));
    TRY(tess_there_owner(page));
    p->owners = page->there->owner;
    TRY(take(page, "homes", p->n, sizeof(uint8_t), &p->flags_out));
    TRY(launch(page, "find_homes"));
    return tess_there_array(page, "const unsigned char *", p->flags_out, p->n, "home");
}
