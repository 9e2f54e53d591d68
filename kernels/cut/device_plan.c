/* A device plan: blocks planned on a device, anew, or where a part of their elements has changed.
 *
 * Elements are counted, put into their blocks and sorted there; a thread block then sorts what a
 * block's elements reach, set by set, and finds each among the distinct ones (plan_blocks.cu). */
#include "kernels/cut/device_plan.h"

#include "core/base/array.h"
#include "core/plan/partition_problem.h"
#include "kernels/cut/device_colours.h"
#include "kernels/cut/device_point_order.h"
#include "kernels/cut/device_renumber.h"
#include "kernels/cut/device_replan.h"
#include "kernels/cut/device_sort.h"
#include <stdlib.h>

static tess_status check_size(const tess_device_plan *plan) {
    const int64_t most = INT32_MAX / tess_device_plan_slots(plan);
    if (tess_device_plan_room(plan) > most - 1)
        FAIL(TESS_ERROR_MISSING, "a plan of more than %lld elements is made by the host",
             (long long)most);
    return TESS_OK;
}

/* --- where it lies there ---------------------------------------------------------------------- */

static tess_status plan_set(tess_cut_kernels *k, const tess_device_points *set) {
    tess_cut_params *p = &k->params;
    p->n_slots = set->n_slots;
    p->map = tess_cut_address(set->map);
    p->values = tess_cut_address(set->point_offset);
    p->points_out = tess_cut_address(set->points);
    p->local_index = tess_cut_address(set->local_index);
    TRY(tess_cut_launch(k, "list_points", p->n_blocks));
    TRY(tess_cut_scan(k, p->n_blocks + 1));
    return tess_cut_launch(k, "pack_points", p->n_blocks);
}

static tess_status count_positions(tess_cut_kernels *k) {
    tess_cut_params *p = &k->params;
    TRY(tess_cut_launch_each(k, "count_elements", p->n));
    p->values = p->offsets;
    return tess_cut_scan(k, p->n_blocks + 1);
}

/* How many positions there are, where blocks own points. */
static tess_status check_room(const tess_cut_kernels *k, tess_device_plan *plan) {
    const int64_t size = sizeof(int32_t), room = plan->n_executed;
    const tess_address last = k->params.offsets + (uint64_t)(k->params.n_blocks * size);
    int32_t n = 0;
    if (!plan->owned_slots)
        return TESS_OK;
    TRY(tess_device_plan_refuse(k));
    TRY(k->device->download(k->target, &n, last, size));
    plan->n_executed = n;
    if (n > room)
        FAIL(TESS_ERROR_USAGE, "blocks execute %d elements: there is room for %lld", n,
             (long long)room);
    return TESS_OK;
}

static tess_status place_positions(tess_cut_kernels *k, const tess_device_plan *plan) {
    const tess_cut_params *p = &k->params;
    TRY(tess_cut_launch_each(k, "place_elements", p->n));
    TRY(tess_cut_launch(k, "order_elements", p->n_blocks));
    TRY(tess_cut_launch_each(k, "give_offsets", p->n_blocks + 1));
    for (int s = 0; s < plan->n_sets; s++)
        TRY(plan_set(k, &plan->sets[s]));
    return TESS_OK;
}

/* With elements of a block by the positions [n] that lie there; 0: ascending. */
static tess_status plan_anew(tess_cut_kernels *k, tess_address position, tess_device_plan *plan,
                             double *seconds) {
    tess_cut_room room = {.kernels = k};
    tess_cut_params *p = &k->params;
    tess_status status = TESS_OK;
    double placing = 0;
    *p = (tess_cut_params){.n = plan->n,
                           .n_blocks = plan->n_blocks,
                           .block_of = tess_cut_address(plan->block_of),
                           .position = position,
                           .owned_slots = plan->owned_slots,
                           .owned_map = tess_cut_address(plan->owned_map),
                           .n_points = plan->n_owned,
                           .executed_out = tess_cut_address(plan->executed),
                           .offsets_out = tess_cut_address(plan->block_offset)};
    CHECK(tess_device_plan_take(&room, plan, p));
    CHECK(k->device->timer_start(k->target));
    CHECK(count_positions(k));
    CHECK(k->device->timer_stop(k->target, seconds));
    CHECK(check_room(k, plan));
    CHECK(k->device->timer_start(k->target));
    CHECK(place_positions(k, plan));
    CHECK(k->device->timer_stop(k->target, &placing));
    *seconds += placing;
    CHECK(tess_device_plan_refuse(k));
done:
    tess_cut_room_close(&room);
    return status;
}

