/* A plan file of the lab: its loop and its partition, which can be read without the plan. */
#include "experiments/archive/plan_file_part.h"
#include "core/base/array.h"
#include "experiments/archive/plan_file.h"
#include "experiments/archive/plan_row.h"
#include <stdlib.h>
#include <string.h>

tess_status tess_plan_file_read_short(const tess_archive_reader *file, const char *name,
                                      size_t size, char *out) {
    return tess_archive_read_attribute_into(file, "/", name, size, out);
}

static tess_status access_parse(const tess_archive_reader *file, const char *name,
                                tess_access *access) {
    for (*access = TESS_READ; *access <= TESS_INC; ++*access)
        if (strcmp(name, tess_access_name(*access)) == 0)
            return TESS_OK;
    return tess_archive_damaged(file, "the access '%s' is unknown", name);
}

tess_status tess_plan_file_read_loop(const tess_archive_reader *file, tess_loop **out) {
    tess_status status = TESS_OK;
    tess_loop *loop = NULL;
    tess_arg_row *rows = NULL;
    int64_t n = 0;
    char name[TESS_NAME_SIZE], set[TESS_NAME_SIZE];
    CHECK(tess_plan_file_read_short(file, "loop", sizeof name, name));
    CHECK(tess_plan_file_read_short(file, "set", sizeof set, set));
    CHECK(tess_loop_new(name, set, &loop));
    CHECK(tess_archive_read_table(file, "/loop/args", tess_arg_columns, TESS_ARG_COLUMNS,
                                  sizeof *rows, &n, (void **)&rows));
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
    *out = loop;
    loop = NULL;
done:
    free(rows);
    tess_loop_free(loop);
    return status;
}

tess_status tess_plan_file_check_range(const tess_archive_reader *file, const char *what,
                                       const int32_t *values, int64_t n, int64_t limit) {
    for (int64_t i = 0; i < n; i++)
        if (values[i] < 0 || values[i] >= limit)
            return tess_archive_damaged(file, "%s: element %lld is %d, not in [0, %lld)", what,
                                        (long long)i, values[i], (long long)limit);
    return TESS_OK;
}

tess_status tess_plan_file_read_head(const tess_archive_reader *file, tess_plan *plan) {
    int64_t block_size = 0, over_to_set = 0, n_offsets = -1;
    TRY(tess_plan_file_read_short(file, "loop", sizeof plan->loop, plan->loop));
    TRY(tess_plan_file_read_short(file, "over", sizeof plan->over, plan->over));
    TRY(tess_archive_read_attribute_int(file, "/", "block_size", &block_size));
    TRY(tess_archive_read_attribute_int(file, "/", "over_to_set", &over_to_set));
    TRY(tess_archive_read_array(file, "/plan/block_offset", TESS_ARCHIVE_INT64, 1, &n_offsets,
                                (void **)&plan->block_offset));
    if (n_offsets < 1 || n_offsets > INT32_MAX || block_size < 1 || block_size > INT32_MAX)
        return tess_archive_damaged(file, "%lld block offsets, blocks of %lld",
                                    (long long)n_offsets, (long long)block_size);
    plan->n_blocks = (int32_t)(n_offsets - 1);
    plan->block_size = (int32_t)block_size;
    plan->over_to_set = over_to_set != 0;
    return TESS_OK;
}

tess_status tess_plan_file_read_blocks(const tess_archive_reader *file, const tess_mesh *mesh,
                                       tess_plan *plan, tess_partition **out) {
    tess_status status = TESS_OK;
    tess_partition *partition = NULL;
    CHECK(TESS_ZEROS(1, &partition));
    if (tess_mesh_find_set(mesh, plan->over) < 0)
        CHECK(tess_archive_damaged(file, "the mesh has no set '%s'", plan->over));
    partition->n_elements = tess_mesh_set_size(mesh, plan->over);
    partition->block_size = plan->block_size;
    partition->n_blocks = plan->n_blocks;
    CHECK(tess_archive_read_vector(file, "/partition/block_of", TESS_ARCHIVE_INT32,
                                   partition->n_elements, (void **)&partition->block_of));
    CHECK(tess_plan_file_check_range(file, "/partition/block_of", partition->block_of,
                                     partition->n_elements, plan->n_blocks));
    CHECK(tess_archive_read_int(file, "/partition/blocks_before", &partition->n_blocks_before));
    CHECK(tess_archive_read_int(file, "/partition/largest_before", &partition->largest_before));
    CHECK(tess_archive_read_int(file, "/partition/moved", &partition->n_moved));
    CHECK(tess_archive_read_double(file, "/partition/reuse_factor_before",
                                   &partition->reuse_factor_before));
    *out = partition;
    partition = NULL;
done:
    tess_partition_free(partition);
    return status;
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

/* Reads the head; true where the blocks are those that are wanted. */
static tess_status read_if_wanted(const tess_archive_reader *file, const tess_plan_content *want,
                                  tess_plan *head, bool *wanted) {
    tess_status status = TESS_OK;
    tess_loop *loop = NULL;
    char *partitioner = NULL;
    char mesh[TESS_DIGEST_SIZE];
    CHECK(tess_plan_file_read_short(file, "mesh", sizeof mesh, mesh));
    CHECK(tess_archive_read_attribute_text(file, "/", "partitioner", &partitioner));
    CHECK(tess_plan_file_read_loop(file, &loop));
    CHECK(tess_plan_file_read_head(file, head));
    *wanted = strcmp(mesh, want->mesh) == 0 && strcmp(partitioner, want->partitioner) == 0 &&
              is_same_loop(loop, want->loop) && strcmp(head->over, want->plan->over) == 0 &&
              head->over_to_set == want->plan->over_to_set &&
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
    CHECK(tess_plan_file_read_blocks(file, want->bound->mesh, head, &partition));
    CHECK(check_blocks(file, partition));
    *out = partition;
    partition = NULL;
done:
    tess_partition_free(partition);
    tess_plan_free(head);
    tess_archive_reader_free(file);
    return status;
}
