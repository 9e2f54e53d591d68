/* A plan file of the lab: its digest, and writing it. */
#include "experiments/archive/plan_file.h"

#include "core/base/array.h"
#include "experiments/archive/archive_writer.h"
#include "experiments/archive/plan_row.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 256 };

static const char *layout_name(tess_layout layout) {
    return layout == TESS_SOA ? "soa" : "aos";
}

static tess_status hash_loop(tess_hash *hash, const tess_loop *loop) {
    TRY(tess_hash_text(hash, loop->name));
    TRY(tess_hash_text(hash, loop->set));
    TRY(tess_hash_int(hash, loop->n_args));
    for (int i = 0; i < loop->n_args; i++) {
        const tess_arg *arg = &loop->args[i];
        TRY(tess_hash_text(hash, arg->dat));
        TRY(tess_hash_text(hash, arg->set));
        TRY(tess_hash_text(hash, arg->map));
        TRY(tess_hash_int(hash, arg->slot));
        TRY(tess_hash_int(hash, arg->dim));
        TRY(tess_hash_text(hash, tess_type_name(arg->type)));
        TRY(tess_hash_text(hash, tess_access_name(arg->access)));
    }
    return TESS_OK;
}

static tess_status hash_partition(tess_hash *hash, const tess_partition *partition) {
    TRY(tess_hash_int(hash, partition->block_size));
    TRY(tess_hash_int(hash, partition->n_blocks));
    TRY(tess_hash_array(hash, partition->block_of, partition->n_elements, sizeof(int32_t)));
    TRY(tess_hash_int(hash, partition->n_blocks_before));
    TRY(tess_hash_int(hash, partition->largest_before));
    TRY(tess_hash_int(hash, partition->n_moved));
    return tess_hash_array(hash, &partition->reuse_factor_before, 1, sizeof(double));
}

static tess_status hash_plan(tess_hash *hash, const tess_plan *plan) {
    TRY(tess_hash_text(hash, plan->over));
    TRY(tess_hash_int(hash, plan->over_to_set));
    TRY(tess_hash_array(hash, plan->executed, plan->n_executed, sizeof(int32_t)));
    TRY(tess_hash_array(hash, plan->block_offset, plan->n_blocks + 1, sizeof(int64_t)));
    TRY(tess_hash_array(hash, plan->thread_colour, plan->n_executed, sizeof(uint16_t)));
    TRY(tess_hash_array(hash, plan->block_colour, plan->n_blocks, sizeof(int32_t)));
    TRY(tess_hash_int(hash, plan->n_sets));
    for (int i = 0; i < plan->n_sets; i++) {
        const tess_plan_set *set = &plan->sets[i];
        TRY(tess_hash_text(hash, set->set));
        TRY(tess_hash_array(hash, set->point_offset, plan->n_blocks + 1, sizeof(int64_t)));
        TRY(tess_hash_array(hash, set->points, set->point_offset[plan->n_blocks], sizeof(int32_t)));
        TRY(tess_hash_array(hash, set->local_index, plan->n_executed * set->n_slots,
                            sizeof(uint16_t)));
    }
    return TESS_OK;
}

/* The set of the renumbering whose name comes next behind `last`; NULL behind all. */
static const tess_permutation *next_renumbered(const tess_plan_content *content, const char *last) {
    const tess_set *sets = content->bound->mesh->sets;
    const tess_permutation *next = NULL;
    for (int i = 0; i < content->renumbering->n_sets; i++) {
        const tess_permutation *set = &content->renumbering->sets[i];
        if (strcmp(sets[set->set].name, last) > 0 &&
            (!next || strcmp(sets[set->set].name, sets[next->set].name) < 0))
            next = set;
    }
    return next;
}

static tess_status hash_renumbering(tess_hash *hash, const tess_plan_content *content) {
    TRY(tess_hash_int(hash, content->renumbering ? content->renumbering->n_sets : 0));
    if (!content->renumbering)
        return TESS_OK;
    const char *name = "";
    const tess_permutation *set = NULL;
    while ((set = next_renumbered(content, name))) {
        name = content->bound->mesh->sets[set->set].name;
        TRY(tess_hash_text(hash, name));
        TRY(tess_hash_array(hash, set->new_to_old, set->size, sizeof(int32_t)));
    }
    return TESS_OK;
}

