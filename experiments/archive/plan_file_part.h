/* What reads parts of a plan file: shared by plan_file_part.c and plan_file_read.c. No other file
 * includes it. */
#ifndef TESS_PLAN_FILE_PART_H
#define TESS_PLAN_FILE_PART_H

#include "experiments/archive/archive_reader.h"
#include "experiments/archive/plan_file.h"

/* A text attribute of the file into `size` bytes. */
TESS_MUST_CHECK tess_status tess_plan_file_read_short(const tess_archive_reader *file,
                                                      const char *name, size_t size, char *out);

TESS_MUST_CHECK tess_status tess_plan_file_read_loop(const tess_archive_reader *file,
                                                     tess_loop **out);

/* Fills the names, sizes and block offsets of a plan of zeros. */
TESS_MUST_CHECK tess_status tess_plan_file_read_head(const tess_archive_reader *file,
                                                     tess_plan *plan);

/* The partition of a plan whose head is read; every block number is one of its blocks'. */
TESS_MUST_CHECK tess_status tess_plan_file_read_blocks(const tess_archive_reader *file,
                                                       const tess_mesh *mesh, tess_plan *plan,
                                                       tess_partition **out);

/* Fails unless every value is in [0, limit). */
TESS_MUST_CHECK tess_status tess_plan_file_check_range(const tess_archive_reader *file,
                                                       const char *what, const int32_t *values,
                                                       int64_t n, int64_t limit);

#endif
