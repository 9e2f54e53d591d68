/* An array file: whole numbers by name in one file, as NumPy's .npz, as HDF5 or as text. */
#pragma once

#include "core/base/status.h"
#include <stdint.h>
#include <stdio.h>

/* An array of n numbers of `width` bytes: int32 (4) or int64 (8). */
typedef struct tess_named_array {
    char name[64];
    int width;
    int64_t n;
    const void *values; /* the caller's */
} tess_named_array;

/* Fails (USAGE) unless the extension is .npz, .hdf, .h5, .hdf5 or .txt, and (IO) where no
 * file can come to the path. */
TESS_MUST_CHECK tess_status tess_array_file_check(const char *path);

/* Writes the arrays as the extension says: .npz as numpy.savez does; HDF5 with one dataset each; as
 * text a line "NAME LENGTH" before each, then a number a line. */
TESS_MUST_CHECK tess_status tess_array_file_write(const char *path, const tess_named_array *arrays,
                                                  int n);

/* Writes an array in NumPy's format 1.0: magic, a header padded to 64 bytes, the values; of n rows
 * of so many columns, 0: no rows. */
void tess_npy_write(FILE *stream, const tess_named_array *array, int64_t columns);

/* Reads what tess_array_file_write wrote as text. Gives its arrays, of int64, whose values
 * tess_array_file_free frees. Fails (INPUT) by line. */
TESS_MUST_CHECK tess_status tess_array_file_read(const char *path, tess_named_array **arrays,
                                                 int *n);
void tess_array_file_free(tess_named_array *arrays, int n);
