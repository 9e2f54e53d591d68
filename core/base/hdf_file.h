/* An HDF5 file in the making: it grows in memory and is written to disk whole
 * (core/base/whole_file.h) when it is finished.
 *
 * HDF5 never meets the disk while it makes a file: after a full one it could neither finish the
 * file nor let it go, and would crash when the program ends. HDF5 is used from one thread at a
 * time: who makes or reads a file has it until the file is freed, and other threads wait. Ids of
 * what is in the file are HDF5's own (hid_t); the caller closes those it opened. */
#pragma once

#include "core/base/status.h"
#include <hdf5.h>
#include <stdint.h>

typedef struct tess_hdf_file {
    hid_t id;    /* negative when it is closed */
    char *bytes; /* of the closed file; owned */
} tess_hdf_file;

/* Waits until no other thread uses HDF5, and keeps them from it until as many leaves as takes. */
void tess_hdf_take(void);
void tess_hdf_leave(void);

/* Makes an empty file of the format of HDF5 `oldest` or later, up to 1.10, and silences HDF5, which
 * would print to stderr. */
TESS_MUST_CHECK tess_status tess_hdf_create(H5F_libver_t oldest, tess_hdf_file **out);

/* Closes the file, with all that is open in it, and writes it to `path`; after that it can only be
 * freed. Fails (IO) with the system's reason. */
TESS_MUST_CHECK tess_status tess_hdf_commit(tess_hdf_file *file, const char *path);
/* Gives the file's bytes, which stay its own, instead of writing them. */
TESS_MUST_CHECK tess_status tess_hdf_finish(tess_hdf_file *file, const char **bytes,
                                            uint64_t *size);
void tess_hdf_free(tess_hdf_file *file);

/* Closes a type, space, list of properties, attribute, array or group; negative: none. */
void tess_hdf_close(hid_t id);

/* Creates a group under `parent`; the caller closes it. */
TESS_MUST_CHECK tess_status tess_hdf_group(hid_t parent, const char *name, hid_t *group);

/* Writes values [rows][columns] (columns = 0: one-dimensional) of HDF5's native type `memory` as
 * the same type, chunked, checksummed (fletcher32) and, where there is more than one row, shuffled
 * and deflated, with HDF5's built-in filters. */
TESS_MUST_CHECK tess_status tess_hdf_write(hid_t parent, const char *name, hid_t memory,
                                           int64_t rows, int64_t columns, const void *values);

/* Writes an attribute: fixed-length ASCII text, whole numbers [n]. */
TESS_MUST_CHECK tess_status tess_hdf_attribute_text(hid_t object, const char *name,
                                                    const char *text);
TESS_MUST_CHECK tess_status tess_hdf_attribute_ints(hid_t object, const char *name, int n,
                                                    const int64_t *values);

/* Fails with the formatted words and, behind them, what HDF5 says was wrong. */
TESS_MUST_CHECK tess_status tess_hdf_fail(tess_status code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
