/* A device plan: blocks planned on a device, into the host's very arrays.
 *
 * Elements are sorted by their blocks, stably; a thread block then sorts what a block's elements
 * reach, set by set, and finds each among the distinct ones (plan_blocks.cu). */
#include "kernels/cut/device_plan.h"

#include "core/base/array.h"
#include "kernels/cut/device_sort.h"
#include <stdlib.h>

/* What a plan needs on the device: `address` is a parameter, or was one. */
typedef struct array {
    const char *name;
    tess_address *address;
    int64_t n, size;
} array;

static int64_t most_slots(const tess_bound_loop *bound) {
    int most = 1;
    for (int k = 0; k < bound->n_targets; k++)
        if (bound->targets[k].n_slots > most)
            most = bound->targets[k].n_slots;
    return most;
}

static tess_status check_sizes(const tess_bound_loop *bound, const tess_plan *plan) {
    const int64_t slots = most_slots(bound), most = INT32_MAX / slots;
    if (plan->block_size * slots > TESS_CUT_CHUNK && plan->n_elements * slots > TESS_CUT_CHUNK)
        FAIL(TESS_ERROR_MISSING,
             "blocks of %d elements with %lld points each are planned by the "
             "host: a device plans %d of them at most",
             plan->block_size, (long long)slots, TESS_CUT_CHUNK);
    if (plan->n_elements > most - 1)
        FAIL(TESS_ERROR_MISSING, "a plan of more than %lld elements is made by the host",
             (long long)most);
    return TESS_OK;
}

/* Sorts elements by their blocks, and finds where each block begins. */
static tess_status order_elements(tess_cut_kernels *k) {
    int64_t n_bits = 1;
    while (k->params.n_blocks >> n_bits)
        n_bits++;
    TRY(tess_cut_launch_each(k, "fill_block_keys", k->params.n));
    TRY(tess_cut_sort(k, n_bits));
    return tess_cut_launch_each(k, "find_offsets", k->params.n + 1);
}

/* Brings ints from the device as offsets, which ascend from 0 to `most`. */
static tess_status bring_offsets(const tess_cut_kernels *k, tess_address from, int64_t most,
                                 int64_t *offset) {
    const int64_t n = k->params.n_blocks + 1;
    int32_t *narrow = NULL;
    tess_status status = TESS_OK;
    CHECK(TESS_ALLOC(n, &narrow));
    CHECK(k->device->download(k->target, narrow, from, n * (int64_t)sizeof *narrow));
    for (int64_t i = 0; i < n; i++) {
        offset[i] = narrow[i];
        if (i > 0 ? offset[i] < offset[i - 1] || offset[i] > most : offset[i] != 0)
            CHECK(tess_fail(TESS_ERROR_INTERNAL, "the device's offset %lld is %d", (long long)i,
                            narrow[i]));
    }
done:
    free(narrow);
    return status;
}

/* A target's map, its slots side by side. */
static tess_status send_map(const tess_cut_kernels *k, const tess_loop_target *target) {
    tess_status status = TESS_OK;
    const int64_t n = k->params.n, n_slots = target->n_slots;
    int32_t *map = NULL;
    CHECK(TESS_ALLOC(n * n_slots, &map));
#pragma omp parallel for
    for (int64_t e = 0; e < n; e++)
        for (int64_t s = 0; s < n_slots; s++)
            map[e * n_slots + s] = target->slot_index[s][e * target->slot_stride[s]];
    CHECK(k->device->upload(k->target, k->params.map, map, n * n_slots * (int64_t)sizeof *map));
done:
    free(map);
    return status;
}

