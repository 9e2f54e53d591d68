/* A device renumbering: on a device, sets, maps and dats follow the order of a plan. */
#include "kernels/cut/device_renumber.h"

#include "core/base/array.h"
#include "kernels/cut/device_sort.h"
#include <stdlib.h>

static bool leads_to(const tess_device_renumbering *r, int i) {
    return r->sets[i].by >= 0 && r->maps[r->sets[i].by].to == i;
}

/* --- what is refused -------------------------------------------------------------------------- */

static tess_status check_map(const tess_device_renumbering *r, int m) {
    const tess_device_map *map = &r->maps[m];
    if (map->from < 0 || map->from >= r->n_sets || map->to < 0 || map->to >= r->n_sets ||
        map->arity < 1)
        FAIL(TESS_ERROR_USAGE, "map %d leads from set %d to set %d by %d: there are %d sets", m,
             map->from, map->to, map->arity, r->n_sets);
    if (r->sets[map->from].size > (INT32_MAX - TESS_WARP) / map->arity)
        FAIL(TESS_ERROR_MISSING, "a map of 2^31 entries is renumbered by the host");
    return TESS_OK;
}

static tess_status check_set(const tess_device_renumbering *r, int i) {
    const int by = r->sets[i].by;
    if (r->sets[i].size < 0 || r->sets[i].size >= INT32_MAX)
        FAIL(TESS_ERROR_INPUT, "set %d has %lld elements", i, (long long)r->sets[i].size);
    if (i == 0 || by < 0)
        return TESS_OK;
    const tess_device_map *map = by < r->n_maps ? &r->maps[by] : NULL;
    const bool after = map && map->to == i && map->from < i;
    const bool along = map && map->from == i && map->to < i;
    if (!after && !along)
        FAIL(TESS_ERROR_USAGE, "set %d follows map %d, which is none of a set before it", i, by);
    return TESS_OK;
}

static tess_status check(const tess_device_plan *plan, const tess_device_renumbering *r) {
    if (r->n_sets < 1 || r->sets[0].size != plan->n)
        FAIL(TESS_ERROR_USAGE, "the first set that is renumbered is the plan's, of %lld elements",
             (long long)plan->n);
    for (int m = 0; m < r->n_maps; m++)
        TRY(check_map(r, m));
    for (int i = 0; i < r->n_sets; i++)
        TRY(check_set(r, i));
    for (int d = 0; d < r->n_dats; d++) {
        const tess_device_dat *dat = &r->dats[d];
        const bool is_set = dat->set >= 0 && dat->set < r->n_sets;
        if (!is_set || dat->bytes < 4 || dat->bytes % 4 || dat->bytes > INT32_MAX / TESS_WARP)
            FAIL(TESS_ERROR_USAGE, "dat %d has %lld bytes an element of set %d: a multiple of 4", d,
                 (long long)dat->bytes, dat->set);
    }
    return TESS_OK;
}

/* --- orders ----------------------------------------------------------------------------------- */

/* The parameters of a set's kernels, with all that they need. */
static tess_status prepare(tess_cut_room *room, const tess_device_plan *plan, int i,
                           tess_cut_params *p) {
    const tess_device_renumbering *r = plan->renumbering;
    const tess_device_set *set = &r->sets[i];
    const size_t size = sizeof(int32_t);
    p->new_to_old = tess_cut_address(set->new_to_old);
    p->old_to_new = tess_cut_address(set->old_to_new);
    p->n = set->size;
    p->order = i == 0 ? tess_cut_address(plan->executed) : 0;
    if (i == 0 || set->by < 0)
        return TESS_OK;
    const tess_device_map *map = &r->maps[set->by];
    p->map = tess_cut_address(map->index);
    p->n_slots = map->arity;
    int64_t n_values = 0;
    if (leads_to(r, i)) {
        p->n = r->sets[map->from].size;
        p->n_points = set->size;
        p->order = tess_cut_address(r->sets[map->from].new_to_old);
        p->n_values = tess_cut_tiles(p->n * p->n_slots + p->n_points, TESS_WARP);
        n_values = p->n_values;
        TRY(tess_cut_take(room, "first references", p->n_points, size, &p->reached));
        TRY(tess_cut_take(room, "their bits", p->n_values, size, &p->marks));
    } else {
        p->n_points = r->sets[map->to].size;
        p->numbers = tess_cut_address(r->sets[map->to].old_to_new);
        n_values = p->n_points + 2;
        TRY(tess_cut_take(room, "whether a bucket is full", 1, size, &p->marks));
        TRY(tess_cut_take(room, "places in buckets", p->n, size, &p->ranks));
        TRY(tess_cut_take(room, "keys", p->n, sizeof(uint64_t), &p->keys));
        TRY(tess_cut_take(room, "sorted keys", p->n, sizeof(uint64_t), &p->keys_out));
    }
    TRY(tess_cut_take(room, "counts", n_values, size, &p->values));
    return tess_cut_take(room, "sums", tess_cut_tiles(n_values, TESS_CUT_CHUNK), size, &p->sums);
}

