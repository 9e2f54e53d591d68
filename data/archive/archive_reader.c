/* An archive, a HDF5 file of the lab, open for reading. */
#include "data/archive/archive_reader.h"

#include "core/base/array.h"
#include "core/base/print_args.h"
#include "core/base/sort.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    DEFLATE_RATIO = 1100,  /* gzip makes nothing smaller than by 1032 */
    SLACK_BYTES = 1 << 12, /* for arrays so small that headers outweigh them */
    MAX_DEPTH = 8,         /* of groups in groups */
    MAX_OBJECTS = 100000
};

struct tess_archive_reader {
    char *path;
    hid_t file;
    bool derived; /* not of the lab's own format: no unit or checksum is asked for */
};

tess_status tess_archive_damaged(const tess_archive_reader *reader, const char *format, ...) {
    char message[1024];
    TESS_PRINT_ARGS(message, format);
    return tess_hdf_fail(TESS_ERROR_INPUT, "%s: %s", reader->path, message);
}

/* Opens without locks, and without plug-ins that a hostile file could name. */
static tess_status open_file(tess_archive_reader *reader) {
    tess_status status = TESS_OK;
    struct stat about;
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (stat(reader->path, &about) != 0)
        CHECK(tess_fail(TESS_ERROR_INPUT, "cannot open %s: %s", reader->path, strerror(errno)));
    if (!S_ISREG(about.st_mode))
        CHECK(tess_fail(TESS_ERROR_INPUT, "%s is not a file", reader->path));
    if (access < 0 || H5PLset_loading_state(0) < 0 || H5Pset_file_locking(access, 0, 1) < 0)
        CHECK(tess_hdf_fail(TESS_ERROR_INTERNAL, "HDF5 opens no files without locks"));
    reader->file = H5Fopen(reader->path, H5F_ACC_RDONLY, access);
    if (reader->file < 0)
        CHECK(tess_archive_damaged(reader, "this is not a HDF5 file, or it is damaged"));
done:
    tess_hdf_close(access);
    return status;
}

/* The major version from "3.1", or from a plain number that another program wrote. */
static tess_status check_version(const tess_archive_reader *reader) {
    char *version = NULL;
    int64_t major = 0;
    if (tess_archive_read_attribute_text(reader, "/", "schema_version", &version) == TESS_OK) {
        major = isdigit((unsigned char)*version) ? strtoll(version, NULL, 10) : 0;
        free(version);
    } else if (tess_archive_read_attribute_int(reader, "/", "schema_version", &major) != TESS_OK) {
        return tess_archive_damaged(reader, "not a file of a lab: it has no schema_version");
    }
    if (major < 1)
        return tess_archive_damaged(reader, "its schema_version is no version");
    if (major > TESS_SCHEMA_MAJOR)
        FAIL(TESS_ERROR_INPUT,
             "%s: written by a newer tess (schema %lld; this one reads up to %d): "
             "update tess to read it",
             reader->path, (long long)major, TESS_SCHEMA_MAJOR);
    return TESS_OK;
}

static tess_status check_kind(const tess_archive_reader *reader, const char *kind) {
    char *found = NULL;
    TRY(tess_archive_read_attribute_text(reader, "/", "kind", &found));
    const bool right = strcmp(found, kind) == 0;
    free(found);
    return right ? TESS_OK : tess_archive_damaged(reader, "this is not the file of a %s", kind);
}

tess_status tess_archive_open_any(const char *path, tess_archive_reader **out) {
    tess_status status = TESS_OK;
    tess_archive_reader *reader = NULL;
    CHECK(TESS_ZEROS(1, &reader));
    tess_hdf_take();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* a library does not print */
    reader->file = -1;
    reader->derived = true;
    CHECK(tess_text_copy(path, &reader->path));
    CHECK(open_file(reader));
    *out = TESS_TAKE(reader);
done:
    tess_archive_reader_free(reader);
    return status;
}

tess_status tess_archive_open(const char *path, const char *kind, tess_archive_reader **out) {
    tess_status status = TESS_OK;
    tess_archive_reader *reader = NULL;
    CHECK(tess_archive_open_any(path, &reader));
    reader->derived = false;
    CHECK(check_version(reader));
    if (kind)
        CHECK(check_kind(reader, kind));
    *out = TESS_TAKE(reader);
done:
    tess_archive_reader_free(reader);
    return status;
}

void tess_archive_reader_free(tess_archive_reader *reader) {
    if (!reader)
        return;
    if (reader->file >= 0)
        H5Fclose(reader->file);
    H5Eclear2(H5E_DEFAULT);
    free(reader->path);
    free(reader);
    tess_hdf_leave();
}

hid_t tess_archive_id(const tess_archive_reader *reader) {
    return reader->file;
}

