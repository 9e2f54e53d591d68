/* The attributes of an archive, read: texts and whole numbers. */
#include "core/base/array.h"
#include "data/archive/archive_reader.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ATTRIBUTE_LIMIT = 1 << 20 }; /* bytes: HDF5 itself keeps at most 64 KiB in a header */

/* Opens an attribute and gives its type and how many values it has; the caller closes both. */
static tess_status open_attribute(const tess_archive_reader *reader, const char *object,
                                  const char *name, hid_t *attribute, hid_t *type, int64_t *n) {
    *type = -1;
    *attribute = H5Aopen_by_name(tess_archive_id(reader), object, name, H5P_DEFAULT, H5P_DEFAULT);
    if (*attribute < 0)
        return tess_archive_damaged(reader, "%s has no attribute %s", object, name);
    *type = H5Aget_type(*attribute);
    const hid_t space = H5Aget_space(*attribute);
    *n = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    tess_hdf_close(space);
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
    tess_hdf_close(memory_type);
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
        *out = TESS_TAKE(text);
    }
done:
    free(text);
    tess_hdf_close(type);
    tess_hdf_close(attribute);
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

tess_status tess_archive_read_root_text(const tess_archive_reader *reader, const char *name,
                                        size_t size, char *out) {
    return tess_archive_read_attribute_into(reader, "/", name, size, out);
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
    tess_hdf_close(type);
    tess_hdf_close(attribute);
    return status;
}

tess_status tess_archive_read_attribute_int(const tess_archive_reader *reader, const char *object,
                                            const char *name, int64_t *out) {
    return tess_archive_read_attribute_ints(reader, object, name, 1, out);
}

tess_status tess_archive_read_unit(const tess_archive_reader *reader, const char *path, size_t size,
                                   char *unit) {
    if (H5Aexists_by_name(tess_archive_id(reader), path, "unit", H5P_DEFAULT) > 0)
        return tess_archive_read_attribute_into(reader, path, "unit", size, unit);
    snprintf(unit, size, "1");
    return TESS_OK;
}
