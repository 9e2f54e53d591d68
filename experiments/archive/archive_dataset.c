/* An archive, a HDF5 file of the lab, open for reading: its arrays, texts and tables. */
#include "experiments/archive/archive_dataset.h"

#include "core/base/array.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEFLATE_RATIO = 1100,  /* gzip makes nothing smaller than by 1032 */
    SLACK_BYTES = 1 << 12, /* for arrays so small that headers outweigh them */
    MAX_DEPTH = 8,         /* of groups in groups */
    MAX_OBJECTS = 100000
};

/* An open dataset of at most TESS_ARCHIVE_MAX_RANK dimensions, its size justified by the file's. */
typedef struct dataset {
    hid_t id, type;
    H5T_class_t class;
    H5D_layout_t layout;
    bool checksummed;
    int rank;
    int64_t dims[TESS_ARCHIVE_MAX_RANK];
    int64_t n; /* elements */
} dataset;

static void dataset_close(dataset *data) {
    if (data->type >= 0)
        H5Tclose(data->type);
    if (data->id >= 0)
        H5Dclose(data->id);
}

static tess_status read_extent(const tess_archive_reader *reader, const char *path, dataset *data) {
    hsize_t sizes[H5S_MAX_RANK];
    const hid_t space = H5Dget_space(data->id);
    data->rank = space >= 0 ? H5Sget_simple_extent_dims(space, sizes, NULL) : -1;
    const H5S_class_t extent = space >= 0 ? H5Sget_simple_extent_type(space) : H5S_NO_CLASS;
    if (space >= 0)
        H5Sclose(space);
    if (data->rank < 0 || data->rank > TESS_ARCHIVE_MAX_RANK || extent == H5S_NULL ||
        extent == H5S_NO_CLASS)
        return tess_archive_damaged(reader, "%s has no size that a lab's arrays have", path);
    data->n = 1;
    for (int i = 0; i < data->rank; i++) {
        data->dims[i] = (int64_t)sizes[i];
        if (sizes[i] > INT64_MAX || __builtin_mul_overflow(data->n, data->dims[i], &data->n))
            return tess_archive_damaged(reader, "%s claims more elements than can be", path);
    }
    return TESS_OK;
}

/* Bytes that one chunk takes in memory, 0 where there are none. */
static int64_t chunk_bytes(hid_t properties, const dataset *data) {
    hsize_t chunk[TESS_ARCHIVE_MAX_RANK];
    int64_t bytes = (int64_t)H5Tget_size(data->type);
    if (data->layout != H5D_CHUNKED)
        return 0;
    if (H5Pget_chunk(properties, TESS_ARCHIVE_MAX_RANK, chunk) != data->rank)
        return INT64_MAX;
    for (int i = 0; i < data->rank; i++)
        if (__builtin_mul_overflow(bytes, (int64_t)chunk[i], &bytes))
            return INT64_MAX;
    return bytes;
}

/* Layout, filters, and whether the bytes in the file can be all that is claimed. */
static tess_status read_properties(const tess_archive_reader *reader, const char *path,
                                   dataset *data) {
    const hid_t properties = H5Dget_create_plist(data->id);
    if (properties < 0)
        return tess_archive_damaged(reader, "%s is damaged", path);
    data->layout = H5Pget_layout(properties);
    const int n_filters = H5Pget_nfilters(properties);
    bool known = true;
    for (int i = 0; i < n_filters; i++) {
        unsigned flags, config;
        size_t n_values = 0;
        const H5Z_filter_t filter =
            H5Pget_filter2(properties, (unsigned)i, &flags, &n_values, NULL, 0, NULL, &config);
        data->checksummed |= filter == H5Z_FILTER_FLETCHER32;
        known &= filter == H5Z_FILTER_FLETCHER32 || filter == H5Z_FILTER_SHUFFLE ||
                 filter == H5Z_FILTER_DEFLATE;
    }
    const int64_t chunk = chunk_bytes(properties, data);
    const bool external = H5Pget_external_count(properties) > 0;
    H5Pclose(properties);
    const bool contiguous = data->layout == H5D_CONTIGUOUS && reader->derived;
    if (!known || external ||
        (data->layout != H5D_CHUNKED && data->layout != H5D_COMPACT && !contiguous))
        return tess_archive_damaged(reader, "%s is stored in a way that labs never use", path);
    if (data->layout == H5D_COMPACT)
        return TESS_OK; /* in its header: HDF5 has checked the size */
    int64_t bytes = 0;
    const int64_t justified = (int64_t)H5Dget_storage_size(data->id) * DEFLATE_RATIO;
    if (__builtin_mul_overflow(data->n, (int64_t)H5Tget_size(data->type), &bytes) ||
        bytes > justified || (data->n > 0 && chunk > justified + SLACK_BYTES))
        return tess_archive_damaged(reader, "%s claims more than the file can hold", path);
    return TESS_OK;
}