/* The first block that has each point of a set. */
static tess_status own_points(tess_cut_kernels *k, int64_t n_blocks, const tess_device_points *set,
                              double *seconds) {
    tess_cut_room room = {.kernels = k};
    tess_cut_params *p = &k->params;
    tess_status status = TESS_OK;
    double owning = 0;
    *p = (tess_cut_params){.n_points = set->n_points,
                           .values = tess_cut_address(set->point_offset),
                           .points = tess_cut_address(set->points),
                           .owners = tess_cut_address(set->owner)};
    if (set->n_points < 1)
        return TESS_OK;
    CHECK(tess_cut_take(&room, "owners", p->n_points, sizeof(uint32_t), &p->reached));
    CHECK(tess_cut_take(&room, "faults", TESS_CUT_FAULTS, sizeof(uint32_t), &p->faults));
    CHECK(k->device->timer_start(k->target));
    CHECK(tess_cut_launch(k, "claim_points", n_blocks));
    CHECK(tess_cut_launch_each(k, "tell_owners", p->n_points));
    CHECK(k->device->timer_stop(k->target, &owning));
    *seconds += owning;
    CHECK(tess_device_plan_refuse(k));
done:
    tess_cut_room_close(&room);
    return status;
}

static tess_status plan_there(tess_cut_kernels *k, const tess_device_change *change,
                              tess_address position, tess_device_plan *plan, double *seconds) {
    TRY(check_size(plan));
    plan->n_kept = 0;
    if (plan->owned_slots && (change || plan->renumbering))
        FAIL(TESS_ERROR_USAGE, "where blocks own points a plan follows none before, and elements "
                               "have no one position to be renumbered by");
    TRY(change ? tess_device_replan(k, change, plan, seconds)
               : plan_anew(k, position, plan, seconds));
    for (int s = 0; s < plan->n_sets; s++) {
        if (plan->sets[s].owner)
            TRY(own_points(k, plan->n_blocks, &plan->sets[s], seconds));
        TRY(tess_device_colour(k, plan, &plan->sets[s], seconds));
    }
    return plan->renumbering ? tess_device_renumber(k, plan, seconds) : TESS_OK;
}

tess_status tess_device_plan_there(tess_cut_kernels *k, const tess_device_change *change,
                                   tess_device_plan *plan, double *seconds) {
    return plan_there(k, change, 0, plan, seconds);
}

/* --- where it lies here ----------------------------------------------------------------------- */

/* What a plan is made of, with room for it; or what it was, that a change follows. */
static tess_status send_plan(tess_cut_room *room, const tess_device_plan *plan, bool was,
                             tess_device_plan *there) {
    const int64_t n = tess_device_plan_room(plan), n_offsets = plan->n_blocks + 1;
    const int64_t n_owned = plan->owned_slots ? plan->n_owned : n;
    const size_t size = sizeof(int32_t);
    tess_device_points *sets = NULL;
    TRY(TESS_ZEROS(plan->n_sets, &sets));
    *there = *plan;
    there->sets = sets;
    if (!was)
        TRY(tess_cut_send(room, "blocks", plan->block_of, n_owned, size, &there->block_of));
    if (plan->owned_slots)
        TRY(tess_cut_send(room, "who executes", plan->owned_map, plan->n * plan->owned_slots, size,
                          &there->owned_map));
    TRY(tess_cut_send(room, "order", was ? plan->executed : NULL, n, size, &there->executed));
    TRY(tess_cut_send(room, "offsets", was ? plan->block_offset : NULL, n_offsets, size,
                      &there->block_offset));
    for (int s = 0; s < plan->n_sets; s++) {
        const tess_device_points *set = &plan->sets[s];
        tess_device_points *out = &sets[s];
        *out = *set;
        TRY(tess_cut_send(room, "offsets of points", was ? set->point_offset : NULL, n_offsets,
                          size, &out->point_offset));
        TRY(tess_cut_send(room, "local indices", was ? set->local_index : NULL, n * set->n_slots,
                          sizeof(uint16_t), &out->local_index));
        if (was)
            continue;
        if (plan->owned_slots && set->map == plan->owned_map)
            out->map = there->owned_map;
        else
            TRY(tess_cut_send(room, "map", set->map, plan->n * set->n_slots, size, &out->map));
        TRY(tess_cut_send(room, "points", NULL, n * set->n_slots, size, &out->points));
        if (set->owner)
            TRY(tess_cut_send(room, "owners", NULL, set->n_points, size, &out->owner));
        if (set->thread_colour)
            TRY(tess_cut_send(room, "colours", NULL, n, sizeof(uint16_t), &out->thread_colour));
        if (set->block_colour)
            TRY(tess_cut_send(room, "blocks' colours", NULL, plan->n_blocks, size,
                              &out->block_colour));
    }
    return TESS_OK;
}

