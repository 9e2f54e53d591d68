/* The blocks of a plan in its file: written, and read back with everything within its bounds. */
#include "experiments/archive/archived_plan.h"

#include "core/base/array.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Gives the name of a slot, "map.slot", by its column of the map's indices. */
static tess_status slot_name(const tess_mesh *mesh, const int32_t *slot_index, char *out,
                             size_t size) {
    for (int i = 0; i < mesh->n_maps; i++) {
        const tess_map *map = &mesh->maps[i];
        for (int slot = 0; slot < map->arity; slot++) {
            if (map->index + slot == slot_index) {
                snprintf(out, size, "%s.%d", map->name, slot);
                return TESS_OK;
            }
        }
    }
    FAIL(TESS_ERROR_INTERNAL, "a slot of the loop belongs to no map of the mesh");
}

static tess_status write_slot_names(const tess_bound_loop *bound, int i, const char *group,
                                    tess_archive_writer *file) {
    tess_status status = TESS_OK;
    const tess_loop_target *target = &bound->targets[i];
    char(*names)[TESS_NAME_SIZE + 16] = NULL;
    const char **texts = NULL;
    CHECK(TESS_ALLOC(target->n_slots, &names));
    CHECK(TESS_ALLOC(target->n_slots, &texts));
    for (int s = 0; s < target->n_slots; s++) {
        CHECK(slot_name(bound->mesh, target->slot_index[s], names[s], sizeof names[s]));
        texts[s] = names[s];
    }
    CHECK(tess_archive_attribute_texts(file, group, "slots", target->n_slots, texts));
done:
    free(texts);
    free(names);
    return status;
}

static tess_status write_plan_set(const tess_plan *plan, const tess_bound_loop *bound, int i,
                                  tess_archive_writer *file) {
    const tess_plan_set *set = &plan->sets[i];
    char group[TESS_ARCHIVE_PATH_SIZE / 2], path[TESS_ARCHIVE_PATH_SIZE];
    snprintf(group, sizeof group, "/plan/sets/%s", set->set);
    TRY(tess_archive_write_group(file, group));
    TRY(tess_archive_attribute_int(file, group, "order", i));
    TRY(write_slot_names(bound, i, group, file));
    snprintf(path, sizeof path, "%s/point_offset", group);
    TRY(tess_archive_write_vector(file, path, TESS_ARCHIVE_INT64, plan->n_blocks + 1,
                                  set->point_offset, "1"));
    snprintf(path, sizeof path, "%s/points", group);
    TRY(tess_archive_write_vector(file, path, TESS_ARCHIVE_INT32, set->point_offset[plan->n_blocks],
                                  set->points, "1"));
    snprintf(path, sizeof path, "%s/local_index", group);
    const int64_t dims[] = {plan->n_executed, set->n_slots};
    TRY(tess_archive_write_matrix(file, path, TESS_ARCHIVE_UINT16, dims, set->local_index));
    snprintf(path, sizeof path, "%s/slot_incremented", group);
    _Static_assert(sizeof(bool) == 1, "written as bytes");
    return tess_archive_write_vector(file, path, TESS_ARCHIVE_UINT8, set->n_slots,
                                     set->slot_incremented, "1");
}

tess_status tess_archived_plan_write(const tess_plan *plan, const tess_bound_loop *bound,
                                     tess_archive_writer *file) {
    TRY(tess_archive_write_vector(file, "/plan/executed", TESS_ARCHIVE_INT32, plan->n_executed,
                                  plan->executed, "1"));
    TRY(tess_archive_write_vector(file, "/plan/block_offset", TESS_ARCHIVE_INT64,
                                  plan->n_blocks + 1, plan->block_offset, "1"));
    if (plan->thread_colour)
        TRY(tess_archive_write_vector(file, "/plan/thread_colour", TESS_ARCHIVE_UINT16,
                                      plan->n_executed, plan->thread_colour, "1"));
    if (plan->block_colour)
        TRY(tess_archive_write_vector(file, "/plan/block_colour", TESS_ARCHIVE_INT32,
                                      plan->n_blocks, plan->block_colour, "1"));
    for (int i = 0; i < plan->n_sets; i++)
        TRY(write_plan_set(plan, bound, i, file));
    return TESS_OK;
}

/* Fails unless n + 1 offsets rise from 0 to `end` (any end where it is negative). */
static tess_status check_offsets(const tess_archive_reader *file, const char *what,
                                 const int64_t *offset, int64_t n, int64_t end) {
    for (int64_t i = 0; i < n; i++)
        if (offset[i] > offset[i + 1])
            return tess_archive_damaged(file, "%s falls at %lld", what, (long long)i);
    if (offset[0] != 0 || (end >= 0 && offset[n] != end))
        return tess_archive_damaged(file, "%s does not lead from 0 to the end", what);
    return TESS_OK;
}

