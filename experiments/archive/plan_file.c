/* A plan file of the lab: written, and read back with everything within its bounds. */
#include "experiments/archive/plan_file.h"

#include "core/base/array.h"
#include "core/base/old_word.h"
#include "data/archive/archive_reader.h"
#include "data/archive/archive_writer.h"
#include "experiments/archive/archived_metrics.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 256 };

/* An arg of the loop as a row of /loop/args. */
typedef struct arg_row {
    char dat[TESS_NAME_SIZE], set[TESS_NAME_SIZE], map[TESS_NAME_SIZE];
    char type[8], access[8];
    int32_t slot, dim;
} arg_row;

enum { ARG_COLUMNS = 7 };

static const tess_archive_column arg_columns[ARG_COLUMNS] = {
    {"dat", TESS_ARCHIVE_TEXT, TESS_NAME_SIZE, offsetof(arg_row, dat)},
    {"set", TESS_ARCHIVE_TEXT, TESS_NAME_SIZE, offsetof(arg_row, set)},
    {"map", TESS_ARCHIVE_TEXT, TESS_NAME_SIZE, offsetof(arg_row, map)},
    {"slot", TESS_ARCHIVE_INT32, sizeof(int32_t), offsetof(arg_row, slot)},
    {"dim", TESS_ARCHIVE_INT32, sizeof(int32_t), offsetof(arg_row, dim)},
    {"type", TESS_ARCHIVE_TEXT, 8, offsetof(arg_row, type)},
    {"access", TESS_ARCHIVE_TEXT, 8, offsetof(arg_row, access)},
};
static const tess_archive_row loop_row = {arg_columns, ARG_COLUMNS, sizeof(arg_row)};

/* The maps that count: the loop's increment maps, or its read maps where it increments nothing. */
static tess_status write_maps_attribute(const tess_loop *loop, tess_archive_writer *file) {
    const char **maps = NULL;
    TRY(TESS_ALLOC(loop->n_args, &maps));
    int n = 0;
    for (int reads = 0; reads < 2 && n == 0; reads++) {
        for (int i = 0; i < loop->n_args; i++) {
            const tess_arg *arg = &loop->args[i];
            bool known = !arg->map[0] || (arg->access == TESS_READ) != reads;
            for (int j = 0; j < n; j++)
                known |= strcmp(maps[j], arg->map) == 0;
            if (!known)
                maps[n++] = arg->map;
        }
    }
    const tess_status status = tess_archive_attribute_texts(file, "/", "maps", n, maps);
    free(maps);
    return status;
}

static tess_status write_loop(const tess_loop *loop, tess_archive_writer *file) {
    arg_row *rows = NULL;
    TRY(TESS_ZEROS(loop->n_args, &rows));
    for (int i = 0; i < loop->n_args; i++) {
        const tess_arg *arg = &loop->args[i];
        strcpy(rows[i].dat, arg->dat);
        strcpy(rows[i].set, arg->set);
        strcpy(rows[i].map, arg->map);
        strcpy(rows[i].type, tess_type_name(arg->type));
        strcpy(rows[i].access, tess_access_name(arg->access));
        rows[i].slot = arg->slot;
        rows[i].dim = arg->dim;
    }
    const tess_status status =
        tess_archive_write_table(file, "/loop/args", &loop_row, loop->n_args, rows, "1");
    free(rows);
    return status;
}

static tess_status write_head(const tess_plan_content *content, const char *digest,
                              tess_archive_writer *file) {
    const tess_plan *plan = content->plan;
    TRY(tess_archive_attribute_text(file, "/", "digest", digest));
    TRY(tess_archive_attribute_text(file, "/", "mesh", content->mesh));
    TRY(tess_archive_attribute_text(file, "/", "loop", plan->loop));
    TRY(write_maps_attribute(content->bound->loop, file));
    TRY(tess_archive_attribute_text(file, "/", "set", content->bound->loop->set));
    TRY(tess_archive_attribute_text(file, "/", "over", plan->partitioned_set));
    TRY(tess_archive_attribute_int(file, "/", "over_to_set", plan->owns_points));
    TRY(tess_archive_attribute_int(file, "/", "block_size", plan->block_size));
    TRY(tess_archive_attribute_text(file, "/", "partitioner", content->partitioner));
    TRY(tess_archive_attribute_text(file, "/", "layout",
                                    content->layout == TESS_SOA ? "soa" : "aos"));
    return write_loop(content->bound->loop, file);
}

