/* A device replan: on a device, only what a change of elements touches is planned anew (replan.cu).
 */
#include "kernels/cut/device_replan.h"

#include "core/base/array.h"
#include "kernels/cut/device_sort.h"
#include <stdlib.h>

typedef struct replan {
    tess_cut_kernels *kernels;
    tess_cut_room room;
    const tess_device_plan *before;
    tess_device_plan *plan;
    tess_cut_params params;   /* of what all launches have in common */
    tess_address *points_now; /* [n_sets] */
    int64_t n_fresh;          /* blocks planned anew */
} replan;

/* The last of n + 1 ints there. */
static tess_status bring_last(const replan *r, tess_address of, int64_t n, int64_t *out) {
    int32_t last = 0;
    const tess_cut_kernels *k = r->kernels;
    TRY(k->device->download(k->target, &last, of + (uint64_t)n * sizeof last, sizeof last));
    *out = last;
    return TESS_OK;
}

static tess_status open_replan(replan *r, const tess_device_change *change) {
    const int64_t n_blocks = r->plan->n_blocks, n_before = r->before->n;
    const size_t size = sizeof(int32_t);
    tess_cut_room *room = &r->room;
    tess_cut_params *p = &r->params;
    *p = (tess_cut_params){.n = r->plan->n,
                           .n_blocks = n_blocks,
                           .n_before = n_before,
                           .n_blocks_before = r->before->n_blocks,
                           .was = tess_cut_address(change->was),
                           .block_of = tess_cut_address(r->plan->block_of),
                           .executed_before = tess_cut_address(r->before->executed),
                           .offsets_before = tess_cut_address(r->before->block_offset),
                           .executed_out = tess_cut_address(r->plan->executed),
                           .offsets_out = tess_cut_address(r->plan->block_offset)};
    TRY(tess_device_plan_take(room, r->plan, p));
    TRY(tess_cut_take(room, "numbers now", n_before, size, &p->now));
    TRY(tess_cut_take(room, "blocks that are there still", p->n_blocks_before, size, &p->same));
    TRY(tess_cut_take(room, "blocks before", n_blocks, size, &p->kept));
    TRY(tess_cut_take(room, "blocks anew", n_blocks + 1, size, &p->ranks));
    TRY(tess_cut_take(room, "a list of them", n_blocks, size, &p->touched_list));
    TRY(TESS_ZEROS(r->plan->n_sets, &r->points_now));
    for (int s = 0; s < r->plan->n_sets; s++) {
        int64_t n_points = 0;
        TRY(bring_last(r, tess_cut_address(r->before->sets[s].point_offset), p->n_blocks_before,
                       &n_points));
        TRY(tess_cut_take(room, "points now", n_points, size, &r->points_now[s]));
    }
    return TESS_OK;
}

/* Launches with the parameters of set s, -1: of none. */
static tess_cut_kernels *kernels_of(replan *r, int s) {
    tess_cut_params *p = &r->kernels->params;
    *p = r->params;
    if (s < 0)
        return r->kernels;
    const tess_device_points *was = &r->before->sets[s], *set = &r->plan->sets[s];
    p->n_slots = set->n_slots;
    p->map = tess_cut_address(set->map);
    p->point_offsets_before = tess_cut_address(was->point_offset);
    p->local_before = tess_cut_address(was->local_index);
    p->points_now = r->points_now[s];
    p->values = tess_cut_address(set->point_offset);
    p->points_out = tess_cut_address(set->points);
    p->local_index = tess_cut_address(set->local_index);
    return r->kernels;
}

static tess_status launch(replan *r, const char *name, int64_t n) {
    return tess_cut_launch_each(kernels_of(r, -1), name, n);
}

static tess_status scan_of_blocks(replan *r, tess_address values) {
    tess_cut_kernels *k = kernels_of(r, -1);
    k->params.values = values;
    return tess_cut_scan(k, r->params.n_blocks + 1);
}

/* Which blocks are taken over, and a list of the others. */
static tess_status choose(replan *r) {
    const tess_cut_params *p = &r->params;
    TRY(launch(r, "note_numbers", p->n));
    TRY(launch(r, "check_numbers", p->n));
    TRY(launch(r, "count_elements", p->n));
    if (p->n_blocks_before > 0) {
        TRY(tess_cut_launch(kernels_of(r, -1), "match_blocks", p->n_blocks_before));
        for (int s = 0; s < r->plan->n_sets; s++)
            TRY(tess_cut_launch(kernels_of(r, s), "follow_points", p->n_blocks_before));
        TRY(launch(r, "keep_blocks", p->n_blocks_before));
    }
    TRY(launch(r, "choose_blocks", p->n_blocks));
    TRY(scan_of_blocks(r, p->offsets));
    TRY(scan_of_blocks(r, p->ranks));
    return launch(r, "list_chosen", p->n_blocks);
}

static tess_status launch_anew(tess_cut_kernels *k, const char *name, int64_t n_fresh) {
    return n_fresh > 0 ? tess_cut_launch(k, name, n_fresh) : TESS_OK;
}

static tess_status plan_set(replan *r, int s) {
    tess_cut_kernels *k = kernels_of(r, s);
    const int64_t n_blocks = r->params.n_blocks;
    TRY(launch_anew(k, "list_points", r->n_fresh));
    TRY(tess_cut_launch_each(k, "count_points", n_blocks));
    TRY(tess_cut_scan(k, n_blocks + 1));
    TRY(launch_anew(k, "pack_points", r->n_fresh));
    return tess_cut_launch(k, "copy_points", n_blocks);
}

static tess_status plan_all(replan *r) {
    if (r->n_fresh > 0)
        TRY(launch(r, "place_elements", r->params.n));
    TRY(launch_anew(kernels_of(r, -1), "order_elements", r->n_fresh));
    TRY(tess_cut_launch(kernels_of(r, -1), "copy_elements", r->params.n_blocks));
    TRY(launch(r, "give_offsets", r->params.n_blocks + 1));
    for (int s = 0; s < r->plan->n_sets; s++)
        TRY(plan_set(r, s));
    return TESS_OK;
}

tess_status tess_device_replan(tess_cut_kernels *kernels, const tess_device_change *change,
                               tess_device_plan *plan, double *seconds) {
    tess_status status = TESS_OK;
    replan r = {.kernels = kernels, .room = {.kernels = kernels}, change->before, plan};
    const tess_device *device = kernels->device;
    double planning = 0;
    CHECK(open_replan(&r, change));
    CHECK(device->timer_start(kernels->target));
    CHECK(choose(&r));
    CHECK(device->timer_stop(kernels->target, seconds));
    kernels_of(&r, -1);
    CHECK(tess_device_plan_refuse(kernels));
    CHECK(bring_last(&r, r.params.ranks, plan->n_blocks, &r.n_fresh));
    CHECK(device->timer_start(kernels->target));
    CHECK(plan_all(&r));
    CHECK(device->timer_stop(kernels->target, &planning));
    *seconds += planning;
    kernels_of(&r, -1);
    CHECK(tess_device_plan_refuse(kernels));
    plan->n_kept = (int32_t)(plan->n_blocks - r.n_fresh);
done:
    tess_cut_room_close(&r.room);
    free(r.points_now);
    return status;
}