/* Fails unless every local index addresses a point of its block, or is TESS_NO_POINT. */
static tess_status check_local_indices(const tess_archive_reader *file, const tess_plan *plan,
                                       const tess_plan_set *set) {
    for (int32_t b = 0; b < plan->n_blocks; b++) {
        const int64_t n_points = set->point_offset[b + 1] - set->point_offset[b];
        for (int64_t i = plan->block_offset[b] * set->n_slots;
             i < plan->block_offset[b + 1] * set->n_slots; i++)
            if (set->local_index[i] >= n_points && set->local_index[i] != TESS_NO_POINT)
                return tess_archive_damaged(file, "a local index on %s of block %d is %d of %lld",
                                            set->set, b, set->local_index[i], (long long)n_points);
    }
    return TESS_OK;
}

static tess_status read_slots(const tess_archive_reader *file, const char *group,
                              tess_plan_set *set) {
    tess_status status = TESS_OK;
    char path[TESS_ARCHIVE_PATH_SIZE];
    uint8_t *incremented = NULL;
    snprintf(path, sizeof path, "%s/slot_incremented", group);
    CHECK(tess_archive_read_vector(file, path, TESS_ARCHIVE_UINT8, set->n_slots,
                                   (void **)&incremented));
    CHECK(TESS_ALLOC(set->n_slots, &set->slot_incremented));
    for (int s = 0; s < set->n_slots; s++) {
        set->slot_incremented[s] = incremented[s] != 0;
        set->incremented |= set->slot_incremented[s];
    }
done:
    free(incremented);
    return status;
}

static tess_status read_plan_set(const tess_archive_reader *file, const tess_bound_loop *bound,
                                 const tess_plan *plan, int i, tess_plan_set *set) {
    const tess_loop_target *target = &bound->targets[i];
    char group[TESS_ARCHIVE_PATH_SIZE / 2], path[TESS_ARCHIVE_PATH_SIZE];
    strcpy(set->set, bound->mesh->sets[target->set].name);
    set->n_slots = target->n_slots;
    snprintf(group, sizeof group, "/plan/sets/%s", set->set);
    snprintf(path, sizeof path, "%s/point_offset", group);
    TRY(tess_archive_read_vector(file, path, TESS_ARCHIVE_INT64, plan->n_blocks + 1,
                                 (void **)&set->point_offset));
    TRY(check_offsets(file, path, set->point_offset, plan->n_blocks, -1));
    snprintf(path, sizeof path, "%s/points", group);
    int64_t n_points = set->point_offset[plan->n_blocks];
    TRY(tess_archive_read_indices(file, path, bound->mesh->sets[target->set].size, &n_points,
                                  &set->points));
    snprintf(path, sizeof path, "%s/local_index", group);
    int64_t dims[] = {plan->n_executed, set->n_slots};
    TRY(tess_archive_read_array(file, path, TESS_ARCHIVE_UINT16, 2, dims,
                                (void **)&set->local_index));
    TRY(check_local_indices(file, plan, set));
    return read_slots(file, group, set);
}

/* How many colours each block has, from the colours of its positions. */
static tess_status count_thread_colours(tess_plan *plan) {
    TRY(TESS_ZEROS(plan->n_blocks, &plan->thread_colours));
    for (int32_t b = 0; b < plan->n_blocks; b++)
        for (int64_t i = plan->block_offset[b]; i < plan->block_offset[b + 1]; i++)
            if (plan->thread_colour[i] >= plan->thread_colours[b])
                plan->thread_colours[b] = plan->thread_colour[i] + 1;
    return TESS_OK;
}

/* Plans of loops that increment nothing have none. */
static tess_status read_colours(const tess_archive_reader *file, tess_plan *plan) {
    int64_t n_blocks = plan->n_blocks;
    if (!tess_archive_exists(file, "/plan/thread_colour") &&
        !tess_archive_exists(file, "/plan/block_colour")) {
        plan->n_block_colours = plan->n_blocks > 0;
        return TESS_OK;
    }
    TRY(tess_archive_read_vector(file, "/plan/thread_colour", TESS_ARCHIVE_UINT16, plan->n_executed,
                                 (void **)&plan->thread_colour));
    TRY(count_thread_colours(plan));
    TRY(tess_archive_read_indices(file, "/plan/block_colour", plan->n_blocks, &n_blocks,
                                  &plan->block_colour));
    for (int32_t b = 0; b < plan->n_blocks; b++)
        if (plan->block_colour[b] >= plan->n_block_colours)
            plan->n_block_colours = plan->block_colour[b] + 1;
    return TESS_OK;
}

tess_status tess_archived_plan_read(const tess_archive_reader *file, const tess_bound_loop *bound,
                                    tess_plan *plan) {
    plan->n_elements = bound->n_elements;
    plan->n_executed = -1;
    TRY(tess_archive_read_indices(file, "/plan/executed", plan->n_elements, &plan->n_executed,
                                  &plan->executed));
    TRY(check_offsets(file, "/plan/block_offset", plan->block_offset, plan->n_blocks,
                      plan->n_executed));
    TRY(read_colours(file, plan));
    TRY(TESS_ZEROS(bound->n_targets, &plan->sets));
    plan->n_sets = bound->n_targets;
    for (int i = 0; i < plan->n_sets; i++)
        TRY(read_plan_set(file, bound, plan, i, &plan->sets[i]));
    return TESS_OK;
}