static tess_status write_partition(const tess_partition *partition, tess_archive_writer *file) {
    TRY(tess_archive_write_vector(file, "/partition/block_of", TESS_ARCHIVE_INT32,
                                  partition->n_elements, partition->block_of, "1"));
    TRY(tess_archive_write_int(file, "/partition/blocks_before", partition->n_blocks_before, "1"));
    TRY(tess_archive_write_int(file, "/partition/largest_before", partition->largest_before, "1"));
    TRY(tess_archive_write_int(file, "/partition/moved", partition->n_moved, "1"));
    return tess_archive_write_double(file, "/partition/reuse_factor_before",
                                     partition->reuse_factor_before, "1");
}

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

static tess_status write_slot_names(const tess_plan_content *content, int i, const char *group,
                                    tess_archive_writer *file) {
    tess_status status = TESS_OK;
    const tess_loop_target *target = &content->bound->targets[i];
    char(*names)[TESS_NAME_SIZE + 16] = NULL;
    const char **texts = NULL;
    CHECK(TESS_ALLOC(target->n_slots, &names));
    CHECK(TESS_ALLOC(target->n_slots, &texts));
    for (int s = 0; s < target->n_slots; s++) {
        CHECK(slot_name(content->bound->mesh, target->slot_index[s], names[s], sizeof names[s]));
        texts[s] = names[s];
    }
    CHECK(tess_archive_attribute_texts(file, group, "slots", target->n_slots, texts));
done:
    free(texts);
    free(names);
    return status;
}

static tess_status write_plan_set(const tess_plan_content *content, int i,
                                  tess_archive_writer *file) {
    const tess_plan *plan = content->plan;
    const tess_plan_set *set = &plan->sets[i];
    char group[PATH_SIZE / 2], path[PATH_SIZE];
    snprintf(group, sizeof group, "/plan/sets/%s", set->set);
    TRY(tess_archive_write_group(file, group));
    TRY(tess_archive_attribute_int(file, group, "order", i));
    TRY(write_slot_names(content, i, group, file));
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

static tess_status write_plan(const tess_plan_content *content, tess_archive_writer *file) {
    const tess_plan *plan = content->plan;
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
        TRY(write_plan_set(content, i, file));
    return TESS_OK;
}

static tess_status write_renumbering(const tess_plan_content *content, tess_archive_writer *file) {
    const tess_renumbering *renumbering = content->renumbering;
    if (!renumbering || renumbering->n_sets == 0)
        return TESS_OK;
    TRY(tess_archive_write_group(file, "/renumber"));
    TRY(tess_archive_attribute_text(file, "/renumber", "method",
                                    tess_renumber_name(renumbering->method)));
    for (int i = 0; i < renumbering->n_sets; i++) {
        const tess_permutation *set = &renumbering->sets[i];
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "/renumber/%s", content->bound->mesh->sets[set->set].name);
        TRY(tess_archive_write_vector(file, path, TESS_ARCHIVE_INT32, set->size, set->new_to_old,
                                      "1"));
    }
    return TESS_OK;
}

tess_status tess_plan_file_write(const tess_plan_content *content, const char *digest,
                                 const char *path) {
    tess_status status = TESS_OK;
    tess_archive_writer *file = NULL;
    CHECK(tess_archive_create("plan", &file));
    CHECK(write_head(content, digest, file));
    CHECK(write_partition(content->partition, file));
    CHECK(write_plan(content, file));
    CHECK(write_renumbering(content, file));
    CHECK(tess_archived_metrics_write(content->metrics, file));
    CHECK(tess_archive_commit(file, path));
done:
    tess_archive_writer_free(file);
    return status;
}

/* --- reading: what a damaged file may have -----------------------------------------------------
 */