static tess_status order_by_first_use(tess_cut_kernels *k) {
    tess_cut_params *p = &k->params;
    const int64_t n_words = p->n_values;
    TRY(tess_cut_launch_each(k, "reach_points", p->n));
    TRY(tess_cut_launch_each(k, "mark_points", p->n_points));
    TRY(tess_cut_launch_each(k, "count_bits", n_words));
    TRY(tess_cut_scan(k, n_words));
    return tess_cut_launch_each(k, "number_points", p->n_points);
}

/* By as many sorts as elements have two numbers. */
static tess_status sort_by_numbers(tess_cut_kernels *k, tess_cut_room *room) {
    tess_cut_params *p = &k->params;
    p->bits = tess_cut_bits(p->n_points);
    p->n_tiles = tess_cut_tiles(p->n, TESS_CUT_CHUNK);
    const int64_t n_values = TESS_CUT_DIGITS * p->n_tiles;
    TRY(tess_cut_take(room, "elements", p->n, sizeof(int32_t), &p->ids));
    TRY(tess_cut_take(room, "sorted elements", p->n, sizeof(int32_t), &p->ids_out));
    TRY(tess_cut_take(room, "counts", n_values, sizeof(int32_t), &p->values));
    TRY(tess_cut_take(room, "sums", tess_cut_tiles(n_values, TESS_CUT_CHUNK), sizeof(int32_t),
                      &p->sums));
    TRY(tess_cut_launch_each(k, "list_elements", p->n));
    for (p->round = (p->n_slots - 1) / 2; p->round >= 0; p->round--) {
        TRY(tess_cut_launch_each(k, "fill_number_keys", p->n));
        TRY(tess_cut_sort(k, 2 * p->bits));
    }
    p->order = p->ids;
    return tess_cut_launch_each(k, "number_elements", p->n);
}

static tess_status order_by_numbers(tess_cut_kernels *k, tess_cut_room *room) {
    const tess_cut_params *p = &k->params;
    uint32_t is_full = 0;
    TRY(tess_cut_launch_each(k, "count_by_number", p->n));
    TRY(k->device->download(k->target, &is_full, p->marks, sizeof is_full));
    if (is_full)
        return sort_by_numbers(k, room);
    TRY(tess_cut_scan(k, p->n_points + 2));
    TRY(tess_cut_launch_each(k, "place_by_number", p->n));
    return tess_cut_launch_each(k, "sort_buckets", p->n_points + 1);
}

static tess_status number_set(tess_cut_kernels *k, tess_cut_room *room,
                              const tess_device_renumbering *r, int i) {
    if (r->sets[i].size == 0)
        return TESS_OK;
    if (i == 0 || r->sets[i].by < 0)
        return tess_cut_launch_each(k, "number_elements", k->params.n);
    return leads_to(r, i) ? order_by_first_use(k) : order_by_numbers(k, room);
}

/* --- what follows ----------------------------------------------------------------------------- */

/* Rows of a set's elements, of numbers of `to` (NULL: of words), at their new places. */
static tess_status move_rows(tess_cut_kernels *k, const tess_device_set *set,
                             const tess_device_set *to, int64_t n_slots, const void *from,
                             void *out) {
    const tess_address faults = k->params.faults;
    k->params = (tess_cut_params){.n = set->size,
                                  .n_slots = n_slots,
                                  .order = tess_cut_address(set->new_to_old),
                                  .map = tess_cut_address(from),
                                  .map_out = tess_cut_address(out),
                                  .numbers = to ? tess_cut_address(to->old_to_new) : 0,
                                  .n_points = to ? to->size : 0,
                                  .faults = faults};
    return set->size > 0 && out ? tess_cut_launch_each(k, "move_rows", set->size) : TESS_OK;
}

static tess_status renumber_all(tess_cut_kernels *k, tess_cut_room *room,
                                const tess_device_renumbering *r, const tess_cut_params *params) {
    for (int i = 0; i < r->n_sets; i++) {
        k->params = params[i];
        TRY(number_set(k, room, r, i));
    }
    for (int m = 0; m < r->n_maps; m++) {
        const tess_device_map *map = &r->maps[m];
        TRY(move_rows(k, &r->sets[map->from], &r->sets[map->to], map->arity, map->index,
                      map->renumbered));
    }
    for (int d = 0; d < r->n_dats; d++) {
        const tess_device_dat *dat = &r->dats[d];
        TRY(move_rows(k, &r->sets[dat->set], NULL, dat->bytes / 4, dat->values, dat->renumbered));
    }
    return TESS_OK;
}

