/* A plan file of the lab: reading it back, everything within its bounds. */
#include "experiments/archive/plan_file.h"

#include "core/base/array.h"
#include "experiments/archive/archive_reader.h"
#include "experiments/archive/plan_file_part.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 256 };

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
    const tess_reach *reach = &bound->reaches[i];
    char group[PATH_SIZE / 2], path[PATH_SIZE];
    strcpy(set->set, bound->mesh->sets[reach->set].name);
    set->n_slots = reach->n_slots;
    snprintf(group, sizeof group, "/plan/sets/%s", set->set);
    snprintf(path, sizeof path, "%s/point_offset", group);
    TRY(tess_archive_read_vector(file, path, TESS_ARCHIVE_INT64, plan->n_blocks + 1,
                                 (void **)&set->point_offset));
    TRY(check_offsets(file, path, set->point_offset, plan->n_blocks, -1));
    snprintf(path, sizeof path, "%s/points", group);
    const int64_t n_points = set->point_offset[plan->n_blocks];
    TRY(tess_archive_read_vector(file, path, TESS_ARCHIVE_INT32, n_points, (void **)&set->points));
    TRY(tess_plan_file_check_range(file, path, set->points, n_points,
                                   bound->mesh->sets[reach->set].size));
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

static tess_status read_plan_body(const tess_archive_reader *file, const tess_bound_loop *bound,
                                  tess_plan *plan) {
    plan->n_elements = bound->n_elements;
    plan->n_executed = -1;
    TRY(tess_archive_read_array(file, "/plan/executed", TESS_ARCHIVE_INT32, 1, &plan->n_executed,
                                (void **)&plan->executed));
    TRY(tess_plan_file_check_range(file, "/plan/executed", plan->executed, plan->n_executed,
                                   plan->n_elements));
    TRY(check_offsets(file, "/plan/block_offset", plan->block_offset, plan->n_blocks,
                      plan->n_executed));
    TRY(tess_archive_read_vector(file, "/plan/thread_colour", TESS_ARCHIVE_UINT16, plan->n_executed,
                                 (void **)&plan->thread_colour));
    TRY(count_thread_colours(plan));
    TRY(tess_archive_read_vector(file, "/plan/block_colour", TESS_ARCHIVE_INT32, plan->n_blocks,
                                 (void **)&plan->block_colour));
    TRY(tess_plan_file_check_range(file, "/plan/block_colour", plan->block_colour, plan->n_blocks,
                                   plan->n_blocks));
    for (int32_t b = 0; b < plan->n_blocks; b++)
        if (plan->block_colour[b] >= plan->n_block_colours)
            plan->n_block_colours = plan->block_colour[b] + 1;
    TRY(TESS_ZEROS(bound->n_reaches, &plan->sets));
    plan->n_sets = bound->n_reaches;
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
    TRY(tess_plan_file_check_range(file, path, out->new_to_old, out->size, out->size));
    TRY(TESS_ALLOC(out->size, &out->old_to_new));
    memset(out->old_to_new, -1, (size_t)out->size * sizeof *out->old_to_new);
    for (int64_t i = 0; i < out->size; i++) {
        if (out->old_to_new[out->new_to_old[i]] >= 0)
            return tess_archive_damaged(file, "%s is not a permutation", path);
        out->old_to_new[out->new_to_old[i]] = (int32_t)i;
    }
    return TESS_OK;
}

static tess_status method_parse(const tess_archive_reader *file, const char *name,
                                tess_renumber_method *method) {
    for (*method = TESS_RENUMBER_NONE; *method <= TESS_RENUMBER_COLOURS; ++*method)
        if (strcmp(name, tess_renumber_name(*method)) == 0)
            return TESS_OK;
    return tess_archive_damaged(file, "the renumbering '%s' is unknown", name);
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
    CHECK(method_parse(file, method, &renumbering->method));
    renumbering->n_sets = n;
    for (int i = 0; i < n; i++)
        CHECK(read_permutation(file, mesh, names[i], &renumbering->sets[i]));
    *out = renumbering;
    renumbering = NULL;
done:
    tess_archive_names_free(names, n);
    tess_renumbering_free(renumbering);
    return status;
}

