/* An archive (data/archive/archive.h) in the making: it grows in memory and is written
 * whole. */
#include "data/archive/archive_writer.h"

#include "core/base/array.h"
#include "core/base/interrupt.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* The chunks of a large array are packed on all cores, where HDF5 packs one after another. */
enum { BATCH = 64, CHECKSUM_BYTES = 4 }; /* chunks that are held in memory at a time */

/* An array in chunks of whole rows: chunk i holds the rows from i * rows. */
typedef struct chunking {
    int rank;
    hsize_t n_rows;      /* of the array */
    hsize_t rows;        /* of a chunk; the last one is filled up with zeros */
    size_t row_bytes;    /* of all elements of a row */
    size_t element_size; /* as in the file */
    int level;           /* of gzip */
} chunking;

/* A chunk as it will lie in the file. */
typedef struct packed_chunk {
    unsigned char *bytes; /* owned */
    size_t size;
} packed_chunk;

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
static bool pack(const chunking *as, const unsigned char *values, size_t n_bytes,
                 packed_chunk *out) {
    const size_t size = (size_t)as->rows * as->row_bytes;
    uLongf length = compressBound(size);
    unsigned char *plain = calloc(size, 1), *shuffled = malloc(size);
    unsigned char *bytes = malloc(length + CHECKSUM_BYTES);
    bool done = plain && shuffled && bytes;
    if (done) {
        memcpy(plain, values, n_bytes);
        shuffle_bytes(plain, size, as->element_size, shuffled);
        done = compress2(bytes, &length, shuffled, size, as->level) == Z_OK;
    }
    if (done) {
        const uint32_t sum = fletcher32(bytes, length);
        for (int i = 0; i < CHECKSUM_BYTES; i++)
            bytes[length + (size_t)i] = (unsigned char)(sum >> 8 * i);
        *out = (packed_chunk){.bytes = bytes, .size = length + CHECKSUM_BYTES};
        bytes = NULL;
    }
    free(bytes);
    free(shuffled);
    free(plain);
    return done;
}

/* Packs and writes `n` chunks from `first` on. */
static tess_status write_batch(hid_t dataset, const chunking *as, const unsigned char *values,
                               hsize_t first, int n) {
    packed_chunk chunks[BATCH] = {{NULL, 0}};
    const size_t size = (size_t)as->rows * as->row_bytes;
    const size_t total = (size_t)as->n_rows * as->row_bytes;
    bool packed_all = true, written = true;
#pragma omp parallel for schedule(dynamic) reduction(&& : packed_all)
    for (int i = 0; i < n; i++) {
        const size_t from = (size_t)(first + (hsize_t)i) * size;
        const size_t n_bytes = total - from < size ? total - from : size;
        packed_all = pack(as, values + from, n_bytes, &chunks[i]) && packed_all;
    }
    for (int i = 0; i < n && packed_all && written; i++) {
        const hsize_t offset[TESS_ARCHIVE_MAX_RANK] = {(first + (hsize_t)i) * as->rows};
        written =
            H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, offset, chunks[i].size, chunks[i].bytes) >= 0;
    }
    for (int i = 0; i < n; i++)
        free(chunks[i].bytes);
    if (!packed_all)
        FAIL(TESS_ERROR_MEMORY, "out of memory for packing an array");
    return written ? TESS_OK : tess_hdf_fail(TESS_ERROR_MEMORY, "cannot write a chunk");
}

/* Writes the values of a dataset whose filters are shuffle, gzip of that level and fletcher32, in
 * this order, as H5Dwrite would: the values are as the file's type has them. Fails (MEMORY), and
 * once time is over (INTERRUPTED); an interrupt lets the file be finished. */
static tess_status write_chunks(hid_t dataset, const chunking *as, const void *values) {
    const hsize_t n = (as->n_rows + as->rows - 1) / as->rows;
    for (hsize_t first = 0; first < n; first += BATCH) {
        if (tess_interrupt_is_due())
            FAIL(TESS_ERROR_INTERRUPTED, "interrupted");
        TRY(write_batch(dataset, as, values, first, (int)(n - first < BATCH ? n - first : BATCH)));
    }
    return TESS_OK;
}

enum { CHUNK_BYTES = 1 << 19 /* of an array */ };

struct tess_archive_writer {
    tess_hdf_file *made;
    hid_t file;   /* its id */
    hid_t groups; /* creation property: no times, so that same content is same bytes */
};

