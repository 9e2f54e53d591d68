/* An HDF5 file in the making: in memory, and written to disk whole when it is finished. */
#include "core/base/hdf_file.h"

#include "core/base/array.h"
#include "core/base/interrupt.h"
#include "core/base/print_args.h"
#include "core/base/whole_file.h"
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    GROWTH = 1 << 20, /* bytes by which the file in memory grows */
    VERSION_AT = 8,   /* byte of the superblock that is its version */
    CHUNK_BYTES = 1 << 20,
    GZIP_LEVEL = 1 /* shuffled first: higher levels cost seconds and save a tenth */
};

static pthread_mutex_t used = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

void tess_hdf_take(void) {
    pthread_mutex_lock(&used);
}

void tess_hdf_leave(void) {
    pthread_mutex_unlock(&used);
}

/* HDF5 is told to use these for the file's memory; at the end it is kept instead of freed. */
static void *image_alloc(size_t size, H5FD_file_image_op_t step, void *image) {
    (void)step;
    (void)image;
    return malloc(size);
}

static void *image_grow(void *bytes, size_t size, H5FD_file_image_op_t step, void *image) {
    (void)step;
    (void)image;
    return realloc(bytes, size);
}

static herr_t image_keep(void *bytes, H5FD_file_image_op_t step, void *context) {
    tess_hdf_file *file = context;
    if (step == H5FD_FILE_IMAGE_OP_FILE_CLOSE)
        file->bytes = bytes;
    else
        free(bytes);
    return 0;
}

static void *same_context(void *image) {
    return image;
}

static herr_t leave_context(void *image) {
    (void)image;
    return 0;
}

void tess_hdf_close(hid_t id) {
    if (id >= 0)
        H5Idec_ref(id);
}

static tess_status open_in_memory(tess_hdf_file *file, H5F_libver_t oldest) {
    tess_status status = TESS_OK;
    H5FD_file_image_callbacks_t callbacks = {.image_malloc = image_alloc,
                                             .image_realloc = image_grow,
                                             .image_free = image_keep,
                                             .udata_copy = same_context,
                                             .udata_free = leave_context,
                                             .udata = file};
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS), creation = H5Pcreate(H5P_FILE_CREATE);
    if (access < 0 || creation < 0 || H5Pset_obj_track_times(creation, 0) < 0 ||
        H5Pset_fapl_core(access, GROWTH, 0) < 0 ||
        H5Pset_file_image_callbacks(access, &callbacks) < 0 ||
        H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) < 0 ||
        H5Pset_libver_bounds(access, oldest, H5F_LIBVER_V110) < 0)
        CHECK(tess_hdf_fail(TESS_ERROR_INTERNAL, "HDF5 has no files in memory"));
    file->id = H5Fcreate("in memory", H5F_ACC_TRUNC, creation, access);
    if (file->id < 0)
        CHECK(tess_hdf_fail(TESS_ERROR_MEMORY, "no HDF5 file in memory"));
done:
    tess_hdf_close(creation);
    tess_hdf_close(access);
    return status;
}

tess_status tess_hdf_create(H5F_libver_t oldest, tess_hdf_file **out) {
    tess_status status = TESS_OK;
    tess_hdf_file *file = NULL;
    CHECK(TESS_ALLOC(1, &file));
    tess_hdf_take();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    *file = (tess_hdf_file){.id = -1};
    CHECK(open_in_memory(file, oldest));
    *out = TESS_TAKE(file);
done:
    tess_hdf_free(file);
    return status;
}

void tess_hdf_free(tess_hdf_file *file) {
    if (!file)
        return;
    if (file->id >= 0)
        H5Fclose(file->id);
    free(file->bytes);
    free(file);
    tess_hdf_leave();
}

/* The size of a closed file: its memory is rounded up, but the superblock says where it ends. */
static uint64_t file_size(const char *bytes) {
    static const size_t end_at[] = {40, 44, 28, 28}; /* by version (HDF5's file format, II.A) */
    uint64_t size;
    memcpy(&size, bytes + end_at[bytes[VERSION_AT] & 3], sizeof size);
    return size;
}

tess_status tess_hdf_finish(tess_hdf_file *file, const char **bytes, uint64_t *size) {
    const herr_t closed = H5Fclose(file->id);
    file->id = -1;
    if (closed < 0 || !file->bytes)
        return tess_hdf_fail(TESS_ERROR_MEMORY, "cannot finish a HDF5 file in memory");
    *bytes = file->bytes;
    *size = file_size(file->bytes);
    return TESS_OK;
}

tess_status tess_hdf_commit(tess_hdf_file *file, const char *path) {
    const char *bytes = NULL;
    uint64_t size = 0;
    TRY(tess_fail_at(tess_hdf_finish(file, &bytes, &size), "%s", path));
    return tess_whole_file_write(path, bytes, size);
}

/* Keeps the innermost words of HDF5's error stack: the cause. */
static herr_t keep_words(unsigned depth, const H5E_error2_t *error, void *words) {
    (void)depth;
    if (error->desc && *error->desc)
        *(const char **)words = error->desc;
    return 0;
}

