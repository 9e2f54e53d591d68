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

/* The points that blocks reach, in all. */
static tess_status count_reached(rounds *r, tess_address block_of, int64_t *n_reached) {
    tess_status status = TESS_OK;
    int32_t *counts = NULL;
    CHECK(take_memory(r, block_of));
    CHECK(tess_cut_take(&r->room, "counts", r->n_groups, sizeof *counts, &r->params.taken));
    CHECK(order_elements(r));
    r->params.round = -1;
    CHECK(launch(r, "count_reached_points", r->n_groups));
    CHECK(TESS_ALLOC(r->n_groups, &counts));
    CHECK(r->kernels->device->download(r->kernels->target, counts, r->params.taken,
                                       r->n_groups * (int64_t)sizeof *counts));
    *n_reached = 0;
    for (int64_t i = 0; i < r->n_groups; i++)
        *n_reached += counts[i];
done:
    free(counts);
    tess_cut_room_close(&r->room);
    return status;
}

static tess_status scale_places(rounds *r, int64_t n, tess_address from, tess_address to) {
    r->params.n_values = n;
    r->params.places = from;
    r->params.gathered = to;
    return launch_each(r, "scale_places", n);
}

/* How a sample that lies there is scaled, which the host says. */
static tess_status scale_sample(rounds *r, int64_t n) {
    tess_status status = TESS_OK;
    const tess_address there = r->params.gathered;
    tess_cut here = *r->what;
    double scale[3], *places = NULL;
    int32_t *map = NULL;
    CHECK(TESS_ALLOC(n * here.dimension, &places));
    CHECK(TESS_ALLOC(n * here.n_slots, &map));
    CHECK(tess_cut_bring(r->kernels, places, (const double *)(uintptr_t)there, n * here.dimension,
                         sizeof *places));
    CHECK(tess_cut_bring(r->kernels, map, (const int32_t *)(uintptr_t)r->params.map_out,
                         n * here.n_slots, sizeof *map));
    here.n = n;
    here.places = places;
    here.map = map;
    CHECK(tess_swap_scale(&here, scale));
    r->params.scale_x = scale[0];
    r->params.scale_y = scale[1];
    r->params.scale_z = scale[2];
    CHECK(scale_places(r, n, there, there));
done:
    free(places);
    free(map);
    return status;
}

/* By which rule all are cut (swap.h), whose first blocks are those of the first rule, and
 * params.scale_x, y and z. */
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
    CHECK(scale_sample(r, n));
    for (int start = 0; start < SWAP_STARTS; start++) {
        tess_cut sample = *what;
        rounds trial = {.kernels = r->kernels,
                        .what = &sample,
                        .room = {.kernels = r->kernels},
                        .seconds = r->seconds};
        sample.rule = tess_swap_start(what, start);
        sample.n = n;
        sample.n_rounds = SWAP_TRIAL;
        sample.places = (const double *)(uintptr_t)p->gathered;
        sample.map = (const int32_t *)(uintptr_t)p->map_out;
        CHECK(cut_there(r, &sample, p->gathered, blocks));
        CHECK(do_rounds(&trial, blocks));
        CHECK(count_reached(&trial, blocks, &n_reached));
        if (n_reached < n_least) {
            n_least = n_reached;
            *rule = sample.rule;
        }
    }
done:
    tess_cut_room_close(&room);
    return status;
}

/* Cuts by the first rule, or again as is better for a sample, and does the rounds. */
static tess_status cut_and_swap(rounds *r, tess_address block_of) {
    tess_status status = TESS_OK;
    const tess_cut *what = r->what;
    tess_cut start = *what;
    tess_cut_room room = {.kernels = r->kernels};
    tess_address places = tess_cut_address(what->places);
    CHECK(cut_there(r, what, places, block_of));
    if (what->n <= what->block_size || tess_swap_group(what->block_size, what->n_slots) < 2)
        return TESS_OK;
    CHECK(take_memory(r, block_of));
    CHECK(choose_start(r, &start.rule));
    const double scale[3] = {r->params.scale_x, r->params.scale_y, r->params.scale_z};
    if (tess_swap_is_scaled(scale)) {
        CHECK(tess_cut_take(&room, "scaled places", what->n * what->dimension, sizeof(double),
                            &places));
        CHECK(scale_places(r, what->n, tess_cut_address(what->places), places));
        start.places = (const double *)(uintptr_t)places;
    }
    tess_cut_room_close(&r->room);
    if (start.rule != what->rule || start.places != what->places)
        CHECK(cut_there(r, &start, places, block_of));
    r->what = &start;
    CHECK(do_rounds(r, block_of));
done:
    tess_cut_room_close(&r->room);
    tess_cut_room_close(&room);
    r->what = what;
    return status;
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
    if (what->n_rounds)
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
