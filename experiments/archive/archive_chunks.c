/* The chunks of a large array: packed on all cores, where HDF5 packs one after another. */
#include "experiments/archive/archive_chunks.h"

#include "core/base/array.h"
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { BATCH = 64, CHECKSUM_BYTES = 4 }; /* chunks that are held in memory at a time */

/* A chunk as it will lie in the file. */
typedef struct packed {
    unsigned char *bytes; /* owned */
    size_t size;
} packed;

/* HDF5's filter "shuffle": the first bytes of all elements, then the second ... */
static void shuffle_bytes(const unsigned char *from, size_t n_bytes, size_t element_size,
                          unsigned char *to) {
    const size_t n = n_bytes / element_size;
    for (size_t b = 0; b < element_size; b++)
        for (size_t i = 0; i < n; i++)
            to[b * n + i] = from[i * element_size + b];
}

/* HDF5's checksum of Fletcher: over words of two bytes, the high one first; a last odd byte is a
 * high one. HDF5 1.10, H5checksum.c, H5_checksum_fletcher32. */
static uint32_t fletcher32(const unsigned char *bytes, size_t n_bytes) {
    enum { WITHOUT_OVERFLOW = 360 }; /* words */
    uint32_t low = 0, high = 0;
    for (size_t i = 0; i < n_bytes;) {
        const size_t end = n_bytes - i > 2 * WITHOUT_OVERFLOW ? i + 2 * WITHOUT_OVERFLOW : n_bytes;
        for (; i < end; i += 2) {
            low += (uint32_t)bytes[i] << 8 | (i + 1 < n_bytes ? bytes[i + 1] : 0);
            high += low;
        }
        low = (low & 0xffff) + (low >> 16);
        high = (high & 0xffff) + (high >> 16);
    }
    low = (low & 0xffff) + (low >> 16);
    high = (high & 0xffff) + (high >> 16);
    return high << 16 | low;
}

/* Packs a chunk: n_bytes of values, then zeros up to the size of a chunk. */
static bool pack(const tess_chunking *chunking, const unsigned char *values, size_t n_bytes,
                 packed *out) {
    const size_t size = (size_t)chunking->rows * chunking->row_bytes;
    uLongf length = compressBound(size);
    unsigned char *plain = calloc(size, 1), *shuffled = malloc(size);
    unsigned char *bytes = malloc(length + CHECKSUM_BYTES);
    bool done = plain && shuffled && bytes;
    if (done) {
        memcpy(plain, values, n_bytes);
        shuffle_bytes(plain, size, chunking->element_size, shuffled);
        done = compress2(bytes, &length, shuffled, size, chunking->level) == Z_OK;
    }
    if (done) {
        const uint32_t sum = fletcher32(bytes, length);
        for (int i = 0; i < CHECKSUM_BYTES; i++)
            bytes[length + (size_t)i] = (unsigned char)(sum >> 8 * i);
        *out = (packed){.bytes = bytes, .size = length + CHECKSUM_BYTES};
        bytes = NULL;
    }
    free(bytes);
    free(shuffled);
    free(plain);
    return done;
}

/* Packs and writes `n` chunks from `first` on. */
static tess_status write_batch(hid_t dataset, const tess_chunking *chunking,
                               const unsigned char *values, hsize_t first, int n) {
    packed chunks[BATCH] = {{NULL, 0}};
    const size_t size = (size_t)chunking->rows * chunking->row_bytes;
    const size_t total = (size_t)chunking->n_rows * chunking->row_bytes;
    bool packed_all = true, written = true;
#pragma omp parallel for schedule(dynamic) reduction(&& : packed_all)
    for (int i = 0; i < n; i++) {
        const size_t from = (size_t)(first + (hsize_t)i) * size;
        const size_t n_bytes = total - from < size ? total - from : size;
        packed_all = pack(chunking, values + from, n_bytes, &chunks[i]) && packed_all;
    }
    for (int i = 0; i < n && packed_all && written; i++) {
        const hsize_t offset[TESS_ARCHIVE_MAX_RANK] = {(first + (hsize_t)i) * chunking->rows};
        written =
            H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, offset, chunks[i].size, chunks[i].bytes) >= 0;
    }
    for (int i = 0; i < n; i++)
        free(chunks[i].bytes);
    if (!packed_all)
        FAIL(TESS_ERROR_MEMORY, "out of memory for packing an array");
    return written ? TESS_OK : tess_hdf_fail(TESS_ERROR_MEMORY, "cannot write a chunk");
}

tess_status tess_archive_write_chunks(hid_t dataset, const tess_chunking *chunking,
                                      const void *values) {
    const hsize_t n = (chunking->n_rows + chunking->rows - 1) / chunking->rows;
    for (hsize_t first = 0; first < n; first += BATCH)
        TRY(write_batch(dataset, chunking, values, first,
                        (int)(n - first < BATCH ? n - first : BATCH)));
    return TESS_OK;
}