tess_status tess_archive_create(const char *kind, tess_archive_writer **out) {
    tess_status status = TESS_OK;
    tess_archive_writer *writer = NULL;
    CHECK(TESS_ALLOC(1, &writer));
    *writer = (tess_archive_writer){NULL, -1, -1};
    CHECK(tess_hdf_create(H5F_LIBVER_V110, &writer->made));
    writer->file = writer->made->id;
    writer->groups = H5Pcreate(H5P_GROUP_CREATE);
    if (writer->groups < 0 || H5Pset_obj_track_times(writer->groups, 0) < 0)
        CHECK(tess_hdf_fail(TESS_ERROR_INTERNAL, "HDF5 makes no groups without times"));
    char version[32];
    snprintf(version, sizeof version, "%d.%d", TESS_SCHEMA_MAJOR, TESS_SCHEMA_MINOR);
    CHECK(tess_archive_attribute_text(writer, "/", "schema_version", version));
    CHECK(tess_archive_attribute_text(writer, "/", "kind", kind));
    *out = TESS_TAKE(writer);
done:
    tess_archive_writer_free(writer);
    return status;
}

void tess_archive_writer_free(tess_archive_writer *writer) {
    if (!writer)
        return;
    tess_hdf_close(writer->groups);
    tess_hdf_free(writer->made);
    free(writer);
}

/* Makes the group that is the first `length` characters of `path`, unless it is there. */
static tess_status make_group(tess_archive_writer *writer, const char *path, size_t length) {
    char prefix[256];
    if (length >= sizeof prefix)
        FAIL(TESS_ERROR_INTERNAL, "the path %s is too long", path);
    snprintf(prefix, sizeof prefix, "%.*s", (int)length, path);
    if (H5Lexists(writer->file, prefix, H5P_DEFAULT) > 0)
        return TESS_OK;
    const hid_t group = H5Gcreate2(writer->file, prefix, H5P_DEFAULT, writer->groups, H5P_DEFAULT);
    if (group < 0)
        return tess_hdf_fail(TESS_ERROR_INTERNAL, "cannot make the group %s", prefix);
    H5Gclose(group);
    return TESS_OK;
}

/* Makes the groups on the way to `path`. */
static tess_status make_groups_before(tess_archive_writer *writer, const char *path) {
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/'))
        TRY(make_group(writer, path, (size_t)(slash - path)));
    return TESS_OK;
}

tess_status tess_archive_write_group(tess_archive_writer *writer, const char *path) {
    TRY(make_groups_before(writer, path));
    return make_group(writer, path, strlen(path));
}

/* Writes an attribute of `n` values, or a scalar where n is negative. */
static tess_status write_attribute(tess_archive_writer *writer, const char *object,
                                   const char *name, hid_t type, int n, const void *values) {
    tess_status status = TESS_OK;
    const hsize_t size = n < 0 ? 1 : (hsize_t)n;
    const hid_t space = n < 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, NULL);
    const hid_t attribute = H5Acreate_by_name(writer->file, object, name, type, space, H5P_DEFAULT,
                                              H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0 || (size > 0 && H5Awrite(attribute, type, values) < 0))
        CHECK(tess_hdf_fail(TESS_ERROR_INTERNAL, "cannot write %s of %s", name, object));
done:
    tess_hdf_close(attribute);
    H5Sclose(space);
    return status;
}

/* Lays n texts side by side, all as wide as the longest; the caller frees *packed. */
static tess_status pack_texts(int n, const char *const *texts, size_t *width, char **packed) {
    *width = 1;
    for (int i = 0; i < n; i++) {
        const size_t length = strlen(texts[i]);
        *width = length > *width ? length : *width;
    }
    TRY(tess_array_zeros(n, *width, (void **)packed));
    for (int i = 0; i < n; i++)
        memcpy(*packed + (size_t)i * *width, texts[i], strlen(texts[i]));
    return TESS_OK;
}

static tess_status write_text_attribute(tess_archive_writer *writer, const char *object,
                                        const char *name, int n, const char *const *texts) {
    tess_status status = TESS_OK;
    char *packed = NULL;
    size_t width = 0;
    hid_t type = -1;
    CHECK(pack_texts(n < 0 ? 1 : n, texts, &width, &packed));
    CHECK(tess_archive_text_type(width, &type));
    CHECK(write_attribute(writer, object, name, type, n, packed));
done:
    tess_hdf_close(type);
    free(packed);
    return status;
}

