/* A device's order of points: by the blocks that have them, or by those that own them. */
#include "kernels/cut/device_point_order.h"

#include "kernels/cut/device_sort.h"

/* What it finds on its way. */
typedef struct found {
    int32_t n_references, n_single, n_rows;
    uint32_t longest;
} found;

/* Bits of how many blocks a point has, as a key has it: none are more than all. */
static int64_t bits_of_count(void) {
    return tess_cut_bits(4 * TESS_WARP - 1);
}

static tess_status read_int(const tess_cut_kernels *k, tess_address from, int64_t at,
                            int32_t *out) {
    return k->device->download(k->target, out, from + (uint64_t)at * sizeof *out, sizeof *out);
}

/* Takes zeroed values and sums for a scan of n. */
static tess_status take_values(tess_cut_room *room, int64_t n, tess_cut_params *p) {
    TRY(tess_cut_take(room, "counts", n, sizeof(int32_t), &p->values));
    return tess_cut_take(room, "sums", tess_cut_tiles(n, TESS_CUT_CHUNK), sizeof(int32_t),
                         &p->sums);
}

/* Places the points of one block. */
static tess_status place_single(tess_cut_kernels *k, tess_cut_room *room, found *out) {
    tess_cut_params *p = &k->params;
    TRY(read_int(k, p->offsets, p->n_blocks, &out->n_references));
    TRY(tess_cut_take(room, "blocks of points", p->n_points, sizeof(uint32_t), &p->reached));
    TRY(take_values(room, p->n_blocks + 1, p));
    TRY(tess_cut_launch(k, "count_blocks", p->n_blocks));
    TRY(tess_cut_launch(k, "count_single_points", p->n_blocks));
    TRY(tess_cut_scan(k, p->n_blocks + 1));
    TRY(tess_cut_launch(k, "place_single_points", p->n_blocks));
    return read_int(k, p->values, p->n_blocks, &out->n_single);
}

/* Lists the other points, and how many blocks each has. */
static tess_status list_rows(tess_cut_kernels *k, tess_cut_room *room, found *out) {
    tess_cut_params *p = &k->params;
    const int64_t n_words = tess_cut_tiles(p->n_points, TESS_WARP);
    const size_t size = sizeof(int32_t);
    TRY(tess_cut_take(room, "bits of points", n_words, size, &p->marks));
    TRY(take_values(room, n_words + 1, p));
    TRY(tess_cut_take(room, "the most blocks", 1, size, &p->touched));
    p->ranks = p->values;
    TRY(tess_cut_launch_each(k, "mark_rows", p->n_points));
    TRY(tess_cut_scan(k, n_words + 1));
    TRY(read_int(k, p->ranks, n_words, &out->n_rows));
    p->n = out->n_rows;
    TRY(tess_cut_take(room, "points of rows", p->n, size, &p->kept));
    TRY(tess_cut_take(room, "rows", p->n, size, &p->ids));
    TRY(take_values(room, p->n + 1, p));
    TRY(tess_cut_launch_each(k, "list_rows", p->n_points));
    return k->device->download(k->target, &out->longest, p->touched, sizeof out->longest);
}

/* Gives each of them its blocks, ascending. */
static tess_status fill_rows(tess_cut_kernels *k, tess_cut_room *room, const found *what) {
    tess_cut_params *p = &k->params;
    const size_t size = sizeof(int32_t);
    TRY(tess_cut_take(room, "blocks that are there", p->n, size, &p->taken));
    TRY(tess_cut_take(room, "blocks of rows", what->n_references - what->n_single, size, &p->made));
    TRY(tess_cut_scan(k, p->n + 1));
    TRY(tess_cut_launch(k, "fill_rows", p->n_blocks));
    p->was = p->values;
    return tess_cut_launch_each(k, "sort_rows", p->n);
}

