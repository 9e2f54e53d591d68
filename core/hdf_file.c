/* An HDF5 file in the making: whole when it appears, never torn. */
#include "core/hdf_file.h"

#include "core/array.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum { CHUNK_BYTES = 1 << 20 };

/* Keeps the innermost description of HDF5's error stack, which names the system's own reason. */
static herr_t keep_reason(unsigned n, const H5E_error2_t *error, void *reason) {
    if (n == 0)
        snprintf(reason, 256, "%s", error->desc ? error->desc : "");
    return 0;
}

static tess_status hdf_fail(const char *what, const char *name) {
    char reason[256] = "";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_reason, reason);
    H5Eclear2(H5E_DEFAULT);
    FAIL(TESS_ERROR_IO, "cannot write %s '%s': %s", what, name,
         reason[0] ? reason : strerror(errno));
}

/* Gives a name beside `path` that no other writer on any machine uses. */
static tess_status temporary_name(const char *path, char **out) {
    uint64_t random = 0;
    if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
        FAIL(TESS_ERROR_IO, "no random number for a temporary name: %s", strerror(errno));
    const size_t size = strlen(path) + sizeof ".0123456789abcdef.tmp";
    TRY(TESS_ALLOC((int64_t)size, out));
    snprintf(*out, size, "%s.%016" PRIx64 ".tmp", path, random);
    return TESS_OK;
}

static void file_free(tess_hdf_file *file) {
    free(file->path);
    free(file->temporary);
    free(file);
}

tess_status tess_hdf_create(const char *path, tess_hdf_file **out) {
    tess_status status = TESS_OK;
    tess_hdf_file *file = NULL;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* a library does not print */
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    CHECK(TESS_ZEROS(1, &file));
    file->id = H5I_INVALID_HID;
    CHECK(tess_text_copy(path, &file->path));
    CHECK(temporary_name(path, &file->temporary));
    /* Nobody else knows the name, and locks fail on some network file systems. */
    H5Pset_file_locking(access, 0, 1);
    H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V110);
    file->id = H5Fcreate(file->temporary, H5F_ACC_EXCL, H5P_DEFAULT, access);
    if (file->id < 0)
        CHECK(hdf_fail("file", path));
    *out = file;
    file = NULL;
done:
    if (file)
        file_free(file);
    H5Pclose(access);
    return status;
}

/* Syncs a file or a folder to the disk. */
static tess_status sync_path(const char *path, int flags) {
    const int descriptor = open(path, flags);
    if (descriptor < 0)
        FAIL(TESS_ERROR_IO, "cannot open '%s' to sync it: %s", path, strerror(errno));
    const int result = fsync(descriptor);
    const int reason = errno;
    close(descriptor);
    if (result != 0 && reason != EINVAL) /* EINVAL: a file system that has nothing to sync */
        FAIL(TESS_ERROR_IO, "cannot sync '%s': %s", path, strerror(reason));
    return TESS_OK;
}

static tess_status sync_folder_of(const char *path) {
    char *folder = NULL;
    TRY(tess_text_copy(path, &folder));
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = '\0';
    const tess_status status = sync_path(slash ? folder : ".", O_RDONLY | O_DIRECTORY);
    free(folder);
    return status;
}

tess_status tess_hdf_commit(tess_hdf_file *file) {
    tess_status status = TESS_OK;
    const herr_t flushed = H5Fflush(file->id, H5F_SCOPE_GLOBAL);
    if (flushed < 0)
        CHECK(hdf_fail("file", file->path));
    const herr_t closed = H5Fclose(file->id);
    file->id = H5I_INVALID_HID;
    if (closed < 0)
        CHECK(hdf_fail("file", file->path));
    CHECK(sync_path(file->temporary, O_RDONLY));
    if (rename(file->temporary, file->path) != 0)
        CHECK(tess_fail(TESS_ERROR_IO, "cannot write '%s': %s", file->path, strerror(errno)));
    CHECK(sync_folder_of(file->path));
    file_free(file);
    file = NULL;
done:
    tess_hdf_discard(file);
    return status;
}

void tess_hdf_discard(tess_hdf_file *file) {
    if (!file)
        return;
    if (file->id >= 0)
        H5Fclose(file->id);
    unlink(file->temporary);
    file_free(file);
}

tess_status tess_hdf_group(hid_t parent, const char *name, hid_t *group) {
    *group = H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    return *group < 0 ? hdf_fail("group", name) : TESS_OK;
}

/* Chunks of about CHUNK_BYTES with the built-in filters; an empty array needs none, and HDF5
 * filters no texts of variable length. */
static hid_t creation_properties(hid_t type, int rank, const hsize_t *dims, int level) {
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    if (dims[0] == 0 || H5Tis_variable_str(type) > 0)
        return properties;
    const hsize_t row_bytes = H5Tget_size(type) * (rank == 2 ? dims[1] : 1);
    hsize_t rows = CHUNK_BYTES / (row_bytes ? row_bytes : 1);
    rows = rows < 1 ? 1 : rows > dims[0] ? dims[0] : rows;
    const hsize_t chunk[2] = {rows, rank == 2 ? dims[1] : 1};
    H5Pset_chunk(properties, rank, chunk);
    if (level > 0) {
        H5Pset_shuffle(properties);
        H5Pset_deflate(properties, (unsigned)level);
    }
    H5Pset_fletcher32(properties);
    return properties;
}

tess_status tess_hdf_write(hid_t parent, const char *name, hid_t memory, int64_t rows,
                           int64_t columns, int level, const void *values) {
    const int rank = columns > 0 ? 2 : 1;
    const hsize_t dims[2] = {(hsize_t)rows, (hsize_t)(columns > 0 ? columns : 1)};
    const hid_t space = H5Screate_simple(rank, dims, NULL);
    const hid_t properties = creation_properties(memory, rank, dims, level);
    const hid_t array =
        H5Dcreate2(parent, name, memory, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    herr_t written = array < 0 ? -1 : 0;
    if (written >= 0 && rows > 0)
        written = H5Dwrite(array, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    tess_status status = written < 0 ? hdf_fail("array", name) : TESS_OK;
    if (array >= 0 && H5Dclose(array) < 0 && status == TESS_OK)
        status = hdf_fail("array", name);
    H5Pclose(properties);
    H5Sclose(space);
    return status;
}

static tess_status attribute_write(hid_t object, const char *name, hid_t type, hid_t space,
                                   const void *value) {
    const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const herr_t written = attribute < 0 ? -1 : H5Awrite(attribute, type, value);
    const tess_status status = written < 0 ? hdf_fail("attribute", name) : TESS_OK;
    if (attribute >= 0)
        H5Aclose(attribute);
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

tess_status tess_hdf_attribute_real(hid_t object, const char *name, double value) {
    return attribute_write(object, name, H5T_NATIVE_DOUBLE, H5Screate(H5S_SCALAR), &value);
}
