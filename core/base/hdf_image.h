/* A HDF5 file in memory, written to disk whole (core/base/whole_file.h) when it is finished.
 *
 * HDF5 never meets the disk while it makes a file: after a full one it could neither finish the
 * file nor let it go, and would crash when the program ends. */
#ifndef TESS_HDF_IMAGE_H
#define TESS_HDF_IMAGE_H

#include "core/base/status.h"
#include <hdf5.h>

typedef struct tess_hdf_image {
    hid_t file;  /* negative when it is closed */
    char *bytes; /* of the closed file; owned */
} tess_hdf_image;

/* Makes an empty file of the format of HDF5 `oldest` or later, up to 1.10, and silences HDF5, which
 * would print to stderr. */
TESS_MUST_CHECK tess_status tess_hdf_image_new(H5F_libver_t oldest, tess_hdf_image **out);

/* Closes the file, with all that is open in it, and writes it to `path`; after that the image can
 * only be freed. */
TESS_MUST_CHECK tess_status tess_hdf_image_write(tess_hdf_image *image, const char *path);
void tess_hdf_image_free(tess_hdf_image *image);

/* Fails with the formatted words and, behind them, what HDF5 says was wrong. */
TESS_MUST_CHECK tess_status tess_hdf_fail(tess_status code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