static tess_status bring_plan(const tess_cut_kernels *k, const tess_device_plan *there,
                              tess_device_plan *plan) {
    const int64_t n = tess_device_plan_room(there), n_offsets = plan->n_blocks + 1;
    const size_t size = sizeof(int32_t);
    plan->n_kept = there->n_kept;
    TRY(tess_cut_bring(k, plan->executed, there->executed, n, size));
    TRY(tess_cut_bring(k, plan->block_offset, there->block_offset, n_offsets, size));
    for (int s = 0; s < plan->n_sets; s++) {
        const tess_device_points *from = &there->sets[s], *set = &plan->sets[s];
        const int64_t n_references = n * set->n_slots;
        TRY(tess_cut_bring(k, set->point_offset, from->point_offset, n_offsets, size));
        const int64_t n_points = set->point_offset[plan->n_blocks];
        if (n_points < 0 || n_points > n_references)
            FAIL(TESS_ERROR_INTERNAL, "the device finds %lld points", (long long)n_points);
        TRY(tess_cut_bring(k, set->points, from->points, n_points, size));
        TRY(tess_cut_bring(k, set->local_index, from->local_index, n_references, sizeof(uint16_t)));
        if (set->owner)
            TRY(tess_cut_bring(k, set->owner, from->owner, set->n_points, size));
        if (set->thread_colour)
            TRY(tess_cut_bring(k, set->thread_colour, from->thread_colour, n, sizeof(uint16_t)));
        if (set->block_colour)
            TRY(tess_cut_bring(k, set->block_colour, from->block_colour, plan->n_blocks, size));
    }
    return TESS_OK;
}

/* Has points ordered there, if there is room for that here, and brings it. */
static tess_status order_points(tess_cut_kernels *k, int32_t n_blocks,
                                const tess_device_points *points, tess_device_point_order asked,
                                int32_t **out, double *seconds) {
    tess_cut_room room = {.kernels = k};
    tess_status status = TESS_OK;
    bool is_ordered = false;
    if (!*out)
        return TESS_OK;
    CHECK(
        tess_cut_take(&room, "order of points", points->n_points, sizeof **out, &asked.new_to_old));
    CHECK(tess_device_order_points(k, n_blocks, points, &asked, &is_ordered, seconds));
    if (is_ordered)
        CHECK(k->device->download(k->target, *out, asked.new_to_old,
                                  points->n_points * (int64_t)sizeof **out));
    else
        free(TESS_TAKE(*out));
done:
    tess_cut_room_close(&room);
    return status;
}

/* All that are asked. */
static tess_status order_all(tess_cut_kernels *k, const tess_device_plan *there,
                             const tess_device_orders *orders, double *seconds) {
    const tess_device_points elements = {
        .point_offset = there->block_offset, .points = there->executed, .n_points = there->n};
    for (int s = 0; s < there->n_sets; s++) {
        const tess_device_point_order asked = {
            .by_owner = orders->by_owner,
            .owner = s == orders->owned_set ? tess_cut_address(there->block_of) : 0};
        TRY(order_points(k, there->n_blocks, &there->sets[s], asked, &orders->points[s], seconds));
    }
    return order_points(k, there->n_blocks, &elements, (tess_device_point_order){.by_owner = true},
                        orders->elements, seconds);
}