tess_status tess_hdf_fail(tess_status code, const char *format, ...) {
    char ours[1024];
    TESS_PRINT_ARGS(ours, format);
    const char *theirs = NULL;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keep_words, &theirs);
    const tess_status failed =
        theirs ? tess_fail(code, "%s (HDF5: %s)", ours, theirs) : tess_fail(code, "%s", ours);
    H5Eclear2(H5E_DEFAULT);
    return failed;
}

static tess_status cannot_write(const char *what, const char *name) {
    return tess_hdf_fail(TESS_ERROR_IO, "cannot write %s '%s'", what, name);
}

tess_status tess_hdf_group(hid_t parent, const char *name, hid_t *group) {
    *group = H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    return *group < 0 ? cannot_write("group", name) : TESS_OK;
}

static hsize_t rows_of_chunk(hsize_t row_bytes, hsize_t n_rows) {
    const hsize_t rows = CHUNK_BYTES / (row_bytes ? row_bytes : 1);
    return rows < 1 ? 1 : rows > n_rows ? n_rows : rows;
}

/* Chunks of about CHUNK_BYTES with the built-in filters; an empty array needs none, and HDF5
 * filters no texts of variable length. */
static hid_t creation_properties(hid_t type, int rank, const hsize_t *dims) {
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    if (dims[0] == 0 || H5Tis_variable_str(type) > 0)
        return properties;
    const hsize_t chunk[2] = {rows_of_chunk(H5Tget_size(type) * dims[1], dims[0]), dims[1]};
    H5Pset_chunk(properties, rank, chunk);
    if (dims[0] > 1) {
        H5Pset_shuffle(properties);
        H5Pset_deflate(properties, GZIP_LEVEL);
    }
    H5Pset_fletcher32(properties);
    return properties;
}

/* Writes rows in pieces of 16 chunks. Once time is over the file is given up; an interrupt lets it
 * be finished. */
static tess_status write_rows(hid_t array, hid_t memory, int rank, const hsize_t *dims,
                              const char *name, const void *values) {
    const hsize_t row_bytes = H5Tget_size(memory) * dims[1];
    const hsize_t most = 16 * rows_of_chunk(row_bytes, dims[0]);
    const hid_t space = H5Dget_space(array);
    tess_status status = TESS_OK;
    for (hsize_t first[2] = {0, 0}, n[2]; first[0] < dims[0]; first[0] += n[0]) {
        n[0] = most < dims[0] - first[0] ? most : dims[0] - first[0];
        n[1] = dims[1];
        CHECK(tess_interrupt_is_due() ? tess_fail(TESS_ERROR_INTERRUPTED, "interrupted") : TESS_OK);
        const hid_t piece = H5Screate_simple(rank, n, NULL);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, n, NULL);
        const herr_t written = H5Dwrite(array, memory, piece, space, H5P_DEFAULT,
                                        (const char *)values + first[0] * row_bytes);
        H5Sclose(piece);
        if (written < 0)
            CHECK(cannot_write("array", name));
    }
done:
    H5Sclose(space);
    return status;
}

tess_status tess_hdf_write(hid_t parent, const char *name, hid_t memory, int64_t rows,
                           int64_t columns, const void *values) {
    const int rank = columns > 0 ? 2 : 1;
    const hsize_t dims[2] = {(hsize_t)rows, (hsize_t)(columns > 0 ? columns : 1)};
    const hid_t space = H5Screate_simple(rank, dims, NULL);
    const hid_t properties = creation_properties(memory, rank, dims);
    const hid_t array =
        H5Dcreate2(parent, name, memory, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    tess_status status = array < 0 ? cannot_write("array", name)
                                   : write_rows(array, memory, rank, dims, name, values);
    if (array >= 0 && H5Dclose(array) < 0 && status == TESS_OK)
        status = cannot_write("array", name);
    H5Pclose(properties);
    H5Sclose(space);
    return status;
}

static tess_status attribute_write(hid_t object, const char *name, hid_t type, hid_t space,
                                   const void *value) {
    const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const herr_t written = attribute < 0 ? -1 : H5Awrite(attribute, type, value);
    const tess_status status = written < 0 ? cannot_write("attribute", name) : TESS_OK;
    tess_hdf_close(attribute);
    H5Sclose(space);
    return status;
}

tess_status tess_hdf_attribute_text(hid_t object, const char *name, const char *text) {
    const size_t length = strlen(text);
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, length ? length : 1);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    const tess_status status =
        attribute_write(object, name, type, H5Screate(H5S_SCALAR), length ? text : "\0");
    H5Tclose(type);
    return status;
}

tess_status tess_hdf_attribute_ints(hid_t object, const char *name, int n, const int64_t *values) {
    const hsize_t size = (hsize_t)n;
    return attribute_write(object, name, H5T_NATIVE_INT64, H5Screate_simple(1, &size, NULL),
                           values);
}