static tess_status dataset_open(const tess_archive_reader *reader, const char *path,
                                dataset *data) {
    *data = (dataset){.id = -1, .type = -1};
    if (!tess_archive_exists(reader, path))
        return tess_archive_damaged(reader, "%s is missing", path);
    data->id = H5Dopen2(reader->file, path, H5P_DEFAULT);
    data->type = data->id >= 0 ? H5Dget_type(data->id) : -1;
    if (data->type < 0)
        return tess_archive_damaged(reader, "%s is not an array, or it is damaged", path);
    data->class = H5Tget_class(data->type);
    if (H5Tdetect_class(data->type, H5T_VLEN) > 0 ||
        H5Tdetect_class(data->type, H5T_REFERENCE) > 0 || H5Tis_variable_str(data->type) > 0)
        return tess_archive_damaged(reader, "%s has a type that labs never use", path);
    TRY(read_extent(reader, path, data));
    return read_properties(reader, path, data);
}

static tess_status dataset_read(const tess_archive_reader *reader, const char *path,
                                const dataset *data, hid_t memory_type, void *values) {
    if (data->n > 0 && H5Dread(data->id, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
        return tess_archive_damaged(reader, "%s cannot be read: its checksum or content is wrong",
                                    path);
    return TESS_OK;
}

static bool is_number(const dataset *data) {
    return data->class == H5T_INTEGER || data->class == H5T_FLOAT;
}

tess_status tess_archive_type_of(const tess_archive_reader *reader, const char *path,
                                 tess_archive_type *type) {
    tess_status status = TESS_OK;
    dataset data;
    CHECK(dataset_open(reader, path, &data));
    if (!is_number(&data))
        CHECK(tess_archive_damaged(reader, "%s is not an array of numbers", path));
    const size_t size = H5Tget_size(data.type);
    if (data.class == H5T_FLOAT)
        *type = size <= sizeof(float) ? TESS_ARCHIVE_FLOAT : TESS_ARCHIVE_DOUBLE;
    else
        *type = size <= sizeof(int32_t) ? TESS_ARCHIVE_INT32 : TESS_ARCHIVE_INT64;
done:
    dataset_close(&data);
    return status;
}

tess_status tess_archive_read_array(const tess_archive_reader *reader, const char *path,
                                    tess_archive_type type, int rank, int64_t *dims, void **out) {
    tess_status status = TESS_OK;
    dataset data;
    void *values = NULL;
    CHECK(dataset_open(reader, path, &data));
    if (data.rank != rank || !is_number(&data))
        CHECK(tess_archive_damaged(reader, "%s is not an array of numbers of rank %d", path, rank));
    for (int i = 0; i < rank; i++) {
        if (dims[i] >= 0 && dims[i] != data.dims[i])
            CHECK(tess_archive_damaged(reader, "%s has %lld elements along axis %d, not %lld", path,
                                       (long long)data.dims[i], i, (long long)dims[i]));
        dims[i] = data.dims[i];
    }
    CHECK(tess_array_alloc(data.n, tess_archive_type_size(type), &values));
    CHECK(dataset_read(reader, path, &data, tess_archive_memory_type(type), values));
    *out = values;
    values = NULL;
done:
    free(values);
    dataset_close(&data);
    return status;
}

tess_status tess_archive_read_vector(const tess_archive_reader *reader, const char *path,
                                     tess_archive_type type, int64_t n, void **out) {
    return tess_archive_read_array(reader, path, type, 1, &n, out);
}

static tess_status read_scalar(const tess_archive_reader *reader, const char *path,
                               hid_t memory_type, void *out) {
    tess_status status = TESS_OK;
    dataset data;
    CHECK(dataset_open(reader, path, &data));
    if (data.n != 1 || !is_number(&data))
        CHECK(tess_archive_damaged(reader, "%s is not a number", path));
    CHECK(dataset_read(reader, path, &data, memory_type, out));
done:
    dataset_close(&data);
    return status;
}

tess_status tess_archive_read_double(const tess_archive_reader *reader, const char *path,
                                     double *out) {
    return read_scalar(reader, path, H5T_NATIVE_DOUBLE, out);
}

tess_status tess_archive_read_int(const tess_archive_reader *reader, const char *path,
                                  int64_t *out) {
    return read_scalar(reader, path, H5T_NATIVE_INT64, out);
}

/* Cuts n texts of `width` bytes apart. */
static tess_status unpack_texts(const char *packed, size_t width, int n, char ***out) {
    char **texts = NULL;
    TRY(TESS_ZEROS(n, &texts));
    for (int i = 0; i < n; i++) {
        texts[i] = strndup(packed + (size_t)i * width, width);
        if (!texts[i]) {
            tess_archive_names_free(texts, n);
            FAIL(TESS_ERROR_MEMORY, "out of memory for %d texts", n);
        }
    }
    *out = texts;
    return TESS_OK;
}

tess_status tess_archive_read_texts(const tess_archive_reader *reader, const char *path,
                                    char ***texts, int *n) {
    tess_status status = TESS_OK;
    dataset data;
    char *packed = NULL;
    CHECK(dataset_open(reader, path, &data));
    if (data.rank != 1 || data.class != H5T_STRING || data.n > INT32_MAX)
        CHECK(tess_archive_damaged(reader, "%s is not an array of texts", path));
    const size_t width = H5Tget_size(data.type);
    CHECK(tess_array_alloc(data.n, width, (void **)&packed));
    CHECK(dataset_read(reader, path, &data, data.type, packed));
    CHECK(unpack_texts(packed, width, (int)data.n, texts));
    *n = (int)data.n;
done:
    free(packed);
    dataset_close(&data);
    return status;
}

tess_status tess_archive_text_width(const tess_archive_reader *reader, const char *path,
                                    const char *column, size_t *width) {
    tess_status status = TESS_OK;
    dataset data;
    hid_t type = -1;
    CHECK(dataset_open(reader, path, &data));
    if (data.class != H5T_COMPOUND)
        CHECK(tess_archive_damaged(reader, "%s is not a table", path));
    const int member = H5Tget_member_index(data.type, column);
    type = member >= 0 ? H5Tget_member_type(data.type, (unsigned)member) : -1;
    *width = type >= 0 ? H5Tget_size(type) : 0;
done:
    if (type >= 0)
        H5Tclose(type);
    dataset_close(&data);
    return status;
}

/* A column of text here is a text there, and a number a number. */
static tess_status check_columns(const tess_archive_reader *reader, const char *path, hid_t table,
                                 const tess_archive_column *columns, int n_columns) {
    for (int i = 0; i < n_columns; i++) {
        const int member = H5Tget_member_index(table, columns[i].name);
        if (member < 0)
            continue;
        const H5T_class_t class = H5Tget_member_class(table, (unsigned)member);
        const bool text = columns[i].type == TESS_ARCHIVE_TEXT;
        if (text ? class != H5T_STRING : class != H5T_INTEGER && class != H5T_FLOAT)
            return tess_archive_damaged(reader, "the column %s of %s has a wrong type",
                                        columns[i].name, path);
    }
    return TESS_OK;
}

static void close_texts(char *row, const tess_archive_column *columns, int n_columns) {
    for (int i = 0; i < n_columns; i++)
        if (columns[i].type == TESS_ARCHIVE_TEXT)
            row[columns[i].offset + columns[i].width - 1] = '\0';
}

tess_status tess_archive_read_table(const tess_archive_reader *reader, const char *path,
                                    const tess_archive_column *columns, int n_columns,
                                    size_t row_size, int64_t *n_rows, void **rows) {
    tess_status status = TESS_OK;
    dataset data;
    hid_t type = -1;
    char *values = NULL;
    CHECK(dataset_open(reader, path, &data));
    if (data.rank != 1 || data.class != H5T_COMPOUND)
        CHECK(tess_archive_damaged(reader, "%s is not a table", path));
    CHECK(check_columns(reader, path, data.type, columns, n_columns));
    CHECK(tess_archive_row_type(columns, n_columns, row_size, data.type, &type));
    CHECK(tess_array_zeros(data.n, row_size, (void **)&values));
    if (H5Tget_nmembers(type) > 0)
        CHECK(dataset_read(reader, path, &data, type, values));
    for (int64_t i = 0; i < data.n; i++)
        close_texts(values + (size_t)i * row_size, columns, n_columns);
    *n_rows = data.n;
    *rows = values;
    values = NULL;
done:
    free(values);
    if (type >= 0)
        H5Tclose(type);
    dataset_close(&data);
    return status;
}

/* True for texts of variable length, which HDF5 neither filters nor checks. */
static bool is_variable_text(const tess_archive_reader *reader, const char *path) {
    const hid_t id = H5Dopen2(reader->file, path, H5P_DEFAULT);
    const hid_t type = id >= 0 ? H5Dget_type(id) : -1;
    const bool variable = type >= 0 && H5Tis_variable_str(type) > 0;
    if (type >= 0)
        H5Tclose(type);
    if (id >= 0)
        H5Dclose(id);
    return variable;
}

static tess_status verify_dataset(const tess_archive_reader *reader, const char *path) {
    tess_status status = TESS_OK;
    dataset data;
    void *values = NULL;
    if (reader->derived && is_variable_text(reader, path))
        return TESS_OK;
    CHECK(dataset_open(reader, path, &data));
    if (data.layout == H5D_CHUNKED && !data.checksummed && !reader->derived)
        CHECK(tess_archive_damaged(reader, "%s has no checksum", path));
    if (is_number(&data) && !reader->derived && !tess_archive_has_attribute(reader, path, "unit"))
        CHECK(tess_archive_damaged(reader, "%s has no unit", path));
    CHECK(tess_array_alloc(data.n, H5Tget_size(data.type), &values));
    CHECK(dataset_read(reader, path, &data, data.type, values));
done:
    free(values);
    dataset_close(&data);
    return status;
}

static tess_status verify_group(const tess_archive_reader *reader, const char *path, int depth,
                                int *n_objects) {
    tess_status status = TESS_OK;
    char **names = NULL;
    int n = 0;
    char child[512];
    CHECK(tess_archive_names(reader, path, &names, &n));
    for (int i = 0; i < n; i++) {
        H5O_info_t about;
        const int length = snprintf(child, sizeof child, "%s%s%s", path,
                                    strcmp(path, "/") == 0 ? "" : "/", names[i]);
        if (length >= (int)sizeof child || depth >= MAX_DEPTH || ++*n_objects > MAX_OBJECTS)
            CHECK(tess_archive_damaged(reader, "%s has more groups than a lab's files have", path));
        if (!tess_archive_exists(reader, child) ||
            H5Oget_info_by_name2(reader->file, child, &about, H5O_INFO_BASIC, H5P_DEFAULT) < 0)
            CHECK(tess_archive_damaged(reader, "%s cannot be read", child));
        if (about.type == H5O_TYPE_GROUP)
            CHECK(verify_group(reader, child, depth + 1, n_objects));
        else
            CHECK(verify_dataset(reader, child));
    }
done:
    tess_archive_names_free(names, n);
    return status;
}

tess_status tess_archive_read_all(const tess_archive_reader *reader) {
    int n_objects = 0;
    return verify_group(reader, "/", 0, &n_objects);
}

tess_status tess_archive_verify(const char *path, const char *kind) {
    tess_archive_reader *file = NULL;
    TRY(tess_archive_open(path, kind, &file));
    const tess_status status = tess_archive_read_all(file);
    tess_archive_reader_free(file);
    return status;
}

tess_status tess_archive_verify_derived(const char *path) {
    tess_archive_reader *file = NULL;
    TRY(tess_archive_open_derived(path, &file));
    const tess_status status = tess_archive_read_all(file);
    tess_archive_reader_free(file);
    return status;
}
