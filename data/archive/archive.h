/* An archive: a HDF5 file of the lab, and what all kinds of them have in common.
 *
 * Only HDF5's built-in filters (shuffle, gzip, fletcher32), a checksum on every array, all metadata
 * in the checksummed format of HDF5 1.10, texts of fixed length, a `unit` on every dataset of
 * numbers, `kind` and `schema_version` ("major.minor") at the root. */
#pragma once

#include "core/base/hdf_file.h"
#include <stddef.h>

/* A newer minor version only adds; a newer major one is refused. 1.1 added the sessions of runs:
 * their name in the environment, and the round and start of each sample. */
#define TESS_SCHEMA_MAJOR 1
#define TESS_SCHEMA_MINOR 1

enum { TESS_ARCHIVE_MAX_RANK = 3, TESS_ARCHIVE_PATH_SIZE = 256 };

typedef enum tess_archive_type {
    TESS_ARCHIVE_UINT8,
    TESS_ARCHIVE_UINT16,
    TESS_ARCHIVE_INT32,
    TESS_ARCHIVE_INT64,
    TESS_ARCHIVE_FLOAT,
    TESS_ARCHIVE_DOUBLE,
    TESS_ARCHIVE_TEXT /* of tables only: `width` bytes, filled up with zeros, at least one of them
                       */
} tess_archive_type;

/* A column of a table, and where it lies in a row in memory. */
typedef struct tess_archive_column {
    const char *name;
    tess_archive_type type;
    size_t width; /* bytes in a row: of a text, or of its type */
    size_t offset;
} tess_archive_column;

/* How a row of a table lies in memory. */
typedef struct tess_archive_row {
    const tess_archive_column *columns;
    int n_columns;
    size_t size; /* bytes */
} tess_archive_row;

/* The type in memory and in files (little-endian). Not for TESS_ARCHIVE_TEXT. */
hid_t tess_archive_number_type(tess_archive_type type);
size_t tess_archive_type_size(tess_archive_type type);

/* Gives the compound type of a row in memory; the caller closes it with H5Tclose. Columns that
 * `only_in` (a compound type) lacks are left out, unless it is negative. */
TESS_MUST_CHECK tess_status tess_archive_row_type(const tess_archive_row *layout, hid_t only_in,
                                                  hid_t *out);

/* A text type of `width` bytes; the caller closes it. */
TESS_MUST_CHECK tess_status tess_archive_text_type(size_t width, hid_t *out);