/* Fails unless every value is in [0, limit). */
static tess_status check_range(const tess_archive_reader *file, const char *what,
                               const int32_t *values, int64_t n, int64_t limit) {
    for (int64_t i = 0; i < n; i++)
        if (values[i] < 0 || values[i] >= limit)
            return tess_archive_damaged(file, "%s: element %lld is %d, not in [0, %lld)", what,
                                        (long long)i, values[i], (long long)limit);
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

/* Fails unless every block has an element, and none more than the block size. */
static tess_status check_blocks(const tess_archive_reader *file, const tess_partition *partition) {
    tess_status status = TESS_OK;
    int64_t *size = NULL;
    CHECK(TESS_ZEROS(partition->n_blocks, &size));
    for (int64_t e = 0; e < partition->n_elements; e++)
        size[partition->block_of[e]]++;
    for (int32_t b = 0; b < partition->n_blocks; b++)
        if (size[b] < 1 || size[b] > partition->block_size)
            CHECK(tess_archive_damaged(file, "block %d has %lld elements, not 1 to %d", b,
                                       (long long)size[b], partition->block_size));
done:
    free(size);
    return status;
}

/* --- reading ------------------------------------------------------------------------------------
 */

static tess_status access_parse(const tess_archive_reader *file, const char *name,
                                tess_access *access) {
    for (*access = TESS_READ; *access <= TESS_INC; ++*access)
        if (strcmp(name, tess_access_name(*access)) == 0)
            return TESS_OK;
    return tess_archive_damaged(file, "the access '%s' is unknown", name);
}

static tess_status read_loop(const tess_archive_reader *file, tess_loop **out) {
    tess_status status = TESS_OK;
    tess_loop *loop = NULL;
    arg_row *rows = NULL;
    int64_t n = 0;
    char name[TESS_NAME_SIZE], set[TESS_NAME_SIZE];
    CHECK(tess_archive_read_root_text(file, "loop", sizeof name, name));
    CHECK(tess_archive_read_root_text(file, "set", sizeof set, set));
    CHECK(tess_loop_new(name, set, &loop));
    CHECK(tess_archive_read_table(file, "/loop/args", &loop_row, &n, (void **)&rows));
    for (int64_t i = 0; i < n; i++) {
        tess_arg arg = {.slot = rows[i].slot, .dim = rows[i].dim};
        strcpy(arg.dat, rows[i].dat);
        strcpy(arg.set, rows[i].set);
        strcpy(arg.map, rows[i].map);
        if (tess_type_parse(rows[i].type, &arg.type) != TESS_OK)
            CHECK(tess_archive_damaged(file, "the type '%s' is unknown", rows[i].type));
        CHECK(access_parse(file, rows[i].access, &arg.access));
        CHECK(tess_loop_add_arg(loop, &arg));
    }
    *out = TESS_TAKE(loop);
done:
    free(rows);
    tess_loop_free(loop);
    return status;
}

/* Fills the names, sizes and block offsets of a plan of zeros. */
static tess_status read_head(const tess_archive_reader *file, tess_plan *plan) {
    int64_t block_size = 0, owns_points = 0, n_offsets = -1;
    TRY(tess_archive_read_root_text(file, "loop", sizeof plan->loop, plan->loop));
    TRY(tess_archive_read_root_text(file, "over", sizeof plan->partitioned_set,
                                    plan->partitioned_set));
    TRY(tess_archive_read_attribute_int(file, "/", "block_size", &block_size));
    TRY(tess_archive_read_attribute_int(file, "/", "over_to_set", &owns_points));
    TRY(tess_archive_read_array(file, "/plan/block_offset", TESS_ARCHIVE_INT64, 1, &n_offsets,
                                (void **)&plan->block_offset));
    if (n_offsets < 1 || n_offsets > INT32_MAX || block_size < 1 || block_size > INT32_MAX)
        return tess_archive_damaged(file, "%lld block offsets, blocks of %lld",
                                    (long long)n_offsets, (long long)block_size);
    plan->n_blocks = (int32_t)(n_offsets - 1);
    plan->block_size = (int32_t)block_size;
    plan->owns_points = owns_points != 0;
    return TESS_OK;
}

/* The partition of a plan whose head is read; every block number is one of its blocks'. */
static tess_status read_partition(const tess_archive_reader *file, const tess_mesh *mesh,
                                  tess_plan *plan, tess_partition **out) {
    tess_status status = TESS_OK;
    tess_partition *partition = NULL;
    CHECK(TESS_ZEROS(1, &partition));
    if (tess_mesh_find_set(mesh, plan->partitioned_set) < 0)
        CHECK(tess_archive_damaged(file, "the mesh has no set '%s'", plan->partitioned_set));
    partition->n_elements = tess_mesh_set_size(mesh, plan->partitioned_set);
    partition->block_size = plan->block_size;
    partition->n_blocks = plan->n_blocks;
    CHECK(tess_archive_read_vector(file, "/partition/block_of", TESS_ARCHIVE_INT32,
                                   partition->n_elements, (void **)&partition->block_of));
    CHECK(check_range(file, "/partition/block_of", partition->block_of, partition->n_elements,
                      plan->n_blocks));
    CHECK(tess_archive_read_int(file, "/partition/blocks_before", &partition->n_blocks_before));
    CHECK(tess_archive_read_int(file, "/partition/largest_before", &partition->largest_before));
    CHECK(tess_archive_read_int(file, "/partition/moved", &partition->n_moved));
    CHECK(tess_archive_read_double(file, "/partition/reuse_factor_before",
                                   &partition->reuse_factor_before));
    *out = TESS_TAKE(partition);
done:
    tess_partition_free(partition);
    return status;
}

static bool is_same_loop(const tess_loop *a, const tess_loop *b) {
    bool same =
        strcmp(a->name, b->name) == 0 && strcmp(a->set, b->set) == 0 && a->n_args == b->n_args;
    for (int i = 0; same && i < a->n_args; i++) {
        const tess_arg *x = &a->args[i], *y = &b->args[i];
        same = strcmp(x->dat, y->dat) == 0 && strcmp(x->set, y->set) == 0 &&
               strcmp(x->map, y->map) == 0 && x->slot == y->slot && x->dim == y->dim &&
               x->type == y->type && x->access == y->access;
    }
    return same;
}

/* Gives the partitioner, in today's words. */
static tess_status read_partitioner(const tess_archive_reader *file, char **out) {
    char *recorded = NULL;
    TRY(tess_archive_read_attribute_text(file, "/", "partitioner", &recorded));
    const tess_status status = tess_text_spelled(TESS_SPELLED_TODAY, "partitioner", recorded, out);
    free(recorded);
    return status;
}

/* Reads the head; true where the blocks are those that are wanted. */
static tess_status read_if_wanted(const tess_archive_reader *file, const tess_plan_content *want,
                                  tess_plan *head, bool *wanted) {
    tess_status status = TESS_OK;
    tess_loop *loop = NULL;
    char *partitioner = NULL;
    char mesh[TESS_DIGEST_SIZE];
    CHECK(tess_archive_read_root_text(file, "mesh", sizeof mesh, mesh));
    CHECK(read_partitioner(file, &partitioner));
    CHECK(read_loop(file, &loop));
    CHECK(read_head(file, head));
    *wanted = strcmp(mesh, want->mesh) == 0 && strcmp(partitioner, want->partitioner) == 0 &&
              is_same_loop(loop, want->loop) &&
              strcmp(head->partitioned_set, want->plan->partitioned_set) == 0 &&
              head->owns_points == want->plan->owns_points &&
              head->block_size == want->plan->block_size;
done:
    free(partitioner);
    tess_loop_free(loop);
    return status;
}

tess_status tess_plan_file_read_partition(const char *path, const tess_plan_content *want,
                                          tess_partition **out) {
    tess_status status = TESS_OK;
    tess_archive_reader *file = NULL;
    tess_plan *head = NULL;
    tess_partition *partition = NULL;
    bool wanted = false;
    *out = NULL;
    TRY(tess_archive_open(path, "plan", &file));
    CHECK(TESS_ZEROS(1, &head));
    CHECK(read_if_wanted(file, want, head, &wanted));
    if (!wanted)
        goto done;
    CHECK(read_partition(file, want->bound->mesh, head, &partition));
    CHECK(check_blocks(file, partition));
    *out = TESS_TAKE(partition);
done:
    tess_partition_free(partition);
    tess_plan_free(head);
    tess_archive_reader_free(file);
    return status;
}

static tess_status read_slots(const tess_archive_reader *file, const char *group,
                              tess_plan_set *set) {
    tess_status status = TESS_OK;
    char path[PATH_SIZE];
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
    char group[PATH_SIZE / 2], path[PATH_SIZE];
    strcpy(set->set, bound->mesh->sets[target->set].name);
    set->n_slots = target->n_slots;
    snprintf(group, sizeof group, "/plan/sets/%s", set->set);
    snprintf(path, sizeof path, "%s/point_offset", group);
    TRY(tess_archive_read_vector(file, path, TESS_ARCHIVE_INT64, plan->n_blocks + 1,
                                 (void **)&set->point_offset));
    TRY(check_offsets(file, path, set->point_offset, plan->n_blocks, -1));
    snprintf(path, sizeof path, "%s/points", group);
    const int64_t n_points = set->point_offset[plan->n_blocks];
    TRY(tess_archive_read_vector(file, path, TESS_ARCHIVE_INT32, n_points, (void **)&set->points));
    TRY(check_range(file, path, set->points, n_points, bound->mesh->sets[target->set].size));
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
    if (!tess_archive_exists(file, "/plan/thread_colour") &&
        !tess_archive_exists(file, "/plan/block_colour")) {
        plan->n_block_colours = plan->n_blocks > 0;
        return TESS_OK;
    }
    TRY(tess_archive_read_vector(file, "/plan/thread_colour", TESS_ARCHIVE_UINT16, plan->n_executed,
                                 (void **)&plan->thread_colour));
    TRY(count_thread_colours(plan));
    TRY(tess_archive_read_vector(file, "/plan/block_colour", TESS_ARCHIVE_INT32, plan->n_blocks,
                                 (void **)&plan->block_colour));
    TRY(check_range(file, "/plan/block_colour", plan->block_colour, plan->n_blocks,
                    plan->n_blocks));
    for (int32_t b = 0; b < plan->n_blocks; b++)
        if (plan->block_colour[b] >= plan->n_block_colours)
            plan->n_block_colours = plan->block_colour[b] + 1;
    return TESS_OK;
}

static tess_status read_plan_body(const tess_archive_reader *file, const tess_bound_loop *bound,
                                  tess_plan *plan) {
    plan->n_elements = bound->n_elements;
    plan->n_executed = -1;
    TRY(tess_archive_read_array(file, "/plan/executed", TESS_ARCHIVE_INT32, 1, &plan->n_executed,
                                (void **)&plan->executed));
    TRY(check_range(file, "/plan/executed", plan->executed, plan->n_executed, plan->n_elements));
    TRY(check_offsets(file, "/plan/block_offset", plan->block_offset, plan->n_blocks,
                      plan->n_executed));
    TRY(read_colours(file, plan));
    TRY(TESS_ZEROS(bound->n_targets, &plan->sets));
    plan->n_sets = bound->n_targets;
    for (int i = 0; i < plan->n_sets; i++)
        TRY(read_plan_set(file, bound, plan, i, &plan->sets[i]));
    return TESS_OK;
}

/* Reads new_to_old and inverts it: a permutation, or the file is damaged. */
static tess_status read_permutation(const tess_archive_reader *file, const tess_mesh *mesh,
                                    const char *name, tess_permutation *out) {
    char path[PATH_SIZE];
    out->set = tess_mesh_find_set(mesh, name);
    if (out->set < 0)
        return tess_archive_damaged(file, "the mesh has no set '%s' to renumber", name);
    out->size = mesh->sets[out->set].size;
    snprintf(path, sizeof path, "/renumber/%s", name);
    TRY(tess_archive_read_vector(file, path, TESS_ARCHIVE_INT32, out->size,
                                 (void **)&out->new_to_old));
    TRY(check_range(file, path, out->new_to_old, out->size, out->size));
    TRY(TESS_ALLOC(out->size, &out->old_to_new));
    memset(out->old_to_new, -1, (size_t)out->size * sizeof *out->old_to_new);
    for (int64_t i = 0; i < out->size; i++) {
        if (out->old_to_new[out->new_to_old[i]] >= 0)
            return tess_archive_damaged(file, "%s is not a permutation", path);
        out->old_to_new[out->new_to_old[i]] = (int32_t)i;
    }
    return TESS_OK;
}

static tess_status read_renumbering(const tess_archive_reader *file, const tess_mesh *mesh,
                                    tess_renumbering **out) {
    tess_status status = TESS_OK;
    tess_renumbering *renumbering = NULL;
    char **names = NULL;
    char method[TESS_NAME_SIZE];
    int n = 0;
    *out = NULL;
    if (!tess_archive_exists(file, "/renumber"))
        return TESS_OK;
    CHECK(tess_archive_names(file, "/renumber", &names, &n));
    CHECK(TESS_ZEROS(1, &renumbering));
    CHECK(TESS_ZEROS(n, &renumbering->sets));
    CHECK(tess_archive_read_attribute_into(file, "/renumber", "method", sizeof method, method));
    if (tess_renumber_parse(method, &renumbering->method) != TESS_OK)
        CHECK(tess_archive_damaged(file, "the renumbering '%s' is unknown", method));
    renumbering->n_sets = n;
    for (int i = 0; i < n; i++)
        CHECK(read_permutation(file, mesh, names[i], &renumbering->sets[i]));
    *out = TESS_TAKE(renumbering);
done:
    tess_archive_names_free(names, n);
    tess_renumbering_free(renumbering);
    return status;
}

static tess_status read_layout(const tess_archive_reader *file, tess_layout *layout) {
    char name[8];
    TRY(tess_archive_read_root_text(file, "layout", sizeof name, name));
    if (strcmp(name, "aos") != 0 && strcmp(name, "soa") != 0)
        return tess_archive_damaged(file, "the layout '%s' is unknown", name);
    *layout = strcmp(name, "soa") == 0 ? TESS_SOA : TESS_AOS;
    return TESS_OK;
}

/* Blocks that own points own those that the partition gives them. */
static tess_status owner_of_partition(const tess_partition *partition, tess_plan *plan) {
    if (!plan->owns_points)
        return TESS_OK;
    return TESS_COPY(partition->n_elements, partition->block_of, &plan->owner);
}

static tess_status read_content(const tess_archive_reader *file, const tess_mesh *mesh,
                                tess_plan_content *content) {
    /* What is read is kept at once, so that tess_plan_content_free frees it on failure, too. */
    tess_plan *plan = NULL;
    TRY(tess_archive_read_root_text(file, "mesh", sizeof content->mesh, content->mesh));
    TRY(read_partitioner(file, (char **)&content->partitioner));
    TRY(read_layout(file, &content->layout));
    TRY(read_loop(file, (tess_loop **)&content->loop));
    TRY(tess_loop_bind(content->loop, mesh, (tess_bound_loop **)&content->bound));
    TRY(TESS_ZEROS(1, &plan));
    content->plan = plan;
    TRY(read_head(file, plan));
    TRY(read_partition(file, mesh, plan, (tess_partition **)&content->partition));
    TRY(owner_of_partition(content->partition, plan));
    TRY(read_plan_body(file, content->bound, plan));
    TRY(read_renumbering(file, mesh, (tess_renumbering **)&content->renumbering));
    return tess_archived_metrics_read(file, plan->n_blocks, (tess_metrics **)&content->metrics);
}

tess_status tess_plan_file_read(const char *path, const tess_mesh *mesh, tess_plan_content **out) {
    tess_status status = TESS_OK;
    tess_archive_reader *file = NULL;
    tess_plan_content *content = NULL;
    TRY(tess_archive_open(path, "plan", &file));
    CHECK(TESS_ZEROS(1, &content));
    CHECK(read_content(file, mesh, content));
    *out = TESS_TAKE(content);
done:
    if (status == TESS_ERROR_INPUT && !strstr(tess_message(), path))
        status = tess_fail_at(status, "%s", path);
    tess_plan_content_free(content);
    tess_archive_reader_free(file);
    return status;
}

void tess_plan_content_free(tess_plan_content *content) {
    if (!content)
        return;
    tess_bound_loop_free((tess_bound_loop *)content->bound);
    tess_loop_free((tess_loop *)content->loop);
    tess_partition_free((tess_partition *)content->partition);
    tess_plan_free((tess_plan *)content->plan);
    tess_renumbering_free((tess_renumbering *)content->renumbering);
    tess_metrics_free((tess_metrics *)content->metrics);
    free((char *)content->partitioner);
    free(content);
}