tess_status tess_archive_attribute_text(tess_archive_writer *writer, const char *object,
                                        const char *name, const char *text) {
    return write_text_attribute(writer, object, name, -1, &text);
}

tess_status tess_archive_attribute_texts(tess_archive_writer *writer, const char *object,
                                         const char *name, int n, const char *const *texts) {
    return write_text_attribute(writer, object, name, n, texts);
}

tess_status tess_archive_attribute_int(tess_archive_writer *writer, const char *object,
                                       const char *name, int64_t value) {
    return write_attribute(writer, object, name, H5T_STD_I64LE, -1, &value);
}

tess_status tess_archive_attribute_ints(tess_archive_writer *writer, const char *object,
                                        const char *name, int n, const int64_t *values) {
    return write_attribute(writer, object, name, H5T_STD_I64LE, n, values);
}

/* Less effort for more bytes: level 1 keeps a mesh of millions of elements near the disk's speed.
 */
static unsigned gzip_level(int64_t bytes) {
    return bytes <= 1 << 20 ? 6 : bytes <= 1 << 25 ? 4 : 1;
}

/* The creation properties of an array: chunks of whole rows, shuffle, gzip, fletcher32. */
static tess_status array_properties(int rank, const hsize_t *dims, size_t element_size,
                                    chunking *as, hid_t *out) {
    hsize_t chunk[TESS_ARCHIVE_MAX_RANK];
    int64_t row_bytes = (int64_t)element_size;
    for (int i = 0; i < rank; i++) {
        chunk[i] = dims[i] > 0 ? dims[i] : 1;
        row_bytes *= i > 0 ? (int64_t)chunk[i] : 1;
    }
    const int64_t bytes = row_bytes * (int64_t)chunk[0];
    const hsize_t rows = row_bytes < CHUNK_BYTES ? (hsize_t)(CHUNK_BYTES / row_bytes) : 1;
    chunk[0] = chunk[0] < rows ? chunk[0] : rows;
    *as = (chunking){.rank = rank,
                     .n_rows = rank > 0 ? dims[0] : 0,
                     .rows = chunk[0],
                     .row_bytes = (size_t)row_bytes,
                     .element_size = element_size,
                     .level = (int)gzip_level(bytes)};
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    if (properties < 0 || H5Pset_chunk(properties, rank, chunk) < 0 ||
        H5Pset_shuffle(properties) < 0 || H5Pset_deflate(properties, (unsigned)as->level) < 0 ||
        H5Pset_fletcher32(properties) < 0 || H5Pset_obj_track_times(properties, 0) < 0) {
        tess_hdf_close(properties);
        return tess_hdf_fail(TESS_ERROR_INTERNAL, "HDF5 lacks a filter");
    }
    *out = properties;
    return TESS_OK;
}

/* An array in memory, and its type in the file. */
typedef struct array {
    hid_t file_type, memory_type;
    int rank;
    const int64_t *dims;
    const void *values; /* NULL where a dimension is 0 */
} array;

/* Arrays of several chunks are packed in parallel, where their values need no conversion. */
static tess_status write_values(hid_t dataset, const array *from, const chunking *as,
                                const char *path) {
    enum { WORTH_IT = 4 };
    if (as->n_rows >= WORTH_IT * as->rows && H5Tequal(from->file_type, from->memory_type) > 0)
        return write_chunks(dataset, as, from->values);
    if (H5Dwrite(dataset, from->memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, from->values) < 0)
        return tess_hdf_fail(TESS_ERROR_MEMORY, "cannot write the array %s", path);
    return TESS_OK;
}

static void close_all(hid_t dataset, hid_t properties, hid_t space) {
    tess_hdf_close(dataset);
    tess_hdf_close(properties);
    tess_hdf_close(space);
}

