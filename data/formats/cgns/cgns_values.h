/* The values of an array of a CGNS zone, read some at a time. */
#pragma once

#include "data/formats/cgns/cgns_file.h"

typedef struct tess_cgns_values {
    const tess_cgns_file *file;
    tess_cgns_array array;
    int tree, value_bytes, n_axes;
    double node;
    int64_t n;         /* along its first axis; -1: the file has no such array */
    int64_t n_columns; /* along its other axis, 1 where it has none */
    char *raw;         /* some as the file has them; owned */
    int64_t capacity;
} tess_cgns_values;

/* Finds the array of whole numbers, which the caller closes; it may be missing.
 * Fails (INPUT) where it is of something else. */
TESS_MUST_CHECK tess_status tess_cgns_values_open(const tess_cgns_file *file,
                                                  const tess_cgns_array *array,
                                                  tess_cgns_values *out);
/* Reads values `first` to `first + n - 1` of a column, all from 0, which the array has. */
TESS_MUST_CHECK tess_status tess_cgns_values_read(tess_cgns_values *values, int64_t column,
                                                  int64_t first, int64_t n, int64_t *to);
void tess_cgns_values_close(tess_cgns_values *values);
