/* An HDF5 file in the making: whole when it appears, never torn. */
#include "core/base/hdf_file.h"

#include "core/base/array.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    CHUNK_BYTES = 1 << 20,
    GZIP_LEVEL = 1 /* shuffled first: higher levels cost seconds and save a tenth */
};

static tess_status hdf_fail(const char *what, const char *name) {
    return tess_hdf_fail(TESS_ERROR_IO, "cannot write %s '%s'", what, name);
}

/* Fails early where a file cannot appear later. */
static tess_status check_folder_of(const char *path) {
    char *folder = NULL;
    TRY(tess_text_copy(path, &folder));
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = '\0';
    const int refused = access(slash ? folder : ".", W_OK | X_OK);
    free(folder);
    if (refused)
        FAIL(TESS_ERROR_IO, "cannot write '%s': %s", path, strerror(errno));
    return TESS_OK;
}

tess_status tess_hdf_create(const char *path, tess_hdf_file **out) {
    tess_status status = TESS_OK;
    tess_hdf_file *file = NULL;
    CHECK(check_folder_of(path));
    CHECK(TESS_ZEROS(1, &file));
    CHECK(tess_text_copy(path, &file->path));
    CHECK(tess_hdf_image_new(H5F_LIBVER_EARLIEST, &file->image));
    file->id = file->image->file;
    *out = file;
    file = NULL;
done:
    tess_hdf_discard(file);
    return status;
}

tess_status tess_hdf_commit(tess_hdf_file *file) {
    const tess_status status = tess_hdf_image_write(file->image, file->path);
    tess_hdf_discard(file);
    return status;
}

void tess_hdf_discard(tess_hdf_file *file) {
    if (!file)
        return;
    tess_hdf_image_free(file->image);
    free(file->path);
    free(file);
}

tess_status tess_hdf_group(hid_t parent, const char *name, hid_t *group) {
    *group = H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    return *group < 0 ? hdf_fail("group", name) : TESS_OK;
}

/* Chunks of about CHUNK_BYTES with the built-in filters; an empty array needs none, and HDF5
 * filters no texts of variable length. */
static hid_t creation_properties(hid_t type, int rank, const hsize_t *dims) {
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    if (dims[0] == 0 || H5Tis_variable_str(type) > 0)
        return properties;
    const hsize_t row_bytes = H5Tget_size(type) * (rank == 2 ? dims[1] : 1);
    hsize_t rows = CHUNK_BYTES / (row_bytes ? row_bytes : 1);
    rows = rows < 1 ? 1 : rows > dims[0] ? dims[0] : rows;
    const hsize_t chunk[2] = {rows, rank == 2 ? dims[1] : 1};
    H5Pset_chunk(properties, rank, chunk);
    if (dims[0] > 1) {
        H5Pset_shuffle(properties);
        H5Pset_deflate(properties, GZIP_LEVEL);
    }
    H5Pset_fletcher32(properties);
    return properties;
}

tess_status tess_hdf_write(hid_t parent, const char *name, hid_t memory, int64_t rows,
                           int64_t columns, const void *values) {
    const int rank = columns > 0 ? 2 : 1;
    const hsize_t dims[2] = {(hsize_t)rows, (hsize_t)(columns > 0 ? columns : 1)};
    const hid_t space = H5Screate_simple(rank, dims, NULL);
    const hid_t properties = creation_properties(memory, rank, dims);
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
