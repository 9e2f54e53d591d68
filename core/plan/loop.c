/* A loop: a user kernel applied to every element of a set, and the args it reads and increments. */
#include "core/plan/loop.h"

#include "core/base/array.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *tess_access_name(tess_access access) {
    static const char *const names[] = {TESS_ACCESS_NAMES};
    return names[access];
}

tess_status tess_loop_new(const char *name, const char *set, tess_loop **out) {
    tess_status status = TESS_OK;
    tess_loop *loop = NULL;
    CHECK(TESS_ZEROS(1, &loop));
    CHECK(tess_name_copy(loop->name, name));
    CHECK(tess_name_copy(loop->set, set));
    *out = TESS_TAKE(loop);
done:
    free(loop);
    return status;
}

tess_status tess_loop_add_arg(tess_loop *loop, const tess_arg *arg) {
    if (arg->dim < 1 || arg->dim > TESS_MOST_DIM)
        FAIL(TESS_ERROR_USAGE, "arg %d of loop %s ('%s'): a dat has 1 to %d values, not %d",
             loop->n_args, loop->name, arg->dat, TESS_MOST_DIM, arg->dim);
    if ((unsigned)arg->type > TESS_DOUBLE || (unsigned)arg->access > TESS_INC)
        FAIL(TESS_ERROR_USAGE, "arg %d of loop %s ('%s'): there is no type %d, or no access %d",
             loop->n_args, loop->name, arg->dat, arg->type, arg->access);
    int64_t capacity = loop->n_args;
    TRY(TESS_RESERVE(loop->n_args + 1, &capacity, &loop->args));
    loop->args[loop->n_args++] = *arg;
    return TESS_OK;
}

void tess_loop_free(tess_loop *loop) {
    if (!loop)
        return;
    free(loop->args);
    free(loop);
}

bool tess_loop_adds(const tess_loop *loop) {
    for (int a = 0; a < loop->n_args; a++)
        if (tess_arg_adds(&loop->args[a]))
            return true;
    return false;
}

bool tess_loop_writes_points(const tess_loop *loop) {
    for (int a = 0; a < loop->n_args; a++)
        if (tess_arg_writes_points(&loop->args[a]))
            return true;
    return false;
}

bool tess_arg_shares_dat(const tess_arg *a, const tess_arg *b) {
    return strcmp(a->dat, b->dat) == 0 && strcmp(a->set, b->set) == 0;
}

int tess_loop_first_of_dat(const tess_loop *loop, int a) {
    int first = 0;
    while (!tess_arg_shares_dat(&loop->args[first], &loop->args[a]))
        first++;
    return first;
}

/* Splits "NAME:SET:DIM:TYPE" into the arg. */
static tess_status dat_parse(const char *dat, tess_arg *arg) {
    char type[16] = "";
    int end = 0;
    if (sscanf(dat, "%47[^:]:%47[^:]:%9d:%15[a-z]%n", arg->dat, arg->set, &arg->dim, type, &end) !=
            4 ||
        dat[end] != '\0' || arg->dim < 1 || arg->dim > TESS_MOST_DIM)
        FAIL(TESS_ERROR_USAGE,
             "'%s' is not a dat: write NAME:SET:DIM:TYPE, DIM from 1 to %d, say q:cells:4:double",
             dat, TESS_MOST_DIM);
    return tess_type_parse(type, &arg->type);
}

tess_status tess_loop_of_map(const char *map, const char *dat, tess_loop **out) {
    const char *colon = strchr(map, ':');
    if (!colon || colon == map || !colon[1] || strlen(map) >= TESS_NAME_SIZE)
        FAIL(TESS_ERROR_USAGE, "'%s' is not a map: write FROM:TO, say edges:cells", map);
    tess_arg arg = {
        .dat = "increment", .dim = 1, .type = TESS_DOUBLE, .access = TESS_INC, .slot = -1};
    snprintf(arg.map, sizeof arg.map, "%s", map);
    snprintf(arg.set, sizeof arg.set, "%s", colon + 1);
    if (dat)
        TRY(dat_parse(dat, &arg));
    if (strcmp(arg.set, colon + 1) != 0)
        FAIL(TESS_ERROR_USAGE, "--dat '%s' is on %s, but map %s leads to %s", dat, arg.set, map,
             colon + 1);
    char from[TESS_NAME_SIZE];
    snprintf(from, sizeof from, "%.*s", (int)(colon - map), map);
    TRY(tess_loop_new(map, from, out));
    const tess_status status = tess_loop_add_arg(*out, &arg);
    if (status != TESS_OK) {
        tess_loop_free(*out);
        *out = NULL;
    }
    return status;
}

