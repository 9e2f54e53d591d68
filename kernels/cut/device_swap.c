/* A device swap: elements of neighbouring blocks change places on a device, as on the host
 * (swap.cu). Groups of blocks are what a cut there makes of the blocks' centres. */
#include "kernels/cut/device_swap.h"

#include "core/base/array.h"
#include "kernels/cut/device_cut.h"
#include "kernels/cut/device_sort.h"
#include <stdlib.h>

typedef struct rounds {
    tess_cut_kernels *kernels;
    const tess_cut *what;   /* with places and map of the device */
    tess_cut_params params; /* of the swap: a cut has its own */
    tess_cut_room room;
    int64_t n_groups;
    double *seconds;
} rounds;

static tess_status take_memory(rounds *r, tess_address block_of) {
    const tess_cut *of = r->what;
    const int64_t n_blocks = tess_cut_tiles(of->n, of->block_size), size = sizeof(int32_t);
    tess_cut_params *p = &r->params;
    *p = (tess_cut_params){.n = of->n,
                           .dimension = of->dimension,
                           .block_size = of->block_size,
                           .n_blocks = n_blocks,
                           .places = tess_cut_address(of->places),
                           .block_of = block_of,
                           .n_slots = of->n_slots,
                           .map = tess_cut_address(of->map),
                           .group_blocks = tess_swap_group(of->block_size, of->n_slots)};
    r->n_groups = tess_cut_tiles(n_blocks, p->group_blocks);
    TRY(tess_cut_take(&r->room, "elements", of->n, (size_t)size, &p->ids));
    TRY(tess_cut_take(&r->room, "elements of blocks", n_blocks, (size_t)size, &p->values));
    TRY(tess_cut_take(&r->room, "groups of blocks", n_blocks, (size_t)size, &p->made));
    TRY(tess_cut_take(&r->room, "blocks of groups", n_blocks, (size_t)size, &p->members));
    TRY(tess_cut_take(&r->room, "centres", n_blocks * of->dimension, sizeof(double), &p->gathered));
    return TESS_OK;
}

/* Launches with the parameters of the swap, and counts the seconds. */
static tess_status launch(rounds *r, const char *name, int64_t n_thread_blocks) {
    const tess_device *device = r->kernels->device;
    double seconds = 0;
    r->kernels->params = r->params;
    TRY(device->timer_start(r->kernels->target));
    TRY(tess_cut_launch(r->kernels, name, n_thread_blocks));
    TRY(device->timer_stop(r->kernels->target, &seconds));
    *r->seconds += seconds;
    return TESS_OK;
}

static tess_status launch_each(rounds *r, const char *name, int64_t n) {
    return launch(r, name, tess_cut_tiles(n, TESS_CUT_THREADS));
}

/* Cuts, and counts the seconds. */
static tess_status cut_there(rounds *r, const tess_cut *what, tess_address places,
                             tess_address block_of) {
    double seconds = 0;
    TRY(tess_device_cut_there(r->kernels, what, places, block_of, &seconds));
    *r->seconds += seconds;
    return TESS_OK;
}

/* Groups, by the blocks' centres. What they are counted in is taken anew, and zeroed, each time. */
static tess_status group_blocks(rounds *r) {
    tess_status status = TESS_OK;
    tess_cut_params *p = &r->params;
    const tess_cut what = {.rule = TESS_CUT_LONGEST,
                           .n = p->n_blocks,
                           .dimension = r->what->dimension,
                           .block_size = (int32_t)p->group_blocks};
    tess_cut_room room = {.kernels = r->kernels};
    CHECK(cut_there(r, &what, p->gathered, p->made));
    CHECK(tess_cut_take(&room, "counted blocks", r->n_groups, sizeof(int32_t), &p->taken));
    CHECK(launch_each(r, "place_in_groups", p->n_blocks));
    CHECK(launch_each(r, "sort_groups", r->n_groups));
done:
    tess_cut_room_close(&room);
    return status;
}

static tess_status order_elements(rounds *r) {
    TRY(launch_each(r, "place_in_blocks", r->params.n));
    return launch(r, "sort_block", r->params.n_blocks);
}

/* The points that blocks reach, in all. */
static tess_status count_reached(const rounds *whole, const tess_cut *what, tess_address block_of,
                                 int64_t *n_reached) {
    tess_status status = TESS_OK;
    rounds r = {.kernels = whole->kernels,
                .what = what,
                .room = {.kernels = whole->kernels},
                .seconds = whole->seconds};
    int32_t *counts = NULL;
    CHECK(take_memory(&r, block_of));
    CHECK(tess_cut_take(&r.room, "counts", r.n_groups, sizeof *counts, &r.params.taken));
    CHECK(order_elements(&r));
    r.params.round = -1;
    CHECK(launch(&r, "count_reached_points", r.n_groups));
    CHECK(TESS_ALLOC(r.n_groups, &counts));
    CHECK(r.kernels->device->download(r.kernels->target, counts, r.params.taken,
                                      r.n_groups * (int64_t)sizeof *counts));
    *n_reached = 0;
    for (int64_t i = 0; i < r.n_groups; i++)
        *n_reached += counts[i];
done:
    free(counts);
    tess_cut_room_close(&r.room);
    return status;
}

