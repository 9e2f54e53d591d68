/* A plan file of the lab: written, and read back with everything within its bounds. */
#include "experiments/archive/plan_file.h"

#include "core/base/array.h"
#include "core/base/old_word.h"
#include "experiments/archive/archived_loop.h"
#include "experiments/archive/archived_metrics.h"
#include "experiments/archive/archived_partition.h"
#include "experiments/archive/archived_plan.h"
#include "experiments/archive/archived_renumbering.h"
#include <stdlib.h>
#include <string.h>

static tess_status write_head(const tess_plan_content *content, const char *digest,
                              tess_archive_writer *file) {
    const tess_plan *plan = content->plan;
    TRY(tess_archive_attribute_text(file, "/", "digest", digest));
    TRY(tess_archive_attribute_text(file, "/", "mesh", content->mesh));
    TRY(tess_archived_loop_write(content->bound->loop, file));
    TRY(tess_archive_attribute_text(file, "/", "over", plan->partitioned_set));
    TRY(tess_archive_attribute_int(file, "/", "over_to_set", plan->owns_points));
    TRY(tess_archive_attribute_int(file, "/", "block_size", plan->block_size));
    TRY(tess_archive_attribute_text(file, "/", "partitioner", content->partitioner));
    return tess_archive_attribute_text(file, "/", "layout",
                                       content->layout == TESS_SOA ? "soa" : "aos");
}

tess_status tess_plan_file_write(const tess_plan_content *content, const char *digest,
                                 const char *path) {
    tess_status status = TESS_OK;
    tess_archive_writer *file = NULL;
    CHECK(tess_archive_create("plan", &file));
    CHECK(write_head(content, digest, file));
    CHECK(tess_archived_partition_write(content->partition, file));
    CHECK(tess_archived_plan_write(content->plan, content->bound, file));
    CHECK(tess_archived_renumbering_write(content->renumbering, content->bound->mesh, file));
    CHECK(tess_archived_metrics_write(content->metrics, file));
    CHECK(tess_archive_commit(file, path));
done:
    tess_archive_writer_free(file);
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
    CHECK(tess_archived_loop_read(file, &loop));
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
    CHECK(tess_archived_partition_read(file, want->bound->mesh, head, &partition));
    CHECK(tess_archived_partition_check(file, partition));
    *out = TESS_TAKE(partition);
done:
    tess_partition_free(partition);
    tess_plan_free(head);
    tess_archive_reader_free(file);
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
    TRY(tess_archived_loop_read(file, (tess_loop **)&content->loop));
    TRY(tess_loop_bind(content->loop, mesh, (tess_bound_loop **)&content->bound));
    TRY(TESS_ZEROS(1, &plan));
    content->plan = plan;
    TRY(read_head(file, plan));
    TRY(tess_archived_partition_read(file, mesh, plan, (tess_partition **)&content->partition));
    TRY(owner_of_partition(content->partition, plan));
    TRY(tess_archived_plan_read(file, content->bound, plan));
    TRY(tess_archived_renumbering_read(file, mesh, (tess_renumbering **)&content->renumbering));
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