/* Places them: sorts by two blocks at a time, the first two and how many they are in the end. */
static tess_status place_rows(tess_cut_kernels *k, tess_cut_room *room, const found *what) {
    tess_cut_params *p = &k->params;
    p->bits = tess_cut_bits(p->n_blocks - 1);
    p->n_tiles = tess_cut_tiles(p->n, TESS_CUT_CHUNK);
    p->n_touched = what->n_single;
    TRY(tess_cut_take(room, "keys", p->n, sizeof(uint64_t), &p->keys));
    TRY(tess_cut_take(room, "sorted keys", p->n, sizeof(uint64_t), &p->keys_out));
    TRY(tess_cut_take(room, "sorted rows", p->n, sizeof(int32_t), &p->ids_out));
    TRY(take_values(room, TESS_CUT_DIGITS * p->n_tiles, p));
    for (p->round = what->longest > 2 ? (what->longest - 1) / 2 : 0; p->round >= 0; p->round--) {
        TRY(tess_cut_launch_each(k, "fill_block_keys", p->n));
        TRY(tess_cut_sort(k, 2 * p->bits + (p->round ? 0 : bits_of_count())));
    }
    return tess_cut_launch_each(k, "place_rows", p->n);
}

/* Puts them all by blocks. */
static tess_status order_by_blocks(tess_cut_kernels *k, tess_cut_room *room, bool *is_ordered) {
    found what;
    TRY(place_single(k, room, &what));
    TRY(list_rows(k, room, &what));
    *is_ordered = what.longest <= 2 * TESS_WARP &&
                  2 * tess_cut_bits(k->params.n_blocks - 1) + bits_of_count() <= 64;
    if (!*is_ordered || what.n_rows == 0)
        return TESS_OK;
    TRY(fill_rows(k, room, &what));
    return place_rows(k, room, &what);
}

/* Sorts that order, which becomes another one, by owners, given or (0) the first blocks. */
static tess_status sort_by_owner(tess_cut_kernels *k, tess_cut_room *room, tess_address owner,
                                 tess_address out) {
    tess_cut_params *p = &k->params;
    const size_t size = sizeof(int32_t);
    p->n = p->n_points;
    p->n_tiles = tess_cut_tiles(p->n, TESS_CUT_CHUNK);
    p->n_touched = 0;
    p->owners = owner;
    p->now = p->reached;
    p->kept = p->new_to_old;
    p->new_to_old = out;
    p->values = p->offsets;
    TRY(tess_cut_take(room, "first blocks", p->n, size, &p->reached));
    TRY(tess_cut_take(room, "keys", p->n, sizeof(uint64_t), &p->keys));
    TRY(tess_cut_take(room, "sorted keys", p->n, sizeof(uint64_t), &p->keys_out));
    TRY(tess_cut_take(room, "places", p->n, size, &p->ids));
    TRY(tess_cut_take(room, "sorted places", p->n, size, &p->ids_out));
    TRY(tess_cut_launch(k, "claim_points", p->n_blocks));
    TRY(tess_cut_launch_each(k, "fill_owner_keys", p->n));
    TRY(take_values(room, TESS_CUT_DIGITS * p->n_tiles, p));
    TRY(tess_cut_sort(k, tess_cut_bits(2 * p->n_blocks)));
    return tess_cut_launch_each(k, "place_rows", p->n);
}

static tess_status order_all(tess_cut_kernels *k, tess_cut_room *room,
                             const tess_device_point_order *asked, bool *is_ordered) {
    tess_cut_params *p = &k->params;
    p->new_to_old = asked->new_to_old;
    if (asked->by_owner)
        TRY(tess_cut_take(room, "points by blocks", p->n_points, sizeof(int32_t), &p->new_to_old));
    TRY(order_by_blocks(k, room, is_ordered));
    return asked->by_owner && *is_ordered ? sort_by_owner(k, room, asked->owner, asked->new_to_old)
                                          : TESS_OK;
}

tess_status tess_device_order_points(tess_cut_kernels *k, int64_t n_blocks,
                                     const tess_device_points *set,
                                     const tess_device_point_order *asked, bool *is_ordered,
                                     double *seconds) {
    tess_cut_room room = {.kernels = k};
    tess_status status = TESS_OK;
    double ordering = 0;
    *is_ordered = true;
    if (set->n_points < 1)
        return TESS_OK;
    k->params = (tess_cut_params){.n_blocks = n_blocks,
                                  .n_points = set->n_points,
                                  .offsets = tess_cut_address(set->point_offset),
                                  .points = tess_cut_address(set->points)};
    CHECK(tess_cut_take(&room, "faults", TESS_CUT_FAULTS, sizeof(uint32_t), &k->params.faults));
    CHECK(k->device->timer_start(k->target));
    CHECK(order_all(k, &room, asked, is_ordered));
    CHECK(k->device->timer_stop(k->target, &ordering));
    *seconds += ordering;
    CHECK(tess_device_plan_refuse(k));
done:
    tess_cut_room_close(&room);
    return status;
}