/* The target of `set`, added when it is new. */
static tess_status target_of(tess_bound_loop *bound, int set, tess_loop_target **out) {
    for (int i = 0; i < bound->n_targets; i++) {
        if (bound->targets[i].set == set) {
            *out = &bound->targets[i];
            return TESS_OK;
        }
    }
    int64_t capacity = bound->n_targets;
    TRY(TESS_RESERVE(bound->n_targets + 1, &capacity, &bound->targets));
    *out = &bound->targets[bound->n_targets++];
    **out = (tess_loop_target){.set = set};
    return TESS_OK;
}

/* Adds one slot of a map to a target unless it is there, and marks it where it is incremented. */
static tess_status target_add_slot(tess_loop_target *target, const tess_map *map, int slot,
                                   bool incremented) {
    const int32_t *index = map->index + slot;
    int s = 0;
    while (s < target->n_slots && target->slot_index[s] != index)
        s++;
    if (s == target->n_slots) {
        int64_t capacity = s;
        TRY(TESS_RESERVE(s + 1, &capacity, &target->slot_index));
        capacity = s;
        TRY(TESS_RESERVE(s + 1, &capacity, &target->slot_stride));
        capacity = s;
        TRY(TESS_RESERVE(s + 1, &capacity, &target->slot_incremented));
        target->slot_index[s] = index;
        target->slot_stride[s] = map->arity;
        target->slot_incremented[s] = false;
        target->n_slots++;
    }
    target->slot_incremented[s] |= incremented;
    target->incremented |= incremented;
    return TESS_OK;
}

/* Whether an earlier arg accesses the same dat indirectly (its bytes count once a point). */
static bool dat_counted_before(const tess_loop *loop, int a) {
    for (int b = 0; b < a; b++)
        if (loop->args[b].map[0] && tess_arg_shares_dat(&loop->args[b], &loop->args[a]))
            return true;
    return false;
}

static tess_status bind_arg(tess_bound_loop *bound, int a) {
    const tess_mesh *mesh = bound->mesh;
    const tess_loop *loop = bound->loop;
    const tess_arg *arg = &loop->args[a];
    const tess_map *map = tess_mesh_find_map(mesh, arg->map);
    if (!map)
        FAIL(TESS_ERROR_INPUT, "arg %d of loop %s ('%s') goes through the map %s, which %s lacks",
             a, loop->name, arg->dat, arg->map, mesh->source);
    if (map->from != bound->set || strcmp(mesh->sets[map->to].name, arg->set) != 0)
        FAIL(TESS_ERROR_INPUT, "arg %d of loop %s ('%s' on %s): map %s does not lead there from %s",
             a, loop->name, arg->dat, arg->set, arg->map, loop->set);
    if (arg->slot >= map->arity || arg->slot < -1)
        FAIL(TESS_ERROR_INPUT, "arg %d of loop %s ('%s'): map %s has slots 0 to %d, not %d", a,
             loop->name, arg->dat, arg->map, map->arity - 1, arg->slot);
    tess_loop_target *target = NULL;
    TRY(target_of(bound, map->to, &target));
    const int first = arg->slot < 0 ? 0 : arg->slot;
    const int last = arg->slot < 0 ? map->arity - 1 : arg->slot;
    for (int slot = first; slot <= last; slot++)
        TRY(target_add_slot(target, map, slot, arg->access != TESS_READ));
    if (!dat_counted_before(loop, a))
        target->bytes += arg->dim * (int64_t)tess_type_size(arg->type);
    return TESS_OK;
}

tess_status tess_loop_bind(const tess_loop *loop, const tess_mesh *mesh, tess_bound_loop **out) {
    tess_status status = TESS_OK;
    tess_bound_loop *bound = NULL;
    CHECK(TESS_ZEROS(1, &bound));
    bound->mesh = mesh;
    bound->loop = loop;
    bound->set = tess_mesh_find_set(mesh, loop->set);
    if (bound->set < 0)
        CHECK(tess_fail(TESS_ERROR_INPUT, "loop %s is over %s, which %s lacks", loop->name,
                        loop->set, mesh->source));
    bound->n_elements = mesh->sets[bound->set].size;
    for (int a = 0; a < loop->n_args; a++)
        if (loop->args[a].map[0])
            CHECK(bind_arg(bound, a));
    if (bound->n_targets == 0)
        CHECK(tess_fail(TESS_ERROR_INPUT, "loop %s has no indirect arg: it needs no plan",
                        loop->name));
    *out = TESS_TAKE(bound);
done:
    tess_bound_loop_free(bound);
    return status;
}

