/* The arrays of a plan, in the memory of a device or of the host, and what is wrong with them. */
#include "kernels/cut/device_arrays.h"

#include "core/base/array.h"
#include "core/plan/recut.h"
#include "kernels/cut/device_sort.h"
#include <stdlib.h>

int64_t tess_device_plan_slots(const tess_device_plan *plan) {
    int most = 1;
    for (int k = 0; k < plan->n_sets; k++)
        if (plan->sets[k].n_slots > most)
            most = plan->sets[k].n_slots;
    return most;
}

tess_status tess_device_plan_take(tess_cut_room *room, const tess_device_plan *plan,
                                  tess_cut_params *p) {
    const int64_t n_offsets = plan->n_blocks + 1;
    const size_t size = sizeof(int32_t);
    TRY(tess_cut_take(room, "elements of blocks", n_offsets, size, &p->offsets));
    TRY(tess_cut_take(room, "those that lie there", n_offsets, size, &p->taken));
    TRY(tess_cut_take(room, "sums", tess_cut_tiles(n_offsets, TESS_CUT_CHUNK), size, &p->sums));
    TRY(tess_cut_take(room, "points", tess_device_plan_room(plan) * tess_device_plan_slots(plan),
                      size, &p->points));
    return tess_cut_take(room, "faults", TESS_CUT_FAULTS, sizeof(uint32_t), &p->faults);
}

/* Of elements, of the points that blocks own, or, of a recut, of elements before. */
static tess_status refuse_blocks(const tess_cut_kernels *k) {
    const tess_cut_params *p = &k->params;
    tess_status status = TESS_OK;
    int32_t *blocks = NULL;
    const bool was = p->before != 0;
    const int64_t n = was ? p->n_before : p->owned_slots ? p->n_points : p->n;
    const int64_t n_blocks = was ? p->n_blocks_before : p->n_blocks;
    CHECK(TESS_ALLOC(n, &blocks));
    CHECK(k->device->download(k->target, blocks, was ? p->before : p->block_of,
                              n * (int64_t)sizeof *blocks));
    for (int64_t e = 0; e < n; e++)
        if (blocks[e] < 0 || blocks[e] >= n_blocks)
            CHECK(tess_fail(TESS_ERROR_INPUT, "%s %lld %s in block %d: there %s %lld, from 0",
                            p->owned_slots ? "point" : "element", (long long)e, was ? "was" : "is",
                            blocks[e], was ? "were" : "are", (long long)n_blocks));
    status = tess_fail(TESS_ERROR_INTERNAL, "the device finds a fault in blocks");
done:
    free(blocks);
    return status;
}

static tess_status refuse_numbers(const tess_cut_kernels *k) {
    const tess_cut_params *p = &k->params;
    tess_status status = TESS_OK;
    int32_t *was = NULL, *now = NULL;
    CHECK(TESS_ALLOC(p->n, &was));
    CHECK(k->device->download(k->target, was, p->was, p->n * (int64_t)sizeof *was));
    CHECK(tess_numbers_now(was, p->n, p->n_before, &now));
    status = tess_fail(TESS_ERROR_INTERNAL, "the device finds a fault in what elements were");
done:
    free(was);
    free(now);
    return status;
}

tess_status tess_device_plan_refuse(const tess_cut_kernels *k) {
    uint32_t faults[TESS_CUT_FAULTS] = {0};
    TRY(k->device->download(k->target, faults, k->params.faults, sizeof faults));
    if (faults[TESS_CUT_WRONG_NUMBER])
        return refuse_numbers(k);
    if (faults[TESS_CUT_WRONG_BLOCK])
        return refuse_blocks(k);
    if (faults[TESS_CUT_WRONG_POINT])
        FAIL(TESS_ERROR_INPUT, "a map leads beyond the elements of its set");
    if (faults[TESS_CUT_LARGE_BLOCK])
        FAIL(TESS_ERROR_MISSING,
             "a block whose elements reach more than %d points, with repetitions, is planned by "
             "the host",
             TESS_CUT_CHUNK);
    if (faults[TESS_CUT_MANY_COLOURS])
        FAIL(TESS_ERROR_MISSING, "elements of a block that need more than 64 colours are coloured "
                                 "by the host");
    if (faults[TESS_CUT_MANY_HOLDERS])
        FAIL(TESS_ERROR_MISSING,
             "blocks of which more than %d have a point in common are coloured by the host",
             TESS_CUT_THREADS);
    return TESS_OK;
}
