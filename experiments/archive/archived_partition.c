/* The partition of a plan in its file: written, and read back. */
#include "experiments/archive/archived_partition.h"

#include "core/base/array.h"
#include <stdlib.h>

tess_status tess_archived_partition_write(const tess_partition *partition,
                                          tess_archive_writer *file) {
    TRY(tess_archive_write_vector(file, "/partition/block_of", TESS_ARCHIVE_INT32,
                                  partition->n_elements, partition->block_of, "1"));
    TRY(tess_archive_write_int(file, "/partition/blocks_before", partition->n_blocks_before, "1"));
    TRY(tess_archive_write_int(file, "/partition/largest_before", partition->largest_before, "1"));
    TRY(tess_archive_write_int(file, "/partition/moved", partition->n_moved, "1"));
    return tess_archive_write_double(file, "/partition/reuse_factor_before",
                                     partition->reuse_factor_before, "1");
}

tess_status tess_archived_partition_check(const tess_archive_reader *file,
                                          const tess_partition *partition) {
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

tess_status tess_archived_partition_read(const tess_archive_reader *file, const tess_mesh *mesh,
                                         const tess_plan *plan, tess_partition **out) {
    tess_status status = TESS_OK;
    tess_partition *partition = NULL;
    CHECK(TESS_ZEROS(1, &partition));
    if (tess_mesh_find_set(mesh, plan->partitioned_set) < 0)
        CHECK(tess_archive_damaged(file, "the mesh has no set '%s'", plan->partitioned_set));
    partition->n_elements = tess_mesh_set_size(mesh, plan->partitioned_set);
    partition->block_size = plan->block_size;
    partition->n_blocks = plan->n_blocks;
    CHECK(tess_archive_read_indices(file, "/partition/block_of", plan->n_blocks,
                                    &partition->n_elements, &partition->block_of));
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