/* By which rule all are cut (swap.h), whose first blocks are those of the first rule. */
static tess_status choose_start(rounds *r, tess_cut_rule *rule) {
    tess_status status = TESS_OK;
    const tess_cut *what = r->what;
    tess_cut_params *p = &r->params;
    const int64_t most = (int64_t)SWAP_SAMPLE * what->block_size;
    const int64_t n = p->n_values = what->n < most ? what->n : most;
    tess_cut_room room = {.kernels = r->kernels};
    tess_address blocks = 0;
    int64_t n_least = INT64_MAX, n_reached = 0;
    CHECK(
        tess_cut_take(&room, "places of a sample", n * p->dimension, sizeof(double), &p->gathered));
    CHECK(tess_cut_take(&room, "points of a sample", n * p->n_slots, sizeof(int32_t), &p->map_out));
    CHECK(tess_cut_take(&room, "blocks of a sample", n, sizeof(int32_t), &blocks));
    CHECK(order_elements(r));
    CHECK(launch_each(r, "take_sample", n));
    for (int start = 0; start < SWAP_STARTS; start++) {
        tess_cut sample = *what;
        sample.rule = tess_swap_start(what, start);
        sample.n = n;
        sample.map = (const int32_t *)(uintptr_t)p->map_out;
        CHECK(cut_there(r, &sample, p->gathered, blocks));
        CHECK(count_reached(r, &sample, blocks, &n_reached));
        if (n_reached < n_least) {
            n_least = n_reached;
            *rule = sample.rule;
        }
    }
done:
    tess_cut_room_close(&room);
    return status;
}

static tess_status do_rounds(rounds *r, tess_address block_of) {
    tess_status status = TESS_OK;
    CHECK(take_memory(r, block_of));
    CHECK(order_elements(r));
    for (int round = 0; round < r->what->n_rounds; round++) {
        r->params.round = round;
        CHECK(launch_each(r, "place_centres", r->params.n_blocks));
        CHECK(group_blocks(r));
        CHECK(launch(r, "swap_elements", r->n_groups));
    }
    CHECK(launch_each(r, "fill_blocks", r->params.n));
done:
    tess_cut_room_close(&r->room);
    return status;
}

/* Cuts by the first rule, or by one that is better for a sample, and does the rounds. */
static tess_status cut_and_swap(rounds *r, tess_address block_of) {
    const tess_cut *what = r->what;
    tess_cut start = *what;
    const tess_address places = tess_cut_address(what->places);
    TRY(cut_there(r, what, places, block_of));
    if (what->n <= what->block_size || tess_swap_group(what->block_size, what->n_slots) < 2)
        return TESS_OK;
    tess_status status = take_memory(r, block_of);
    if (status == TESS_OK)
        status = choose_start(r, &start.rule);
    tess_cut_room_close(&r->room);
    TRY(status);
    if (start.rule != what->rule)
        TRY(cut_there(r, &start, places, block_of));
    return do_rounds(r, block_of);
}

tess_status tess_device_cut_refined_there(tess_cut_kernels *kernels, const tess_cut *what,
                                          tess_address places, tess_address block_of,
                                          double *seconds) {
    tess_cut there = *what;
    there.places = (const double *)(uintptr_t)places;
    rounds r = {
        .kernels = kernels, .what = &there, .room = {.kernels = kernels}, .seconds = seconds};
    *seconds = 0;
    return what->n_rounds ? cut_and_swap(&r, block_of)
                          : tess_device_cut_there(kernels, what, places, block_of, seconds);
}

tess_status tess_device_cut_refined(tess_cut_kernels *kernels, const tess_cut *what,
                                    int32_t *block_of, double *seconds) {
    tess_status status = TESS_OK;
    tess_cut_room room = {.kernels = kernels};
    tess_cut there = *what;
    int32_t *blocks = NULL;
    CHECK(tess_cut_send(&room, "places", what->places, what->n * what->dimension, sizeof(double),
                        &there.places));
    CHECK(tess_cut_send(&room, "map", what->map, what->n * what->n_slots, sizeof(int32_t),
                        &there.map));
    CHECK(tess_cut_send(&room, "blocks", NULL, what->n, sizeof *block_of, &blocks));
    CHECK(tess_device_cut_refined_there(kernels, &there, tess_cut_address(there.places),
                                        tess_cut_address(blocks), seconds));
    CHECK(tess_cut_bring(kernels, block_of, blocks, what->n, sizeof *block_of));
done:
    tess_cut_room_close(&room);
    return status;
}