tess_status tess_digest_of_plan(const tess_plan_content *content, char digest[TESS_DIGEST_SIZE]) {
    tess_status status = TESS_OK;
    tess_hash *hash = NULL;
    CHECK(tess_hash_new("tesselab plan 1", &hash));
    CHECK(tess_hash_text(hash, content->mesh));
    CHECK(tess_hash_text(hash, content->partitioner));
    CHECK(tess_hash_text(hash, layout_name(content->layout)));
    CHECK(hash_loop(hash, content->bound->loop));
    CHECK(hash_partition(hash, content->partition));
    CHECK(hash_plan(hash, content->plan));
    CHECK(hash_renumbering(hash, content));
    CHECK(tess_hash_finish(hash, digest));
done:
    tess_hash_free(hash);
    return status;
}

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
    tess_arg_row *rows = NULL;
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
        tess_archive_write_table(file, "/loop/args", tess_arg_columns, TESS_ARG_COLUMNS,
                                 loop->n_args, sizeof *rows, rows, "1");
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
    TRY(tess_archive_attribute_text(file, "/", "over", plan->over));
    TRY(tess_archive_attribute_int(file, "/", "over_to_set", plan->over_to_set));
    TRY(tess_archive_attribute_int(file, "/", "block_size", plan->block_size));
    TRY(tess_archive_attribute_text(file, "/", "partitioner", content->partitioner));
    TRY(tess_archive_attribute_text(file, "/", "layout", layout_name(content->layout)));
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

/* Names a slot "map.slot": the one whose indices it walks over. */
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
    const tess_reach *reach = &content->bound->reaches[i];
    char(*names)[TESS_NAME_SIZE + 16] = NULL;
    const char **texts = NULL;
    CHECK(TESS_ALLOC(reach->n_slots, &names));
    CHECK(TESS_ALLOC(reach->n_slots, &texts));
    for (int s = 0; s < reach->n_slots; s++) {
        CHECK(slot_name(content->bound->mesh, reach->slot_index[s], names[s], sizeof names[s]));
        texts[s] = names[s];
    }
    CHECK(tess_archive_attribute_texts(file, group, "slots", reach->n_slots, texts));
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
    TRY(tess_archive_write_array(file, path, TESS_ARCHIVE_UINT16, 2, dims, set->local_index, "1"));
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
    TRY(tess_archive_write_vector(file, "/plan/thread_colour", TESS_ARCHIVE_UINT16,
                                  plan->n_executed, plan->thread_colour, "1"));
    TRY(tess_archive_write_vector(file, "/plan/block_colour", TESS_ARCHIVE_INT32, plan->n_blocks,
                                  plan->block_colour, "1"));
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

static tess_status write_distribution(tess_archive_writer *file, const char *path, int64_t n_blocks,
                                      const int32_t *values) {
    if (!values)
        return TESS_OK;
    return tess_archive_write_vector(file, path, TESS_ARCHIVE_INT32, n_blocks, values, "1");
}

static tess_status write_metric(tess_archive_writer *file, const tess_metric_value *value) {
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "/metrics/%s", value->name);
    for (char *slash = strchr(path + strlen("/metrics/"), '/'); slash; slash = strchr(slash, '/'))
        *slash = ':';
    const tess_metric *metric = tess_metric_find(value->name);
    TRY(tess_archive_write_double(file, path, value->value, value->unit));
    TRY(tess_archive_attribute_text(file, path, "source", tess_source_name(value->source)));
    return tess_archive_attribute_text(file, path, "long_name",
                                       metric ? metric->long_name : value->name);
}

static tess_status write_metrics(const tess_metrics *metrics, tess_archive_writer *file) {
    if (!metrics)
        return TESS_OK;
    const int64_t n = metrics->n_blocks;
    TRY(write_distribution(file, "/blocks/size", n, metrics->block_size));
    TRY(write_distribution(file, "/blocks/points", n, metrics->block_points));
    TRY(write_distribution(file, "/blocks/thread_colours", n, metrics->block_thread_colours));
    TRY(write_distribution(file, "/blocks/components", n, metrics->block_components));
    for (int i = 0; i < metrics->n_values; i++)
        TRY(write_metric(file, &metrics->values[i]));
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
    CHECK(write_metrics(content->metrics, file));
    CHECK(tess_archive_commit(file, path));
done:
    tess_archive_writer_free(file);
    return status;
}
