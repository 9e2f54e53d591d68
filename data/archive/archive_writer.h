/* An archive (data/archive/archive.h) in the making: it grows in memory and is written whole
 * (core/base/whole_file.h).
 *
 * Paths are absolute; groups on the way are made. Nothing is on disk before tess_archive_commit. */
#pragma once

#include "data/archive/archive.h"

typedef struct tess_archive_writer tess_archive_writer;

/* A file of one kind ("mesh", "plan", "run" ...): root attributes `kind`, `schema_version`. */
TESS_MUST_CHECK tess_status tess_archive_create(const char *kind, tess_archive_writer **out);

TESS_MUST_CHECK tess_status tess_archive_write_group(tess_archive_writer *writer, const char *path);

/* Attributes of the group or dataset `object` ("/" for the root). */
TESS_MUST_CHECK tess_status tess_archive_attribute_text(tess_archive_writer *writer,
                                                        const char *object, const char *name,
                                                        const char *text);
TESS_MUST_CHECK tess_status tess_archive_attribute_texts(tess_archive_writer *writer,
                                                         const char *object, const char *name,
                                                         int n, const char *const *texts);
TESS_MUST_CHECK tess_status tess_archive_attribute_int(tess_archive_writer *writer,
                                                       const char *object, const char *name,
                                                       int64_t value);
TESS_MUST_CHECK tess_status tess_archive_attribute_ints(tess_archive_writer *writer,
                                                        const char *object, const char *name, int n,
                                                        const int64_t *values);

/* An array [dims[0]][dims[1]] of unit "1"; `values` may be NULL where a dimension is 0. */
TESS_MUST_CHECK tess_status tess_archive_write_matrix(tess_archive_writer *writer, const char *path,
                                                      tess_archive_type type, const int64_t dims[2],
                                                      const void *values);
/* An array of n numbers; `values` may be NULL where n is 0. */
TESS_MUST_CHECK tess_status tess_archive_write_vector(tess_archive_writer *writer, const char *path,
                                                      tess_archive_type type, int64_t n,
                                                      const void *values, const char *unit);
TESS_MUST_CHECK tess_status tess_archive_write_double(tess_archive_writer *writer, const char *path,
                                                      double value, const char *unit);
TESS_MUST_CHECK tess_status tess_archive_write_int(tess_archive_writer *writer, const char *path,
                                                   int64_t value, const char *unit);
/* An array of n texts, all as wide as the longest. */
TESS_MUST_CHECK tess_status tess_archive_write_texts(tess_archive_writer *writer, const char *path,
                                                     int n, const char *const *texts);
/* A table of n_rows rows of that layout. */
TESS_MUST_CHECK tess_status tess_archive_write_table(tess_archive_writer *writer, const char *path,
                                                     const tess_archive_row *layout, int64_t n_rows,
                                                     const void *rows, const char *unit);

/* Writes the file to `path`, once; after that the writer can only be freed, by the caller. */
TESS_MUST_CHECK tess_status tess_archive_commit(tess_archive_writer *writer, const char *path);
void tess_archive_writer_free(tess_archive_writer *writer);