/* Writes an array; unit NULL: texts. */
static tess_status write_dataset(tess_archive_writer *writer, const char *path, const array *from,
                                 const char *unit) {
    tess_status status = TESS_OK;
    hsize_t sizes[TESS_ARCHIVE_MAX_RANK] = {0};
    int64_t n = 1;
    for (int i = 0; i < from->rank; i++) {
        sizes[i] = (hsize_t)from->dims[i];
        n *= from->dims[i];
    }
    chunking chunks;
    hid_t properties = -1, dataset = -1;
    const hid_t space = H5Screate_simple(from->rank, sizes, NULL);
    CHECK(make_groups_before(writer, path));
    CHECK(array_properties(from->rank, sizes, H5Tget_size(from->file_type), &chunks, &properties));
    dataset = H5Dcreate2(writer->file, path, from->file_type, space, H5P_DEFAULT, properties,
                         H5P_DEFAULT);
    if (dataset < 0)
        CHECK(tess_hdf_fail(TESS_ERROR_MEMORY, "cannot write the array %s", path));
    if (n > 0)
        CHECK(write_values(dataset, from, &chunks, path));
    if (unit)
        CHECK(tess_archive_attribute_text(writer, path, "unit", unit));
done:
    close_all(dataset, properties, space);
    return status;
}

tess_status tess_archive_write_matrix(tess_archive_writer *writer, const char *path,
                                      tess_archive_type type, const int64_t dims[2],
                                      const void *values) {
    const hid_t number = tess_archive_number_type(type);
    return write_dataset(writer, path, &(array){number, number, 2, dims, values}, "1");
}

tess_status tess_archive_write_vector(tess_archive_writer *writer, const char *path,
                                      tess_archive_type type, int64_t n, const void *values,
                                      const char *unit) {
    const hid_t number = tess_archive_number_type(type);
    return write_dataset(writer, path, &(array){number, number, 1, &n, values}, unit);
}

/* A scalar lies in its object's header, whose checksum covers it. */
static tess_status write_scalar(tess_archive_writer *writer, const char *path,
                                tess_archive_type type, const void *value, const char *unit) {
    tess_status status = TESS_OK;
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    hid_t dataset = -1;
    if (space < 0 || properties < 0 || H5Pset_layout(properties, H5D_COMPACT) < 0 ||
        H5Pset_obj_track_times(properties, 0) < 0)
        CHECK(tess_hdf_fail(TESS_ERROR_INTERNAL, "HDF5 has no compact layout"));
    CHECK(make_groups_before(writer, path));
    dataset = H5Dcreate2(writer->file, path, tess_archive_number_type(type), space, H5P_DEFAULT,
                         properties, H5P_DEFAULT);
    if (dataset < 0 ||
        H5Dwrite(dataset, tess_archive_number_type(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, value) < 0)
        CHECK(tess_hdf_fail(TESS_ERROR_MEMORY, "cannot write the number %s", path));
    CHECK(tess_archive_attribute_text(writer, path, "unit", unit));
done:
    close_all(dataset, properties, space);
    return status;
}

tess_status tess_archive_write_double(tess_archive_writer *writer, const char *path, double value,
                                      const char *unit) {
    return write_scalar(writer, path, TESS_ARCHIVE_DOUBLE, &value, unit);
}

tess_status tess_archive_write_int(tess_archive_writer *writer, const char *path, int64_t value,
                                   const char *unit) {
    return write_scalar(writer, path, TESS_ARCHIVE_INT64, &value, unit);
}

tess_status tess_archive_write_texts(tess_archive_writer *writer, const char *path, int n,
                                     const char *const *texts) {
    tess_status status = TESS_OK;
    char *packed = NULL;
    size_t width = 0;
    hid_t type = -1;
    CHECK(pack_texts(n, texts, &width, &packed));
    CHECK(tess_archive_text_type(width, &type));
    CHECK(write_dataset(writer, path, &(array){type, type, 1, &(int64_t){n}, packed}, NULL));
done:
    tess_hdf_close(type);
    free(packed);
    return status;
}

tess_status tess_archive_write_table(tess_archive_writer *writer, const char *path,
                                     const tess_archive_row *layout, int64_t n_rows,
                                     const void *rows, const char *unit) {
    tess_status status = TESS_OK;
    hid_t memory_type = -1, file_type = -1;
    CHECK(tess_archive_row_type(layout, -1, &memory_type));
    file_type = H5Tcopy(memory_type);
    if (file_type < 0 || H5Tpack(file_type) < 0)
        CHECK(tess_hdf_fail(TESS_ERROR_INTERNAL, "cannot pack the rows of %s", path));
    CHECK(write_dataset(writer, path, &(array){file_type, memory_type, 1, &n_rows, rows}, unit));
done:
    tess_hdf_close(file_type);
    tess_hdf_close(memory_type);
    return status;
}

tess_status tess_archive_commit(tess_archive_writer *writer, const char *path) {
    return tess_hdf_commit(writer->made, path);
}
