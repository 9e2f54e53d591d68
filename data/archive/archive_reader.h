/* An archive, a HDF5 file of the lab, open for reading.
 *
 * A damaged or hostile file fails (INPUT) with its name and what is wrong. Nothing is allocated
 * that the file's own size does not justify; links out of the file and external data are refused.
 * No lock is taken: files of the lab never change. */
#pragma once

#include "data/archive/archive.h"
#include <stdbool.h>

typedef struct tess_archive_reader tess_archive_reader;

/* Opens a file of one kind (NULL: any). A newer major schema version is refused with advice. */
TESS_MUST_CHECK tess_status tess_archive_open(const char *path, const char *kind,
                                              tess_archive_reader **out);
/* Opens any HDF5 file, such as a view: neither version nor checksums nor units are asked for. */
TESS_MUST_CHECK tess_status tess_archive_open_any(const char *path, tess_archive_reader **out);
void tess_archive_reader_free(tess_archive_reader *reader);

/* Fails (INPUT) with the file's name before the formatted message. */
TESS_MUST_CHECK tess_status tess_archive_damaged(const tess_archive_reader *reader,
                                                 const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* HDF5's id of the file. */
hid_t tess_archive_id(const tess_archive_reader *reader);

/* Whether an object is there, behind links of this file only. */
bool tess_archive_exists(const tess_archive_reader *reader, const char *path);

/* Gives the names in a group, sorted; no names where there is no such group. The caller frees them
 * with tess_archive_names_free. */
TESS_MUST_CHECK tess_status tess_archive_names(const tess_archive_reader *reader, const char *group,
                                               char ***names, int *n);
void tess_archive_names_free(char **names, int n);

/* A text attribute, or the first of an array of them; the caller frees it. */
TESS_MUST_CHECK tess_status tess_archive_read_attribute_text(const tess_archive_reader *reader,
                                                             const char *object, const char *name,
                                                             char **out);
/* Reads it into `out` of `size` bytes; a longer text is damage. */
TESS_MUST_CHECK tess_status tess_archive_read_attribute_into(const tess_archive_reader *reader,
                                                             const char *object, const char *name,
                                                             size_t size, char *out);
/* That of the root. */
TESS_MUST_CHECK tess_status tess_archive_read_root_text(const tess_archive_reader *reader,
                                                        const char *name, size_t size, char *out);
TESS_MUST_CHECK tess_status tess_archive_read_attribute_int(const tess_archive_reader *reader,
                                                            const char *object, const char *name,
                                                            int64_t *out);
/* Exactly n whole numbers. */
TESS_MUST_CHECK tess_status tess_archive_read_attribute_ints(const tess_archive_reader *reader,
                                                             const char *object, const char *name,
                                                             int n, int64_t *out);

/* The type of an array of numbers as stored: the smallest of ours that holds its values. */
TESS_MUST_CHECK tess_status tess_archive_type_of(const tess_archive_reader *reader,
                                                 const char *path, tess_archive_type *type);

/* Reads an array of `rank` dimensions, converted to `type`. dims: what is expected, -1 where
 * anything is; filled with what is there. The caller frees *out. */
TESS_MUST_CHECK tess_status tess_archive_read_array(const tess_archive_reader *reader,
                                                    const char *path, tess_archive_type type,
                                                    int rank, int64_t *dims, void **out);
/* Reads an array of rank 1, of which `n` elements are expected. */
TESS_MUST_CHECK tess_status tess_archive_read_vector(const tess_archive_reader *reader,
                                                     const char *path, tess_archive_type type,
                                                     int64_t n, void **out);
/* Reads an array of rank 1 whose numbers are in [0, limit). n: how many are expected, -1 where any
 * are; filled with how many are there. */
TESS_MUST_CHECK tess_status tess_archive_read_indices(const tess_archive_reader *reader,
                                                      const char *path, int64_t limit, int64_t *n,
                                                      int32_t **out);
TESS_MUST_CHECK tess_status tess_archive_read_double(const tess_archive_reader *reader,
                                                     const char *path, double *out);
TESS_MUST_CHECK tess_status tess_archive_read_int(const tess_archive_reader *reader,
                                                  const char *path, int64_t *out);
/* The text attribute `unit` of a dataset, or "1". */
TESS_MUST_CHECK tess_status tess_archive_read_unit(const tess_archive_reader *reader,
                                                   const char *path, size_t size, char *unit);
/* An array of texts; the caller frees them with tess_archive_names_free. */
TESS_MUST_CHECK tess_status tess_archive_read_texts(const tess_archive_reader *reader,
                                                    const char *path, char ***texts, int *n);

/* Width in bytes of a text column of a table. */
TESS_MUST_CHECK tess_status tess_archive_text_width(const tess_archive_reader *reader,
                                                    const char *path, const char *column,
                                                    size_t *width);
/* Reads a table into rows of that layout; columns that the file lacks are zeros. Every text ends
 * with a zero. The caller frees *rows. */
TESS_MUST_CHECK tess_status tess_archive_read_table(const tess_archive_reader *reader,
                                                    const char *path,
                                                    const tess_archive_row *layout, int64_t *n_rows,
                                                    void **rows);

/* Reads every array, so that every checksum is verified, and fails where an array has none or a
 * dataset of numbers no unit. */
TESS_MUST_CHECK tess_status tess_archive_read_all(const tess_archive_reader *reader);
/* Opens a file of a kind (NULL: any) and reads all of it. A view is derived and of another
 * program's format: it needs neither version nor checksums nor units. */
#define TESS_ARCHIVE_VIEW "view"
TESS_MUST_CHECK tess_status tess_archive_verify(const char *path, const char *kind);
