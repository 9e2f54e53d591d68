/* The content of an HDF5 file: opened without a copy where it can be, and looked through before
 * libraries take the memory that it announces. */
#include "data/formats/hdf_content.h"

#include "core/base/array.h"
#include "data/formats/probe_in_child.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool tess_hdf_is_content(const tess_file_text *text) {
    return text->size >= 8 && memcmp(text->content, "\x89HDF\r\n\x1a\n", 8) == 0;
}

/* Bytes of what HDF5 takes in at once to read one number of a dataset: a chunk, else a number;
 * INT64_MAX where they are more. */
static int64_t bytes_at_once(hid_t set) {
    hsize_t length[H5S_MAX_RANK];
    const hid_t made = H5Dget_create_plist(set), type = H5Dget_type(set);
    int64_t bytes = (int64_t)H5Tget_size(type);
    int rank = -1;
    if (H5Pget_layout(made) == H5D_CHUNKED)
        rank = H5Pget_chunk(made, H5S_MAX_RANK, length);
    for (int i = 0; i < rank; i++)
        if (length[i] > INT64_MAX || __builtin_mul_overflow(bytes, (int64_t)length[i], &bytes))
            bytes = INT64_MAX;
    H5Tclose(type);
    H5Pclose(made);
    return bytes < 0 ? INT64_MAX : bytes;
}

/* A look through all datasets, which ends at the first bad one. */
typedef struct hdf_look {
    const tess_file_text *text;
    tess_status status;
} hdf_look;

static herr_t pass_attribute(hid_t object, const char *name, const H5A_info_t *about,
                             void *context) {
    (void)object, (void)name, (void)about, (void)context;
    return 0;
}

static herr_t look_at(hid_t root, const char *name, const H5O_info_t *about, void *context) {
    enum { MOST_GROWTH = 1032 }; /* of what zlib has compressed */
    hdf_look *look = context;
    hsize_t n_attributes = 0; /* HDF5 decodes them all, as it does when one is asked for */
    H5Aiterate_by_name(root, name, H5_INDEX_NAME, H5_ITER_NATIVE, &n_attributes, pass_attribute,
                       NULL, H5P_DEFAULT);
    const hid_t set =
        about->type == H5O_TYPE_DATASET ? H5Dopen2(root, name, H5P_DEFAULT) : H5I_INVALID_HID;
    if (set < 0)
        return 0; /* whoever needs it says so */
    const int64_t bytes = bytes_at_once(set);
    if (bytes / MOST_GROWTH > look->text->size)
        look->status = tess_fail(TESS_ERROR_INPUT,
                                 "%s: dataset /%s: its chunks or numbers have %" PRId64
                                 " bytes, more than the file of %" PRId64 " bytes can hold",
                                 look->text->path, name, bytes, look->text->size);
    H5Dclose(set);
    return look->status == TESS_OK ? 0 : 1;
}

/* Opens the file itself, or what it decompresses to, for which HDF5 wants a name that no file has;
 * the latter also where a file system does not lock files, as HDF5 asks for. */
static tess_status open_content(const tess_file_text *text, hid_t *out) {
    enum { GROWTH = 1 << 16 };
    char *name = NULL;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* it would print */
    *out = text->packed ? H5I_INVALID_HID : H5Fopen(text->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (*out < 0) {
        const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
        TRY(tess_text_print(&name, "%s (in memory)", text->path));
        if (H5Pset_fapl_core(access, GROWTH, 0) >= 0 &&
            H5Pset_file_image(access, text->content, (size_t)text->size) >= 0)
            *out = H5Fopen(name, H5F_ACC_RDONLY, access);
        H5Pclose(access);
        free(name);
    }
    if (*out < 0)
        FAIL(TESS_ERROR_INPUT, "%s: offset 0: HDF5 cannot open it: cut or damaged", text->path);
    return TESS_OK;
}

tess_status tess_hdf_content_open_here(const tess_file_text *text, hid_t *out) {
    hdf_look look = {.text = text, .status = TESS_OK};
    TRY(open_content(text, out));
    const herr_t seen =
        H5Ovisit2(*out, H5_INDEX_NAME, H5_ITER_NATIVE, look_at, &look, H5O_INFO_BASIC);
    if (seen < 0)
        look.status = tess_fail(TESS_ERROR_INPUT,
                                "%s: offset 0: HDF5 cannot look through it: damaged", text->path);
    if (look.status != TESS_OK)
        H5Fclose(*out);
    return look.status;
}

static tess_status probe_in_child(const void *text) {
    hid_t file = H5I_INVALID_HID; /* the process ends with it open */
    return tess_hdf_content_open_here(text, &file);
}

tess_status tess_hdf_content_open(const tess_file_text *text, hid_t *out) {
    TRY(tess_probe_in_child(text->path, "HDF5", probe_in_child, text));
    return tess_hdf_content_open_here(text, out);
}

tess_status tess_hdf_content_check(const tess_file_text *text) {
    return tess_hdf_is_content(text) ? tess_probe_in_child(text->path, "HDF5", probe_in_child, text)
                                     : TESS_OK;
}
