/* An archive, a HDF5 file of the lab, open for reading: the file, its groups and its attributes. */
#include "experiments/archive/archive_reader.h"

#include "core/base/array.h"
#include "experiments/archive/archive_dataset.h"
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ATTRIBUTE_LIMIT = 1 << 20 /* bytes: HDF5 itself keeps at most 64 KiB in a header */ };

tess_status tess_archive_damaged(const tess_archive_reader *reader, const char *format, ...) {
    char words[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    return tess_hdf_fail(TESS_ERROR_INPUT, "%s: %s", reader->path, words);
}

const char *tess_archive_path(const tess_archive_reader *reader) {
    return reader->path;
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
    if (access >= 0)
        H5Pclose(access);
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

tess_status tess_archive_open_derived(const char *path, tess_archive_reader **out) {
    tess_status status = TESS_OK;
    tess_archive_reader *reader = NULL;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* a library does not print */
    CHECK(TESS_ZEROS(1, &reader));
    reader->file = -1;
    reader->derived = true;
    CHECK(tess_text_copy(path, &reader->path));
    CHECK(open_file(reader));
    *out = reader;
    reader = NULL;
done:
    tess_archive_reader_free(reader);
    return status;
}

tess_status tess_archive_open(const char *path, const char *kind, tess_archive_reader **out) {
    tess_status status = TESS_OK;
    tess_archive_reader *reader = NULL;
    CHECK(tess_archive_open_derived(path, &reader));
    reader->derived = false;
    CHECK(check_version(reader));
    if (kind)
        CHECK(check_kind(reader, kind));
    *out = reader;
    reader = NULL;
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

static int compare_names(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
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
        qsort(list.names, (size_t)list.n, sizeof *list.names, compare_names);
    *names = list.names;
    *n = (int)list.n;
    return TESS_OK;
}

void tess_archive_names_free(char **names, int n) {
    for (int i = 0; i < n; i++)
        free(names[i]);
    free(names);
}

bool tess_archive_has_attribute(const tess_archive_reader *reader, const char *object,
                                const char *name) {
    return H5Aexists_by_name(reader->file, object, name, H5P_DEFAULT) > 0;
}

/* Opens an attribute and gives its type and how many values it has; the caller closes both. */
static tess_status open_attribute(const tess_archive_reader *reader, const char *object,
                                  const char *name, hid_t *attribute, hid_t *type, int64_t *n) {
    *type = -1;
    *attribute = H5Aopen_by_name(reader->file, object, name, H5P_DEFAULT, H5P_DEFAULT);
    if (*attribute < 0)
        return tess_archive_damaged(reader, "%s has no attribute %s", object, name);
    *type = H5Aget_type(*attribute);
    const hid_t space = H5Aget_space(*attribute);
    *n = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    if (space >= 0)
        H5Sclose(space);
    const size_t size = *type >= 0 ? H5Tget_size(*type) : 0;
    if (*n < 0 || size < 1 || *n > ATTRIBUTE_LIMIT || *n * (int64_t)size > ATTRIBUTE_LIMIT)
        return tess_archive_damaged(reader, "the attribute %s of %s is damaged", name, object);
    return TESS_OK;
}

/* The text of a variable-length attribute, as other programs write them. */
static tess_status read_variable_text(const tess_archive_reader *reader, hid_t attribute,
                                      hid_t type, const char *name, int64_t n, char **out) {
    tess_status status = TESS_OK;
    char **texts = NULL;
    const hid_t memory_type = H5Tcopy(type);
    CHECK(TESS_ZEROS(n, &texts));
    if (n < 1 || memory_type < 0 || H5Aread(attribute, memory_type, texts) < 0)
        CHECK(tess_archive_damaged(reader, "the attribute %s is damaged", name));
    CHECK(tess_text_copy(texts[0] ? texts[0] : "", out));
done:
    for (int64_t i = 0; texts && i < n; i++)
        H5free_memory(texts[i]);
    free(texts);
    if (memory_type >= 0)
        H5Tclose(memory_type);
    return status;
}

tess_status tess_archive_read_attribute_text(const tess_archive_reader *reader, const char *object,
                                             const char *name, char **out) {
    tess_status status = TESS_OK;
    hid_t attribute = -1, type = -1;
    int64_t n = 0;
    char *text = NULL;
    CHECK(open_attribute(reader, object, name, &attribute, &type, &n));
    if (H5Tget_class(type) != H5T_STRING)
        CHECK(tess_archive_damaged(reader, "the attribute %s of %s is not a text", name, object));
    if (H5Tis_variable_str(type) > 0) {
        CHECK(read_variable_text(reader, attribute, type, name, n, out));
    } else {
        const size_t width = H5Tget_size(type);
        CHECK(TESS_ZEROS((int64_t)width * (n > 0 ? n : 1) + 1, &text));
        if (n > 0 && H5Aread(attribute, type, text) < 0)
            CHECK(tess_archive_damaged(reader, "cannot read the attribute %s of %s", name, object));
        text[width] = '\0';
        *out = text;
        text = NULL;
    }
done:
    free(text);
    if (type >= 0)
        H5Tclose(type);
    if (attribute >= 0)
        H5Aclose(attribute);
    return status;
}

tess_status tess_archive_read_attribute_into(const tess_archive_reader *reader, const char *object,
                                             const char *name, size_t size, char *out) {
    char *text = NULL;
    TRY(tess_archive_read_attribute_text(reader, object, name, &text));
    const bool fits = strlen(text) < size;
    if (fits)
        strcpy(out, text);
    free(text);
    if (!fits)
        return tess_archive_damaged(reader, "the attribute %s of %s is too long", name, object);
    return TESS_OK;
}

tess_status tess_archive_read_attribute_ints(const tess_archive_reader *reader, const char *object,
                                             const char *name, int n, int64_t *out) {
    tess_status status = TESS_OK;
    hid_t attribute = -1, type = -1;
    int64_t found = 0;
    CHECK(open_attribute(reader, object, name, &attribute, &type, &found));
    if (found != n || H5Tget_class(type) != H5T_INTEGER ||
        H5Aread(attribute, H5T_NATIVE_INT64, out) < 0)
        CHECK(tess_archive_damaged(reader, "the attribute %s of %s is not %d whole number%s", name,
                                   object, n, n == 1 ? "" : "s"));
done:
    if (type >= 0)
        H5Tclose(type);
    if (attribute >= 0)
        H5Aclose(attribute);
    return status;
}

tess_status tess_archive_read_attribute_int(const tess_archive_reader *reader, const char *object,
                                            const char *name, int64_t *out) {
    return tess_archive_read_attribute_ints(reader, object, name, 1, out);
}

tess_status tess_archive_read_unit(const tess_archive_reader *reader, const char *path, size_t size,
                                   char *unit) {
    if (tess_archive_has_attribute(reader, path, "unit"))
        return tess_archive_read_attribute_into(reader, path, "unit", size, unit);
    snprintf(unit, size, "1");
    return TESS_OK;
}