bool tess_archive_exists(const tess_archive_reader *reader, const char *path) {
    char part[512];
    const size_t length = strlen(path);
    if (length >= sizeof part)
        return false;
    for (size_t i = 1; i <= length; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        H5L_info_t link;
        if (i > 1 &&
            (H5Lexists(reader->file, part, H5P_DEFAULT) <= 0 ||
             H5Lget_info(reader->file, part, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD))
            return false;
    }
    return H5Oexists_by_name(reader->file, path, H5P_DEFAULT) > 0;
}

typedef struct name_list {
    char **names;
    int64_t n, capacity;
    tess_status status;
} name_list;

static herr_t append_name(hid_t group, const char *name, const H5L_info_t *link, void *context) {
    (void)group;
    (void)link;
    name_list *list = context;
    list->status = TESS_RESERVE(list->n + 1, &list->capacity, &list->names);
    if (list->status == TESS_OK)
        list->status = tess_text_copy(name, &list->names[list->n]);
    list->n += list->status == TESS_OK;
    return list->status == TESS_OK ? 0 : -1;
}

/* In HDF5's own order: sorting, HDF5 1.10.8 frees what it never had when a group is damaged. */
tess_status tess_archive_names(const tess_archive_reader *reader, const char *group, char ***names,
                               int *n) {
    name_list list = {.status = TESS_OK};
    if (tess_archive_exists(reader, group) &&
        H5Literate_by_name(reader->file, group, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, append_name,
                           &list, H5P_DEFAULT) < 0) {
        tess_archive_names_free(list.names, (int)list.n);
        TRY(list.status);
        return tess_archive_damaged(reader, "cannot read the group %s", group);
    }
    if (list.n)
        qsort(list.names, (size_t)list.n, sizeof *list.names, tess_compare_texts);
    *names = list.names;
    *n = (int)list.n;
    return TESS_OK;
}

void tess_archive_names_free(char **names, int n) {
    for (int i = 0; i < n; i++)
        free(names[i]);
    free(names);
}

/* An open dataset of at most TESS_ARCHIVE_MAX_RANK dimensions, its size justified by the file's. */
typedef struct dataset {
    const tess_archive_reader *reader;
    const char *path;
    hid_t id, type;
    H5T_class_t class;
    H5D_layout_t layout;
    bool checksummed;
    int rank;
    int64_t dims[TESS_ARCHIVE_MAX_RANK];
    int64_t n; /* elements */
} dataset;

static void dataset_close(dataset *data) {
    tess_hdf_close(data->type);
    tess_hdf_close(data->id);
}

static tess_status read_extent(dataset *data) {
    hsize_t sizes[H5S_MAX_RANK];
    const hid_t space = H5Dget_space(data->id);
    data->rank = space >= 0 ? H5Sget_simple_extent_dims(space, sizes, NULL) : -1;
    const H5S_class_t extent = space >= 0 ? H5Sget_simple_extent_type(space) : H5S_NO_CLASS;
    tess_hdf_close(space);
    if (data->rank < 0 || data->rank > TESS_ARCHIVE_MAX_RANK || extent == H5S_NULL ||
        extent == H5S_NO_CLASS)
        return tess_archive_damaged(data->reader, "%s has no size that a lab's arrays have",
                                    data->path);
    data->n = 1;
    for (int i = 0; i < data->rank; i++) {
        data->dims[i] = (int64_t)sizes[i];
        if (sizes[i] > INT64_MAX || __builtin_mul_overflow(data->n, data->dims[i], &data->n))
            return tess_archive_damaged(data->reader, "%s claims more elements than can be",
                                        data->path);
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
static tess_status read_properties(dataset *data) {
    const hid_t properties = H5Dget_create_plist(data->id);
    if (properties < 0)
        return tess_archive_damaged(data->reader, "%s is damaged", data->path);
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
    const bool contiguous = data->layout == H5D_CONTIGUOUS && data->reader->derived;
    if (!known || external ||
        (data->layout != H5D_CHUNKED && data->layout != H5D_COMPACT && !contiguous))
        return tess_archive_damaged(data->reader, "%s is stored in a way that labs never use",
                                    data->path);
    if (data->layout == H5D_COMPACT)
        return TESS_OK; /* in its header: HDF5 has checked the size */
    int64_t bytes = 0;
    const int64_t justified = (int64_t)H5Dget_storage_size(data->id) * DEFLATE_RATIO;
    if (__builtin_mul_overflow(data->n, (int64_t)H5Tget_size(data->type), &bytes) ||
        bytes > justified || (data->n > 0 && chunk > justified + SLACK_BYTES))
        return tess_archive_damaged(data->reader, "%s claims more than the file can hold",
                                    data->path);
    return TESS_OK;
}

static tess_status dataset_open(const tess_archive_reader *reader, const char *path,
                                dataset *data) {
    *data = (dataset){.reader = reader, .path = path, .id = -1, .type = -1};
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
    TRY(read_extent(data));
    return read_properties(data);
}

static tess_status dataset_read(const dataset *data, hid_t memory_type, void *values) {
    if (data->n > 0 && H5Dread(data->id, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
        return tess_archive_damaged(
            data->reader, "%s cannot be read: its checksum or content is wrong", data->path);
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
    CHECK(dataset_read(&data, tess_archive_number_type(type), values));
    *out = TESS_TAKE(values);
done:
    free(values);
    dataset_close(&data);
    return status;
}

tess_status tess_archive_read_vector(const tess_archive_reader *reader, const char *path,
                                     tess_archive_type type, int64_t n, void **out) {
    return tess_archive_read_array(reader, path, type, 1, &n, out);
}

tess_status tess_archive_read_indices(const tess_archive_reader *reader, const char *path,
                                      int64_t limit, int64_t *n, int32_t **out) {
    tess_status status = TESS_OK;
    int32_t *index = NULL;
    CHECK(tess_archive_read_array(reader, path, TESS_ARCHIVE_INT32, 1, n, (void **)&index));
    for (int64_t i = 0; i < *n; i++)
        if (index[i] < 0 || index[i] >= limit)
            CHECK(tess_archive_damaged(reader, "%s: element %lld is %d, not in [0, %lld)", path,
                                       (long long)i, index[i], (long long)limit));
    *out = TESS_TAKE(index);
done:
    free(index);
    return status;
}

static tess_status read_scalar(const tess_archive_reader *reader, const char *path,
                               hid_t memory_type, void *out) {
    tess_status status = TESS_OK;
    dataset data;
    CHECK(dataset_open(reader, path, &data));
    if (data.n != 1 || !is_number(&data))
        CHECK(tess_archive_damaged(reader, "%s is not a number", path));
    CHECK(dataset_read(&data, memory_type, out));
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
    CHECK(dataset_read(&data, data.type, packed));
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
    tess_hdf_close(type);
    dataset_close(&data);
    return status;
}

/* A column of text here is a text there, and a number a number. */
static tess_status check_columns(const tess_archive_reader *reader, const char *path, hid_t table,
                                 const tess_archive_row *layout) {
    for (int i = 0; i < layout->n_columns; i++) {
        const tess_archive_column *column = &layout->columns[i];
        const int member = H5Tget_member_index(table, column->name);
        if (member < 0)
            continue;
        const H5T_class_t class = H5Tget_member_class(table, (unsigned)member);
        const bool text = column->type == TESS_ARCHIVE_TEXT;
        if (text ? class != H5T_STRING : class != H5T_INTEGER && class != H5T_FLOAT)
            return tess_archive_damaged(reader, "the column %s of %s has a wrong type",
                                        column->name, path);
    }
    return TESS_OK;
}

static void close_texts(char *row, const tess_archive_row *layout) {
    for (int i = 0; i < layout->n_columns; i++) {
        const tess_archive_column *column = &layout->columns[i];
        if (column->type == TESS_ARCHIVE_TEXT)
            row[column->offset + column->width - 1] = '\0';
    }
}

tess_status tess_archive_read_table(const tess_archive_reader *reader, const char *path,
                                    const tess_archive_row *layout, int64_t *n_rows, void **rows) {
    tess_status status = TESS_OK;
    dataset data;
    hid_t type = -1;
    char *values = NULL;
    CHECK(dataset_open(reader, path, &data));
    if (data.rank != 1 || data.class != H5T_COMPOUND)
        CHECK(tess_archive_damaged(reader, "%s is not a table", path));
    CHECK(check_columns(reader, path, data.type, layout));
    CHECK(tess_archive_row_type(layout, data.type, &type));
    CHECK(tess_array_zeros(data.n, layout->size, (void **)&values));
    if (H5Tget_nmembers(type) > 0)
        CHECK(dataset_read(&data, type, values));
    for (int64_t i = 0; i < data.n; i++)
        close_texts(values + (size_t)i * layout->size, layout);
    *n_rows = data.n;
    *rows = TESS_TAKE(values);
done:
    free(values);
    tess_hdf_close(type);
    dataset_close(&data);
    return status;
}

/* True for texts of variable length, which HDF5 neither filters nor checks. */
static bool is_variable_text(const tess_archive_reader *reader, const char *path) {
    const hid_t id = H5Dopen2(reader->file, path, H5P_DEFAULT);
    const hid_t type = id >= 0 ? H5Dget_type(id) : -1;
    const bool variable = type >= 0 && H5Tis_variable_str(type) > 0;
    tess_hdf_close(type);
    tess_hdf_close(id);
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
    if (is_number(&data) && !reader->derived &&
        H5Aexists_by_name(reader->file, path, "unit", H5P_DEFAULT) <= 0)
        CHECK(tess_archive_damaged(reader, "%s has no unit", path));
    CHECK(tess_array_alloc(data.n, H5Tget_size(data.type), &values));
    CHECK(dataset_read(&data, data.type, values));
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
    const bool is_view = kind && strcmp(kind, TESS_ARCHIVE_VIEW) == 0;
    TRY(is_view ? tess_archive_open_any(path, &file) : tess_archive_open(path, kind, &file));
    const tess_status status = tess_archive_read_all(file);
    tess_archive_reader_free(file);
    return status;
}