static tess_status plan_here(tess_cut_kernels *k, const tess_device_change *change,
                             tess_device_plan *plan, const tess_device_orders *orders,
                             double *seconds) {
    tess_cut_room room = {.kernels = k};
    tess_status status = TESS_OK;
    tess_device_plan there = {.sets = NULL}, before = {.sets = NULL};
    tess_device_change changed = {&before, NULL};
    tess_device_renumbering renumbering = {.sets = NULL};
    const int32_t *position = NULL;
    CHECK(check_size(plan));
    CHECK(send_plan(&room, plan, false, &there));
    if (orders && orders->position)
        CHECK(tess_cut_send(&room, "positions", orders->position, plan->n, sizeof(int32_t),
                            &position));
    if (plan->renumbering) {
        CHECK(tess_device_renumbering_send(&room, plan, &renumbering));
        there.renumbering = &renumbering;
    }
    if (change) {
        CHECK(send_plan(&room, change->before, true, &before));
        CHECK(tess_cut_send(&room, "numbers before", change->was, plan->n, sizeof(int32_t),
                            &changed.was));
    }
    CHECK(plan_there(k, change ? &changed : NULL, tess_cut_address(position), &there, seconds));
    CHECK(bring_plan(k, &there, plan));
    if (plan->renumbering)
        CHECK(tess_device_renumbering_bring(k, &renumbering, plan->renumbering));
    if (orders)
        CHECK(order_all(k, &there, orders, seconds));
done:
    if (there.sets)
        plan->n_executed = there.n_executed; /* what there is no room for, too */
    tess_cut_room_close(&room);
    tess_device_renumbering_close(&renumbering);
    free(there.sets);
    free(before.sets);
    return status;
}

tess_status tess_device_plan_here(tess_cut_kernels *k, const tess_device_change *change,
                                  tess_device_plan *plan, double *seconds) {
    return plan_here(k, change, plan, NULL, seconds);
}

tess_status tess_device_plan_ordered(tess_cut_kernels *k, tess_device_plan *plan,
                                     const tess_device_orders *orders, double *seconds) {
    return plan_here(k, NULL, plan, orders, seconds);
}

/* --- a host's plan ---------------------------------------------------------------------------- */

/* A target's map, its slots side by side. */
static tess_status lay_out_map(const tess_loop_target *target, int64_t n, const int32_t **out) {
    const int64_t n_slots = target->n_slots;
    int32_t *map = NULL;
    TRY(TESS_ALLOC(n * n_slots, &map));
#pragma omp parallel for
    for (int64_t e = 0; e < n; e++)
        for (int64_t s = 0; s < n_slots; s++)
            map[e * n_slots + s] = target->slot_index[s][e * target->slot_stride[s]];
    *out = map;
    return TESS_OK;
}

static tess_status narrow_offsets(const int64_t *offset, int64_t n, int32_t **out) {
    TRY(TESS_ALLOC(n, out));
    for (int64_t i = 0; i < n; i++)
        (*out)[i] = (int32_t)offset[i];
    return TESS_OK;
}

/* Offsets ascend from 0 to `most`. */
static tess_status widen_offsets(const int32_t *narrow, int64_t n, int64_t most, int64_t *offset) {
    for (int64_t i = 0; i < n; i++) {
        offset[i] = narrow[i];
        if (i > 0 ? offset[i] < offset[i - 1] || offset[i] > most : offset[i] != 0)
            FAIL(TESS_ERROR_INTERNAL, "the device's offset %lld is %d", (long long)i, narrow[i]);
    }
    return TESS_OK;
}