static tess_status target_copy(const tess_loop_target *target, int64_t first,
                               tess_loop_target *out) {
    const int n = target->n_slots;
    *out = *target;
    out->slot_index = NULL;
    out->slot_stride = NULL;
    out->slot_incremented = NULL;
    out->chosen = NULL;
    TRY(TESS_ALLOC(n, &out->slot_index));
    TRY(TESS_ALLOC(n, &out->slot_stride));
    TRY(TESS_ALLOC(n, &out->slot_incremented));
    for (int s = 0; s < n; s++) {
        out->slot_index[s] = target->slot_index[s] + first * target->slot_stride[s];
        out->slot_stride[s] = target->slot_stride[s];
        out->slot_incremented[s] = target->slot_incremented[s];
    }
    return TESS_OK;
}

tess_status tess_bound_loop_part(const tess_bound_loop *bound, int64_t first, int64_t end,
                                 tess_bound_loop **out) {
    tess_status status = TESS_OK;
    tess_bound_loop *part = NULL;
    CHECK(TESS_ZEROS(1, &part));
    *part = (tess_bound_loop){.mesh = bound->mesh,
                              .loop = bound->loop,
                              .set = bound->set,
                              .first = first,
                              .n_elements = end - first};
    CHECK(TESS_ZEROS(bound->n_targets, &part->targets));
    for (; part->n_targets < bound->n_targets; part->n_targets++)
        CHECK(
            target_copy(&bound->targets[part->n_targets], first, &part->targets[part->n_targets]));
    *out = TESS_TAKE(part);
done:
    tess_bound_loop_free(part);
    return status;
}

/* Has a target of the loop of these elements read a copy of their points. */
static tess_status target_choose(tess_loop_target *target, int64_t n, const int32_t *elements) {
    const int n_slots = target->n_slots;
    TRY(TESS_ALLOC(n * n_slots, &target->chosen));
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++)
        for (int s = 0; s < n_slots; s++)
            target->chosen[i * n_slots + s] = tess_target_point(target, elements[i], s);
    for (int s = 0; s < n_slots; s++) {
        target->slot_index[s] = target->chosen + s;
        target->slot_stride[s] = n_slots;
    }
    return TESS_OK;
}

tess_status tess_bound_loop_choose(const tess_bound_loop *bound, int64_t n, const int32_t *elements,
                                   tess_bound_loop **out) {
    tess_status status = TESS_OK;
    tess_bound_loop *chosen = NULL;
    CHECK(tess_bound_loop_part(bound, 0, bound->n_elements, &chosen));
    chosen->n_elements = n;
    chosen->elements = elements;
    for (int k = 0; k < chosen->n_targets; k++)
        CHECK(target_choose(&chosen->targets[k], n, elements));
    *out = TESS_TAKE(chosen);
done:
    tess_bound_loop_free(chosen);
    return status;
}

void tess_bound_loop_free(tess_bound_loop *bound) {
    if (!bound)
        return;
    for (int i = 0; i < bound->n_targets; i++) {
        free(bound->targets[i].slot_index);
        free(bound->targets[i].slot_stride);
        free(bound->targets[i].slot_incremented);
        free(bound->targets[i].chosen);
    }
    free(bound->targets);
    free(bound);
}

bool tess_loop_gathers(const tess_bound_loop *bound) {
    for (int i = 0; i < bound->n_targets; i++)
        if (bound->targets[i].incremented)
            return false;
    return true;
}

const int32_t *tess_loop_target_map(const tess_loop_target *target) {
    for (int s = 0; s < target->n_slots; s++)
        if (target->slot_stride[s] != target->n_slots ||
            target->slot_index[s] != target->slot_index[0] + s)
            return NULL;
    return target->slot_index[0];
}

bool tess_loop_target_counts(const tess_bound_loop *bound, const tess_loop_target *target, int slot,
                             tess_points points) {
    return points == TESS_POINTS_ALL || target->slot_incremented[slot] || tess_loop_gathers(bound);
}
