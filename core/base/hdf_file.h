/* An HDF5 file in the making: whole when it appears, never torn.
 *
 * It grows in memory and is written whole (core/base/hdf_image.h): a reader, a crash or a full disk
 * sees the whole file or none. Arrays are chunked, shuffled, deflated and checksummed (fletcher32)
 * with HDF5's built-in filters. HDF5 is used from one thread at a time. Ids of groups are HDF5's
 * own (hid_t); the caller closes those it opened. */
#ifndef TESS_HDF_FILE_H
#define TESS_HDF_FILE_H

#include "core/base/hdf_image.h"
#include <stdint.h>

typedef struct tess_hdf_file {
    char *path; /* where it will appear */
    tess_hdf_image *image;
    hid_t id; /* of the file */
} tess_hdf_file;

/* Starts a file that will appear as `path`. Fails (IO) with the system's reason where its folder
 * cannot be written to. */
TESS_MUST_CHECK tess_status tess_hdf_create(const char *path, tess_hdf_file **out);

/* Writes it whole; frees `file` whether that succeeded or not, and
 * leaves nothing behind when it did not. */
TESS_MUST_CHECK tess_status tess_hdf_commit(tess_hdf_file *file);

/* Gives up: nothing has been written. Accepts NULL. */
void tess_hdf_discard(tess_hdf_file *file);

/* Creates a group under `parent`; the caller closes it with H5Gclose. */
TESS_MUST_CHECK tess_status tess_hdf_group(hid_t parent, const char *name, hid_t *group);

/* Writes values [rows][columns] (columns = 0: one-dimensional) of HDF5's native type `memory` as
 * the same type, checksummed and, where there is more than one row, compressed. */
TESS_MUST_CHECK tess_status tess_hdf_write(hid_t parent, const char *name, hid_t memory,
                                           int64_t rows, int64_t columns, const void *values);

/* Writes an attribute: fixed-length ASCII text, whole numbers [n], a real number. */
TESS_MUST_CHECK tess_status tess_hdf_attribute_text(hid_t object, const char *name,
                                                    const char *text);
TESS_MUST_CHECK tess_status tess_hdf_attribute_ints(hid_t object, const char *name, int n,
                                                    const int64_t *values);
TESS_MUST_CHECK tess_status tess_hdf_attribute_real(hid_t object, const char *name, double value);

#endif
