/* The partition of a plan in its file: /partition (experiments/archive/plan_file.h). */
#pragma once

#include "core/plan/plan.h"
#include "data/archive/archive_reader.h"
#include "data/archive/archive_writer.h"

TESS_MUST_CHECK tess_status tess_archived_partition_write(const tess_partition *partition,
                                                          tess_archive_writer *file);
/* That of a plan whose set, blocks and their size are known: every block number is one of its
 * blocks'. Fails (INPUT) by the name of what is damaged; the caller frees the partition. */
TESS_MUST_CHECK tess_status tess_archived_partition_read(const tess_archive_reader *file,
                                                         const tess_mesh *mesh,
                                                         const tess_plan *plan,
                                                         tess_partition **out);
/* Fails (INPUT) unless every block has an element, and none more than the block size. */
TESS_MUST_CHECK tess_status tess_archived_partition_check(const tess_archive_reader *file,
                                                          const tess_partition *partition);