/* With maps of its own, or the mesh's where these are laid out so. */
static tess_status open_plan(const tess_bound_loop *bound, const int32_t *block_of,
                             const tess_plan *plan, bool own_maps, tess_device_plan *out) {
    const int64_t n_offsets = plan->n_blocks + 1;
    *out = (tess_device_plan){.n = plan->n_elements,
                              .n_blocks = plan->n_blocks,
                              .block_of = block_of,
                              .executed = plan->executed,
                              .n_sets = plan->n_sets};
    TRY(TESS_ZEROS(plan->n_sets, &out->sets));
    TRY(narrow_offsets(plan->block_offset, n_offsets, &out->block_offset));
    for (int k = 0; k < plan->n_sets; k++) {
        const tess_plan_set *set = &plan->sets[k];
        out->sets[k] =
            (tess_device_points){.n_slots = set->n_slots,
                                 .points = set->points,
                                 .local_index = set->local_index,
                                 .n_points = bound->mesh->sets[bound->targets[k].set].size};
        TRY(narrow_offsets(set->point_offset, n_offsets, &out->sets[k].point_offset));
        out->sets[k].map = own_maps ? NULL : tess_loop_target_map(&bound->targets[k]);
        if (!out->sets[k].map)
            TRY(lay_out_map(&bound->targets[k], plan->n_elements, &out->sets[k].map));
    }
    return TESS_OK;
}

tess_status tess_device_plan_open(const tess_bound_loop *bound, const int32_t *block_of,
                                  const tess_plan *plan, tess_device_plan *out) {
    return open_plan(bound, block_of, plan, true, out);
}

void tess_device_plan_close(tess_device_plan *plan) {
    for (int k = 0; plan->sets && k < plan->n_sets; k++) {
        free((void *)plan->sets[k].map);
        free(plan->sets[k].point_offset);
    }
    free(plan->sets);
    free(plan->block_offset);
}

/* Has blocks own points; the map of these is the caller's to clear where it is owned. */
static tess_status open_owned(const tess_bound_loop *bound, const tess_plan *plan, int set,
                              tess_incidence *map, tess_device_plan *out) {
    TRY(tess_owned_incidence(bound, set, map));
    out->owned_slots = map->arity;
    out->owned_map = map->index;
    out->n_owned = map->n_points;
    out->n_executed = plan->n_executed;
    return TESS_OK;
}

tess_status tess_device_plan_fill(tess_cut_kernels *kernels, const tess_bound_loop *bound,
                                  const int32_t *block_of, const int32_t *position, tess_plan *plan,
                                  double *seconds) {
    tess_status status = TESS_OK;
    tess_device_plan there;
    tess_device_orders orders = {position, plan->renumbered == TESS_RENUMBER_OWNER, -1, NULL,
                                 &plan->new_to_old};
    tess_incidence owned = {.index = NULL};
    const int64_t n_offsets = plan->n_blocks + 1;
    const int set = plan->owns_points ? tess_mesh_find_set(bound->mesh, plan->partitioned_set) : -1;
    CHECK(open_plan(bound, block_of, plan, false, &there));
    if (plan->owns_points)
        CHECK(open_owned(bound, plan, set, &owned, &there));
    CHECK(TESS_ZEROS(plan->n_sets, &orders.points));
    for (int k = 0; k < plan->n_sets; k++) {
        orders.points[k] = TESS_TAKE(plan->sets[k].new_to_old);
        if (bound->targets[k].set == set)
            orders.owned_set = k;
    }
    CHECK(tess_device_plan_ordered(kernels, &there, &orders, seconds));
    if (tess_device_plan_room(&there) != plan->n_executed)
        CHECK(tess_fail(TESS_ERROR_INTERNAL, "the device's blocks execute %lld elements, not %lld",
                        (long long)there.n_executed, (long long)plan->n_executed));
    const int64_t n = plan->n_executed;
    CHECK(widen_offsets(there.block_offset, n_offsets, n, plan->block_offset));
    for (int k = 0; k < plan->n_sets; k++)
        CHECK(widen_offsets(there.sets[k].point_offset, n_offsets, n * there.sets[k].n_slots,
                            plan->sets[k].point_offset));
done:
    for (int k = 0; orders.points && k < plan->n_sets; k++)
        plan->sets[k].new_to_old = orders.points[k];
    for (int k = 0; there.sets && k < plan->n_sets; k++)
        if (there.sets[k].map == tess_loop_target_map(&bound->targets[k]))
            there.sets[k].map = NULL;
    free(orders.points);
    tess_incidence_clear(&owned);
    tess_device_plan_close(&there);
    return status;
}
