/* A NetCDF file, classic or of HDF5, read by the NetCDF library, which is opened when it is needed.
 *
 * The library gives zeros for what a cut file of HDF5 lacks: readers check ids after it says that
 * all is well. Failures name the file and the variable. */
#pragma once

#include "data/formats/file_text.h"

typedef struct tess_netcdf tess_netcdf;

/* Whether the content begins like NetCDF, classic or of HDF5. */
bool tess_netcdf_recognise(const tess_file_text *text);
/* Opens the content of a file, which outlives it. Fails (MISSING) where there is no libnetcdf,
 * (INPUT) where the content is no NetCDF. */
TESS_MUST_CHECK tess_status tess_netcdf_open(const tess_file_text *text, tess_netcdf **out);
void tess_netcdf_close(tess_netcdf *file);
/* The path of the file whose content it is. */
const char *tess_netcdf_path(const tess_netcdf *file);

/* Fails (INPUT) with "FILE: VARIABLE: " before the message. */
TESS_MUST_CHECK tess_status tess_netcdf_fail(const tess_netcdf *file, const char *variable,
                                             const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Length of a dimension, -1 without one of that name. */
int64_t tess_netcdf_dimension(const tess_netcdf *file, const char *name);
bool tess_netcdf_has(const tess_netcdf *file, const char *variable);

/* Gives all `n` values of a variable, the caller's; fails where it has another number of them, is
 * not of numbers, or where more are announced than the file's size justifies. */
TESS_MUST_CHECK tess_status tess_netcdf_integers(const tess_netcdf *file, const char *variable,
                                                 int64_t n, int32_t **out);
/* Fails as the above where the variable does not have n numbers. */
TESS_MUST_CHECK tess_status tess_netcdf_expect(const tess_netcdf *file, const char *variable,
                                               int64_t n);
/* A part of a table of numbers, which has been expected; of a variable with one dimension this
 * counts rows, of one column. */
typedef struct tess_netcdf_part {
    int64_t row, column, n_rows, n_columns;
} tess_netcdf_part;
/* Read it into to[n_rows][n_columns]. Reals are finite. */
TESS_MUST_CHECK tess_status tess_netcdf_integers_part(const tess_netcdf *file, const char *variable,
                                                      const tess_netcdf_part *part, int32_t *to);
TESS_MUST_CHECK tess_status tess_netcdf_reals_part(const tess_netcdf *file, const char *variable,
                                                   const tess_netcdf_part *part, double *to);
/* Writes row `row` of a table of letters, or a text attribute of a variable (NULL: of the file),
 * into text[size], cut where it is longer, or "". */
void tess_netcdf_letters(const tess_netcdf *file, const char *variable, int64_t row, char *text,
                         size_t size);
void tess_netcdf_attribute(const tess_netcdf *file, const char *variable, const char *name,
                           char *text, size_t size);