tess_status tess_device_renumber(tess_cut_kernels *k, const tess_device_plan *plan,
                                 double *seconds) {
    tess_status status = TESS_OK;
    const tess_device_renumbering *r = plan->renumbering;
    tess_cut_room room = {.kernels = k};
    tess_cut_params *params = NULL;
    tess_address faults = 0;
    double renumbering = 0;
    TRY(check(plan, r));
    CHECK(TESS_ZEROS(r->n_sets, &params));
    CHECK(tess_cut_take(&room, "faults", TESS_CUT_FAULTS, sizeof(uint32_t), &faults));
    for (int i = 0; i < r->n_sets; i++) {
        params[i].faults = faults;
        CHECK(prepare(&room, plan, i, &params[i]));
    }
    CHECK(k->device->timer_start(k->target));
    CHECK(renumber_all(k, &room, r, params));
    CHECK(k->device->timer_stop(k->target, &renumbering));
    *seconds += renumbering;
    CHECK(tess_device_plan_refuse(k));
done:
    tess_cut_room_close(&room);
    free(params);
    return status;
}

/* --- there and back --------------------------------------------------------------------------- */

static tess_status send_set(tess_cut_room *room, tess_device_set *set) {
    const size_t size = sizeof(int32_t);
    TRY(tess_cut_send(room, "new numbers", NULL, set->size, size, &set->new_to_old));
    return tess_cut_send(room, "numbers", NULL, set->size, size, &set->old_to_new);
}

static tess_status send_rows(tess_cut_room *room, const void *from, int64_t n, size_t bytes,
                             void *there, void *out) {
    TRY(tess_cut_send(room, "rows", from, n, bytes, there));
    return out ? tess_cut_send(room, "rows renumbered", NULL, n, bytes, out) : TESS_OK;
}

tess_status tess_device_renumbering_send(tess_cut_room *room, const tess_device_plan *plan,
                                         tess_device_renumbering *there) {
    const tess_device_renumbering *from = plan->renumbering;
    TRY(check(plan, from));
    *there = *from;
    there->sets = NULL;
    there->maps = NULL;
    there->dats = NULL;
    TRY(TESS_COPY(from->n_sets, from->sets, &there->sets));
    TRY(TESS_COPY(from->n_maps, from->maps, &there->maps));
    TRY(TESS_COPY(from->n_dats, from->dats, &there->dats));
    for (int i = 0; i < from->n_sets; i++)
        TRY(send_set(room, &there->sets[i]));
    for (int m = 0; m < from->n_maps; m++) {
        tess_device_map *map = &there->maps[m];
        TRY(send_rows(room, map->index, from->sets[map->from].size,
                      (size_t)map->arity * sizeof *map->index, &map->index,
                      map->renumbered ? &map->renumbered : NULL));
    }
    for (int d = 0; d < from->n_dats; d++) {
        tess_device_dat *dat = &there->dats[d];
        TRY(send_rows(room, dat->values, from->sets[dat->set].size, (size_t)dat->bytes,
                      &dat->values, &dat->renumbered));
    }
    return TESS_OK;
}

tess_status tess_device_renumbering_bring(const tess_cut_kernels *k,
                                          const tess_device_renumbering *there,
                                          tess_device_renumbering *to) {
    const size_t size = sizeof(int32_t);
    for (int i = 0; i < to->n_sets; i++) {
        const tess_device_set *from = &there->sets[i];
        TRY(tess_cut_bring(k, to->sets[i].new_to_old, from->new_to_old, from->size, size));
        TRY(tess_cut_bring(k, to->sets[i].old_to_new, from->old_to_new, from->size, size));
    }
    for (int m = 0; m < to->n_maps; m++) {
        const tess_device_map *from = &there->maps[m];
        if (from->renumbered)
            TRY(tess_cut_bring(k, to->maps[m].renumbered, from->renumbered,
                               to->sets[from->from].size, (size_t)from->arity * size));
    }
    for (int d = 0; d < to->n_dats; d++) {
        const tess_device_dat *from = &there->dats[d];
        TRY(tess_cut_bring(k, to->dats[d].renumbered, from->renumbered, to->sets[from->set].size,
                           (size_t)from->bytes));
    }
    return TESS_OK;
}

void tess_device_renumbering_close(tess_device_renumbering *there) {
    free(there->sets);
    free(there->maps);
    free(there->dats);
}