static tess_status read_metric(const tess_archive_reader *file, const char *name,
                               tess_metric_value *value) {
    char path[PATH_SIZE], source[TESS_NAME_SIZE];
    if (strlen(name) >= sizeof value->name)
        return tess_archive_damaged(file, "the metric '%s' has too long a name", name);
    strcpy(value->name, name);
    for (char *colon = strchr(value->name, ':'); colon; colon = strchr(colon, ':'))
        *colon = '/';
    snprintf(path, sizeof path, "/metrics/%s", name);
    TRY(tess_archive_read_double(file, path, &value->value));
    TRY(tess_archive_read_unit(file, path, sizeof value->unit, value->unit));
    TRY(tess_archive_read_attribute_into(file, path, "source", sizeof source, source));
    for (value->source = TESS_SOURCE_PLAN; value->source <= TESS_SOURCE_TIMER; value->source++)
        if (strcmp(source, tess_source_name(value->source)) == 0)
            return TESS_OK;
    return tess_archive_damaged(file, "%s has the unknown source '%s'", path, source);
}

static tess_status read_distribution(const tess_archive_reader *file, const char *path, int64_t n,
                                     int32_t **out) {
    if (!tess_archive_exists(file, path))
        return TESS_OK;
    return tess_archive_read_vector(file, path, TESS_ARCHIVE_INT32, n, (void **)out);
}

static tess_status read_metrics(const tess_archive_reader *file, int32_t n_blocks,
                                tess_metrics **out) {
    tess_status status = TESS_OK;
    tess_metrics *metrics = NULL;
    char **names = NULL;
    int n = 0;
    CHECK(tess_metrics_new(&metrics));
    CHECK(tess_archive_names(file, "/metrics", &names, &n));
    CHECK(TESS_RESERVE(n, &metrics->capacity, &metrics->values));
    for (int i = 0; i < n; i++)
        CHECK(read_metric(file, names[i], &metrics->values[metrics->n_values++]));
    metrics->n_blocks = n_blocks;
    CHECK(read_distribution(file, "/blocks/size", n_blocks, &metrics->block_size));
    CHECK(read_distribution(file, "/blocks/points", n_blocks, &metrics->block_points));
    CHECK(read_distribution(file, "/blocks/thread_colours", n_blocks,
                            &metrics->block_thread_colours));
    CHECK(read_distribution(file, "/blocks/components", n_blocks, &metrics->block_components));
    *out = metrics;
    metrics = NULL;
done:
    tess_archive_names_free(names, n);
    tess_metrics_free(metrics);
    return status;
}

static tess_status read_layout(const tess_archive_reader *file, tess_layout *layout) {
    char name[8];
    TRY(tess_plan_file_read_short(file, "layout", sizeof name, name));
    if (strcmp(name, "aos") != 0 && strcmp(name, "soa") != 0)
        return tess_archive_damaged(file, "the layout '%s' is unknown", name);
    *layout = strcmp(name, "soa") == 0 ? TESS_SOA : TESS_AOS;
    return TESS_OK;
}

/* Blocks that own points own those that the partition gives them. */
static tess_status owner_of_partition(const tess_partition *partition, tess_plan *plan) {
    if (!plan->over_to_set)
        return TESS_OK;
    TRY(TESS_ALLOC(partition->n_elements, &plan->owner));
    memcpy(plan->owner, partition->block_of, (size_t)partition->n_elements * sizeof *plan->owner);
    return TESS_OK;
}

static tess_status read_content(const tess_archive_reader *file, const tess_mesh *mesh,
                                tess_plan_content *content) {
    /* What is read is kept at once, so that tess_plan_content_free frees it on failure, too. */
    tess_plan *plan = NULL;
    TRY(tess_plan_file_read_short(file, "mesh", sizeof content->mesh, content->mesh));
    TRY(tess_archive_read_attribute_text(file, "/", "partitioner", (char **)&content->partitioner));
    TRY(read_layout(file, &content->layout));
    TRY(tess_plan_file_read_loop(file, (tess_loop **)&content->loop));
    TRY(tess_loop_bind(content->loop, mesh, (tess_bound_loop **)&content->bound));
    TRY(TESS_ZEROS(1, &plan));
    content->plan = plan;
    TRY(tess_plan_file_read_head(file, plan));
    TRY(tess_plan_file_read_blocks(file, mesh, plan, (tess_partition **)&content->partition));
    TRY(owner_of_partition(content->partition, plan));
    TRY(read_plan_body(file, content->bound, plan));
    TRY(read_renumbering(file, mesh, (tess_renumbering **)&content->renumbering));
    return read_metrics(file, plan->n_blocks, (tess_metrics **)&content->metrics);
}

tess_status tess_plan_file_read(const char *path, const tess_mesh *mesh, tess_plan_content **out) {
    tess_status status = TESS_OK;
    tess_archive_reader *file = NULL;
    tess_plan_content *content = NULL;
    TRY(tess_archive_open(path, "plan", &file));
    CHECK(TESS_ZEROS(1, &content));
    CHECK(read_content(file, mesh, content));
    *out = content;
    content = NULL;
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
