/* A device recut: on a device, only what a change of elements touches is cut anew (recut.cu). */
#include "kernels/cut/device_recut.h"

#include "kernels/cut/device_arrays.h"
#include "kernels/cut/device_cut.h"
#include "kernels/cut/device_sort.h"
#include "kernels/cut/device_swap.h"

typedef struct recut {
    tess_cut_kernels *kernels;
    const tess_cut *what;
    const tess_device_blocks *before;
    tess_cut_params params; /* of the recut: a cut has its own */
    tess_cut_room room;
} recut;

static tess_status take_memory(recut *r, int32_t *block_of) {
    const int64_t n = r->what->n, n_blocks = r->before->n_blocks;
    const int64_t most = n > n_blocks ? n : n_blocks;
    tess_cut_params *p = &r->params;
    *p = (tess_cut_params){.n = n,
                           .dimension = r->what->dimension,
                           .n_slots = r->what->n_rounds ? r->what->n_slots : 0,
                           .map = tess_cut_address(r->what->map),
                           .n_before = r->before->n,
                           .n_blocks_before = n_blocks,
                           .places = tess_cut_address(r->what->places),
                           .block_of = tess_cut_address(block_of),
                           .before = tess_cut_address(r->before->block_of),
                           .was = tess_cut_address(r->before->was)};
    TRY(tess_cut_take(&r->room, "numbers now", r->before->n, sizeof(int32_t), &p->now));
    TRY(tess_cut_take(&r->room, "touched blocks", n_blocks + 1, sizeof(int32_t), &p->touched));
    TRY(tess_cut_take(&r->room, "a list of them", n_blocks, sizeof(int32_t), &p->touched_list));
    TRY(tess_cut_take(&r->room, "chosen elements", n + 1, sizeof(int32_t), &p->values));
    TRY(tess_cut_take(&r->room, "sums", tess_cut_tiles(most + 1, TESS_CUT_CHUNK), sizeof(int32_t),
                      &p->sums));
    TRY(tess_cut_take(&r->room, "faults", TESS_CUT_FAULTS, sizeof(uint32_t), &p->faults));
    p->ranks = p->touched;
    return TESS_OK;
}

/* Launches with the recut's parameters. */
static tess_status launch(recut *r, const char *name, int64_t n) {
    r->kernels->params = r->params;
    return n > 0 ? tess_cut_launch_each(r->kernels, name, n) : TESS_OK;
}

static tess_status scan(recut *r, tess_address values, int64_t n) {
    r->kernels->params = r->params;
    r->kernels->params.values = values;
    return tess_cut_scan(r->kernels, n);
}

static tess_status choose(recut *r) {
    const int64_t n = r->params.n, n_blocks = r->params.n_blocks_before;
    TRY(launch(r, "note_numbers", n));
    TRY(launch(r, "touch_blocks", r->params.n_before));
    TRY(launch(r, "choose_elements", n + 1));
    TRY(scan(r, r->params.values, n + 1));
    TRY(scan(r, r->params.ranks, n_blocks + 1));
    return launch(r, "list_touched", n_blocks);
}

/* Brings what choosing found: how many elements, of which the last offset tells, and blocks. */
static tess_status bring_counts(recut *r, int64_t *n_chosen) {
    int32_t chosen = 0, touched = 0;
    const tess_device *device = r->kernels->device;
    const tess_cut_params *p = &r->params;
    const uint64_t size = sizeof(int32_t);
    r->kernels->params = *p;
    TRY(tess_device_plan_refuse(r->kernels));
    TRY(device->download(r->kernels->target, &chosen, p->values + (uint64_t)p->n * size,
                         sizeof chosen));
    TRY(device->download(r->kernels->target, &touched,
                         p->ranks + (uint64_t)p->n_blocks_before * size, sizeof touched));
    *n_chosen = chosen;
    r->params.n_touched = touched;
    return TESS_OK;
}

static tess_status cut_chosen(recut *r, int64_t n_chosen, double *seconds) {
    tess_cut part = *r->what;
    double gathering = 0, cutting = 0;
    const tess_device *device = r->kernels->device;
    part.n = n_chosen;
    part.places = NULL; /* there */
    TRY(tess_cut_take(&r->room, "places", n_chosen * part.dimension, sizeof(double),
                      &r->params.gathered));
    TRY(tess_cut_take(&r->room, "blocks", n_chosen, sizeof(int32_t), &r->params.made));
    if (part.n_rounds)
        TRY(tess_cut_send(&r->room, "what they reach", NULL, n_chosen * part.n_slots,
                          sizeof(int32_t), &part.map));
    r->params.map_out = tess_cut_address(part.map);
    TRY(device->timer_start(r->kernels->target));
    TRY(launch(r, "gather_chosen", r->params.n));
    TRY(device->timer_stop(r->kernels->target, &gathering));
    const tess_status status = tess_device_cut_refined_there(r->kernels, &part, r->params.gathered,
                                                             r->params.made, &cutting);
    *seconds += gathering + cutting;
    if (status != TESS_ERROR_INPUT)
        return status;
    r->kernels->params = r->params; /* in the numbers of all elements */
    return tess_device_refuse_places(r->kernels);
}

tess_status tess_device_recut_there(tess_cut_kernels *kernels, const tess_cut *what,
                                    const tess_device_blocks *before, int32_t *block_of,
                                    int32_t *n_blocks, double *seconds) {
    tess_status status = TESS_OK;
    recut r = {kernels, what, before, .room = {.kernels = kernels}};
    const tess_device *device = kernels->device;
    int64_t n_chosen = 0;
    double joining = 0;
    CHECK(take_memory(&r, block_of));
    CHECK(device->timer_start(kernels->target));
    CHECK(choose(&r));
    CHECK(device->timer_stop(kernels->target, seconds));
    CHECK(bring_counts(&r, &n_chosen));
    if (n_chosen > 0)
        CHECK(cut_chosen(&r, n_chosen, seconds));
    r.params.n_made = tess_cut_tiles(n_chosen, what->block_size);
    CHECK(device->timer_start(kernels->target));
    CHECK(launch(&r, "join_blocks", what->n));
    CHECK(device->timer_stop(kernels->target, &joining));
    *seconds += joining;
    *n_blocks = (int32_t)(before->n_blocks + r.params.n_made - r.params.n_touched);
done:
    tess_cut_room_close(&r.room);
    return status;
}

tess_status tess_device_recut(tess_cut_kernels *kernels, const tess_cut *what,
                              const tess_device_blocks *before, int32_t *block_of,
                              int32_t *n_blocks, double *seconds) {
    tess_status status = TESS_OK;
    tess_cut_room room = {.kernels = kernels};
    const size_t size = sizeof(int32_t);
    tess_cut cut = *what;
    tess_device_blocks blocks = *before;
    int32_t *now = NULL;
    CHECK(tess_cut_send(&room, "places", what->places, what->n * what->dimension, sizeof(double),
                        &cut.places));
    if (what->n_rounds)
        CHECK(tess_cut_send(&room, "map", what->map, what->n * what->n_slots, size, &cut.map));
    CHECK(tess_cut_send(&room, "numbers before", before->was, what->n, size, &blocks.was));
    CHECK(
        tess_cut_send(&room, "blocks before", before->block_of, before->n, size, &blocks.block_of));
    CHECK(tess_cut_send(&room, "blocks", NULL, what->n, size, &now));
    CHECK(tess_device_recut_there(kernels, &cut, &blocks, now, n_blocks, seconds));
    CHECK(tess_cut_bring(kernels, block_of, now, what->n, size));
done:
    tess_cut_room_close(&room);
    return status;
}
