/* Device colours: elements of a block get theirs in rounds by a thread block (plan_blocks.cu); of
 * blocks a device lists which share a point (colour_blocks.cu), and the host gives them colours, a
 * few pairs a block. */
#include "kernels/cut/device_colours.h"

#include "core/base/array.h"
#include "core/base/rows.h"
#include "kernels/cut/device_sort.h"
#include <stdlib.h>

/* Has the device do a step, and counts its seconds. */
static tess_status timed(tess_cut_kernels *k, tess_status (*step)(tess_cut_kernels *k),
                         double *seconds) {
    double taken = 0;
    TRY(k->device->timer_start(k->target));
    TRY(step(k));
    TRY(k->device->timer_stop(k->target, &taken));
    *seconds += taken;
    return tess_device_plan_refuse(k);
}

static tess_status colour_each(tess_cut_kernels *k) {
    return tess_cut_launch(k, "colour_elements", k->params.n_blocks);
}

static tess_status colour_elements(tess_cut_kernels *k, const tess_device_plan *plan,
                                   const tess_device_points *set, double *seconds) {
    tess_cut_room room = {.kernels = k};
    tess_cut_params *p = &k->params;
    tess_status status = TESS_OK;
    *p = (tess_cut_params){.n_slots = set->n_slots,
                           .n_blocks = plan->n_blocks,
                           .offsets = tess_cut_address(plan->block_offset),
                           .local_index = tess_cut_address(set->local_index),
                           .colours = tess_cut_address(set->thread_colour)};
    CHECK(tess_cut_take(&room, "faults", TESS_CUT_FAULTS, sizeof(uint32_t), &p->faults));
    CHECK(timed(k, colour_each, seconds));
done:
    tess_cut_room_close(&room);
    return status;
}

/* --- blocks ----------------------------------------------------------------------------------- */

static tess_status count_holders(tess_cut_kernels *k) {
    return tess_cut_launch(k, "count_holders", k->params.n_blocks);
}

static tess_status place_holders(tess_cut_kernels *k) {
    TRY(tess_cut_scan(k, k->params.n_points));
    return tess_cut_launch(k, "place_holders", k->params.n_blocks);
}

static tess_status list_neighbours(tess_cut_kernels *k) {
    return tess_cut_launch(k, "list_neighbours", k->params.n_blocks);
}

static tess_status take_memory(tess_cut_kernels *k, tess_cut_room *room,
                               const tess_device_points *set) {
    tess_cut_params *p = &k->params;
    const size_t size = sizeof(int32_t);
    const uint64_t last = (uint64_t)p->n_blocks * size;
    int32_t n = 0;
    TRY(k->device->download(k->target, &n, p->offsets + last, sizeof n));
    TRY(tess_cut_take(room, "blocks of points", set->n_points, size, &p->values));
    TRY(tess_cut_take(room, "sums", tess_cut_tiles(set->n_points, TESS_CUT_CHUNK), size, &p->sums));
    TRY(tess_cut_take(room, "a list of them", n, size, &p->ids));
    return tess_cut_take(room, "faults", TESS_CUT_FAULTS, sizeof(uint32_t), &p->faults);
}

/* Counts pairs of blocks there: n becomes how many; lists them where there was room for so many. */
static tess_status list_pairs(tess_cut_kernels *k, int64_t *n, uint64_t **pairs, double *seconds) {
    tess_status status = TESS_OK;
    tess_cut_room room = {.kernels = k};
    tess_cut_params *p = &k->params;
    int32_t n_found = 0;
    p->n_values = *n;
    CHECK(tess_cut_take(&room, "pairs of blocks", *n, sizeof **pairs, &p->keys));
    CHECK(tess_cut_take(&room, "how many", 1, sizeof n_found, &p->taken));
    CHECK(timed(k, list_neighbours, seconds));
    CHECK(k->device->download(k->target, &n_found, p->taken, sizeof n_found));
    *n = n_found;
    if (n_found > p->n_values)
        goto done;
    CHECK(TESS_ALLOC(*n, pairs));
    CHECK(k->device->download(k->target, *pairs, p->keys, *n * (int64_t)sizeof **pairs));
done:
    tess_cut_room_close(&room);
    return status;
}

/* Gives each block the least colour that none of those listed for it has, one after another. */
static tess_status colour_by_pairs(const uint64_t *pairs, int64_t n, int32_t n_blocks,
                                   int32_t *colour) {
    tess_status status = TESS_OK;
    tess_rows *before = NULL;
    int32_t *taken_by = NULL; /* of each colour, the last block that may not have it, and 1 */
    CHECK(TESS_ZEROS(n_blocks + INT64_C(1), &taken_by));
    CHECK(tess_rows_new(n_blocks, &before));
    for (int64_t i = 0; i < n; i++) {
        const int64_t b = (int64_t)(pairs[i] >> 32), other = (uint32_t)pairs[i];
        if (b >= n_blocks || other >= b)
            CHECK(tess_fail(TESS_ERROR_INTERNAL, "the device lists block %lld before block %lld",
                            (long long)other, (long long)b));
        tess_rows_count(before, b);
    }
    CHECK(tess_rows_open(before));
    for (int64_t i = 0; i < n; i++)
        tess_rows_put(before, (int64_t)(pairs[i] >> 32), (int32_t)(uint32_t)pairs[i]);
    for (int32_t b = 0; b < n_blocks; b++) {
        for (int64_t i = before->offset[b]; i < before->offset[b + 1]; i++)
            taken_by[colour[before->item[i]]] = b + 1;
        colour[b] = 0;
        while (taken_by[colour[b]] == b + 1)
            colour[b]++;
    }
done:
    tess_rows_free(before);
    free(taken_by);
    return status;
}

static tess_status colour_blocks(tess_cut_kernels *k, const tess_device_plan *plan,
                                 const tess_device_points *set, double *seconds) {
    tess_cut_room room = {.kernels = k};
    tess_cut_params *p = &k->params;
    tess_status status = TESS_OK;
    int64_t n = 0;
    uint64_t *pairs = NULL;
    int32_t *colour = NULL;
    *p = (tess_cut_params){.n_blocks = plan->n_blocks,
                           .n_points = set->n_points,
                           .offsets = tess_cut_address(set->point_offset),
                           .points = tess_cut_address(set->points)};
    CHECK(take_memory(k, &room, set));
    CHECK(timed(k, count_holders, seconds));
    CHECK(timed(k, place_holders, seconds));
    while (!pairs) {
        CHECK(list_pairs(k, &n, &pairs, seconds));
        n += pairs ? 0 : n / 4; /* which are listed more than once may differ */
    }
    CHECK(TESS_ALLOC(plan->n_blocks, &colour));
    CHECK(colour_by_pairs(pairs, n, plan->n_blocks, colour));
    CHECK(k->device->upload(k->target, tess_cut_address(set->block_colour), colour,
                            plan->n_blocks * (int64_t)sizeof *colour));
done:
    tess_cut_room_close(&room);
    free(pairs);
    free(colour);
    return status;
}

tess_status tess_device_colour(tess_cut_kernels *k, const tess_device_plan *plan,
                               const tess_device_points *set, double *seconds) {
    if (set->thread_colour)
        TRY(colour_elements(k, plan, set, seconds));
    return set->block_colour ? colour_blocks(k, plan, set, seconds) : TESS_OK;
}
