/* The chunks of a large array: packed on all cores, where HDF5 packs one after another. */
#ifndef TESS_ARCHIVE_CHUNKS_H
#define TESS_ARCHIVE_CHUNKS_H

#include "experiments/archive/archive.h"

/* An array in chunks of whole rows: chunk i holds the rows from i * rows. */
typedef struct tess_chunking {
    int rank;
    hsize_t n_rows;      /* of the array */
    hsize_t rows;        /* of a chunk; the last one is filled up with zeros */
    size_t row_bytes;    /* of all elements of a row */
    size_t element_size; /* as in the file */
    int level;           /* of gzip */
} tess_chunking;

/* Writes the values of a dataset whose filters are shuffle, gzip of that level and fletcher32, in
 * this order, as H5Dwrite would: the values are as the file's type has them. Fails (MEMORY). */
TESS_MUST_CHECK tess_status tess_archive_write_chunks(hid_t dataset, const tess_chunking *chunking,
                                                      const void *values);

#endif
