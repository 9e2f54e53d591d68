/* The types of the nodes of a CGNS file in HDF5. Format: CGNS/SIDS, "HDF5 file mapping". */
#include "data/formats/cgns/cgns_types.h"

#include "core/base/array.h"
#include "core/base/folder.h"
#include "data/formats/hdf_content.h"
#include <stdlib.h>
#include <string.h>

enum { TYPE_SIZE = 3 }; /* two letters and their end */

typedef struct types_look {
    const tess_file_text *text;
    tess_status status;
} types_look;

/* Bytes of a number of that type, 0 for nodes without data, -1 for none of CGNS's types. */
static int bytes_of_type(const char *type) {
    static const struct {
        const char *type;
        int bytes;
    } types[] = {{"MT", 0}, {"LK", 0}, {"B1", 1}, {"C1", 1}, {"I4", 4}, {"U4", 4},
                 {"R4", 4}, {"I8", 8}, {"U8", 8}, {"R8", 8}, {"X4", 8}, {"X8", 16}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(types[i].type, type) == 0)
            return types[i].bytes;
    return -1;
}

/* Reads the type that a group states; false where it is no node of CGNS. */
static bool read_type(hid_t root, const char *name, char type[TYPE_SIZE]) {
    const hid_t attribute = H5Aopen_by_name(root, name, "type", H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0)
        return false;
    const hid_t stored = H5Aget_type(attribute), letters = H5Tcopy(H5T_C_S1);
    const hid_t space = H5Aget_space(attribute);
    const bool fine = H5Tget_class(stored) == H5T_STRING && H5Tis_variable_str(stored) == 0 &&
                      H5Sget_simple_extent_npoints(space) == 1 &&
                      H5Tset_size(letters, TYPE_SIZE) >= 0 &&
                      H5Aread(attribute, letters, type) >= 0;
    type[TYPE_SIZE - 1] = '\0';
    H5Sclose(space);
    H5Tclose(letters);
    H5Tclose(stored);
    H5Aclose(attribute);
    return fine;
}

/* Bytes of a number of the node's data, 0 where it has none, and how many numbers it has. */
static tess_status measure_data(hid_t root, const char *name, int64_t *bytes, int64_t *n) {
    char *path = NULL;
    *bytes = *n = 0;
    TRY(tess_text_print(&path, "%s/ data", name));
    const hid_t set = H5Lexists(root, path, H5P_DEFAULT) > 0 ? H5Dopen2(root, path, H5P_DEFAULT)
                                                             : H5I_INVALID_HID;
    free(path);
    if (set < 0)
        return TESS_OK;
    const hid_t type = H5Dget_type(set);
    const hid_t space = H5Dget_space(set);
    *bytes = (int64_t)H5Tget_size(type);
    *n = H5Sget_simple_extent_npoints(space);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(set);
    return TESS_OK;
}

/* True for the first and the last place along each of three axes. */
static bool is_range(const char *path) {
    const char *name = tess_last_of_path(path);
    return strcmp(name, "PointRange") == 0 || strcmp(name, "PointRangeDonor") == 0;
}

static tess_status check_node(const tess_file_text *text, hid_t root, const char *name) {
    char type[TYPE_SIZE] = "";
    int64_t bytes = 0, n = 0;
    if (!read_type(root, name, type))
        return TESS_OK; /* the library passes it over, or says so */
    TRY(measure_data(root, name, &bytes, &n));
    if (is_range(name) && n > 2 * 3)
        FAIL(TESS_ERROR_INPUT, "%s: node /%s: a range of %lld numbers, more than six", text->path,
             name, (long long)n);
    if (bytes != 0 && bytes != bytes_of_type(type))
        FAIL(TESS_ERROR_INPUT, "%s: node /%s: its numbers of %lld bytes are not of its type '%s'",
             text->path, name, (long long)bytes, type);
    return TESS_OK;
}

static herr_t look_at(hid_t root, const char *name, const H5O_info_t *about, void *context) {
    types_look *look = context;
    if (about->type == H5O_TYPE_GROUP)
        look->status = check_node(look->text, root, name);
    return look->status == TESS_OK ? 0 : 1;
}

tess_status tess_cgns_types_check(const tess_file_text *text) {
    types_look look = {.text = text, .status = TESS_OK};
    hid_t file = H5I_INVALID_HID;
    if (!tess_hdf_is_content(text))
        return TESS_OK;
    TRY(tess_hdf_content_open_here(text, &file));
    H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_NATIVE, look_at, &look, H5O_INFO_BASIC);
    H5Fclose(file);
    return look.status;
}