static tess_status plan_set(tess_cut_kernels *k, const tess_loop_target *target,
                            tess_address counts, tess_plan_set *set, double *seconds) {
    double taken = 0;
    const tess_device *device = k->device;
    const int64_t n_blocks = k->params.n_blocks;
    k->params.n_slots = target->n_slots;
    k->params.values = counts;
    TRY(send_map(k, target));
    TRY(device->timer_start(k->target));
    TRY(tess_cut_launch(k, "list_points", n_blocks));
    TRY(tess_cut_scan(k, n_blocks + 1));
    TRY(tess_cut_launch(k, "pack_points", n_blocks));
    TRY(device->timer_stop(k->target, &taken));
    *seconds += taken;
    TRY(bring_offsets(k, counts, k->params.n * target->n_slots, set->point_offset));
    TRY(device->download(k->target, set->points, k->params.points_out,
                         set->point_offset[n_blocks] * (int64_t)sizeof *set->points));
    return device->download(k->target, set->local_index, k->params.local_index,
                            k->params.n * target->n_slots * (int64_t)sizeof *set->local_index);
}

static tess_status plan_all(tess_cut_kernels *k, const tess_bound_loop *bound, tess_address counts,
                            tess_plan *plan, double *seconds) {
    TRY(k->device->timer_start(k->target));
    TRY(order_elements(k));
    TRY(k->device->timer_stop(k->target, seconds));
    TRY(k->device->download(k->target, plan->executed, k->params.ids,
                            k->params.n * (int64_t)sizeof *plan->executed));
    TRY(bring_offsets(k, k->params.offsets, k->params.n, plan->block_offset));
    for (int s = 0; s < bound->n_targets; s++)
        TRY(plan_set(k, &bound->targets[s], counts, &plan->sets[s], seconds));
    return TESS_OK;
}

tess_status tess_device_plan(tess_cut_kernels *kernels, const tess_bound_loop *bound,
                             const int32_t *block_of, tess_plan *plan, double *seconds) {
    tess_status status = TESS_OK;
    const int64_t n = plan->n_elements, tiles = tess_cut_tiles(n, TESS_CUT_CHUNK);
    const int64_t references = n * most_slots(bound), n_digits = TESS_CUT_DIGITS * tiles;
    const int64_t most_sums = n_digits > plan->n_blocks ? n_digits : plan->n_blocks + 1;
    tess_address counts = 0;
    tess_cut_params *p = &kernels->params;
    *p = (tess_cut_params){.n = n, .n_blocks = plan->n_blocks, .n_tiles = tiles};
    const array arrays[] = {
        {"blocks", &p->block_of, n, sizeof(int32_t)},
        {"keys", &p->keys, n, sizeof(uint64_t)},
        {"sorted keys", &p->keys_out, n, sizeof(uint64_t)},
        {"elements", &p->ids, n, sizeof(int32_t)},
        {"sorted elements", &p->ids_out, n, sizeof(int32_t)},
        {"digits", &p->values, n_digits, sizeof(int32_t)},
        {"sums", &p->sums, tess_cut_tiles(most_sums, TESS_CUT_CHUNK), sizeof(int32_t)},
        {"offsets", &p->offsets, plan->n_blocks + 1, sizeof(int32_t)},
        {"map", &p->map, references, sizeof(int32_t)},
        {"points", &p->points, references, sizeof(int32_t)},
        {"packed points", &p->points_out, references, sizeof(int32_t)},
        {"local indices", &p->local_index, references, sizeof(uint16_t)},
    };
    enum { N_ARRAYS = sizeof arrays / sizeof *arrays };
    tess_address taken[N_ARRAYS] = {0};
    CHECK(check_sizes(bound, plan));
    for (int i = 0; i < N_ARRAYS; i++) {
        CHECK(kernels->device->alloc(kernels->target, arrays[i].name, arrays[i].n * arrays[i].size,
                                     &taken[i]));
        *arrays[i].address = taken[i];
    }
    CHECK(kernels->device->alloc(kernels->target, "counts",
                                 (plan->n_blocks + 1) * (int64_t)sizeof(int32_t), &counts));
    CHECK(kernels->device->upload(kernels->target, p->block_of, block_of,
                                  n * (int64_t)sizeof *block_of));
    CHECK(plan_all(kernels, bound, counts, plan, seconds));
done:
    for (int i = 0; i < N_ARRAYS; i++)
        if (taken[i])
            kernels->device->free(kernels->target, taken[i]);
    if (counts)
        kernels->device->free(kernels->target, counts);
    return status;
}
