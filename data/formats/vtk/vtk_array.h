/* A VTK array: numbers in one of the encodings of VTK's XML files, as text, base64 or raw bytes,
 * compressed or not, read a few at a time. Format: VTK's file formats, "XML File Formats". */
#pragma once

#include "data/formats/vtk/vtk_bytes.h"

/* Sets type and type_bytes by VTK's word for them ("Int64"); false for another word. */
bool tess_vtk_array_type(tess_vtk_array *array, const char *word);

/* Rows of cells being read. */
typedef struct tess_vtk_rows {
    int64_t *kept; /* [n_kept]: numbers of the file, the first `at` of them are done; owned */
    int64_t n_kept, at;
    int64_t n_left;   /* numbers behind these */
    int64_t n_in_row; /* nodes of the row in hand that are left */
    int64_t end;      /* where the nodes of the last row end */
    int64_t to_pass;  /* values that were passed over, not looked at yet */
} tess_vtk_rows;

/* An array being read. */
typedef struct tess_vtk_values {
    const tess_vtk_array *array;
    tess_scan scan;       /* of words */
    tess_vtk_bytes bytes; /* of all other arrays */
    tess_vtk_rows rows;   /* of rows */
    int64_t done;         /* values that were given or passed over */
} tess_vtk_values;

/* Begins to read the first n values of an array, of a file that outlives it. Fails (INPUT) where it
 * has fewer or where its sizes are damaged. The caller closes it. */
TESS_MUST_CHECK tess_status tess_vtk_values_open(const tess_vtk_array *array,
                                                 const tess_vtk_coding *coding, int64_t n,
                                                 tess_vtk_values *out);
/* Give the next n values, of those that it was opened for, as reals or as whole numbers. Fail
 * (INPUT) on a real that is not finite; on reals where whole numbers are asked for. */
TESS_MUST_CHECK tess_status tess_vtk_values_reals(tess_vtk_values *values, int64_t n, double *to);
TESS_MUST_CHECK tess_status tess_vtk_values_integers(tess_vtk_values *values, int64_t n,
                                                     int64_t *to);
void tess_vtk_values_pass(tess_vtk_values *values, int64_t n);
void tess_vtk_values_close(tess_vtk_values *values);

/* Begins to read all that an array has; n: how many values, of text at most so many. The caller
 * closes it. */
TESS_MUST_CHECK tess_status tess_vtk_values_open_all(const tess_vtk_array *array,
                                                     const tess_vtk_coding *coding,
                                                     tess_vtk_values *out, int64_t *n);
/* Gives the next n whole numbers, or those of them that follow. */
TESS_MUST_CHECK tess_status tess_vtk_values_some(tess_vtk_values *values, int64_t n, int64_t *to,
                                                 int64_t *n_read);
