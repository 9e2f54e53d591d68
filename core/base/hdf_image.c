/* A HDF5 file in memory, written to disk whole when it is finished. */
#include "core/base/hdf_image.h"

#include "core/base/array.h"
#include "core/base/whole_file.h"
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    GROWTH = 1 << 20, /* bytes by which the file in memory grows */
    VERSION_AT = 8    /* byte of the superblock that is its version */
};

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
    tess_hdf_image *image = context;
    if (step == H5FD_FILE_IMAGE_OP_FILE_CLOSE)
        image->bytes = bytes;
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

static tess_status open_in_memory(tess_hdf_image *image, H5F_libver_t oldest) {
    tess_status status = TESS_OK;
    H5FD_file_image_callbacks_t callbacks = {.image_malloc = image_alloc,
                                             .image_realloc = image_grow,
                                             .image_free = image_keep,
                                             .udata_copy = same_context,
                                             .udata_free = leave_context,
                                             .udata = image};
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS), creation = H5Pcreate(H5P_FILE_CREATE);
    if (access < 0 || creation < 0 || H5Pset_obj_track_times(creation, 0) < 0 ||
        H5Pset_fapl_core(access, GROWTH, 0) < 0 ||
        H5Pset_file_image_callbacks(access, &callbacks) < 0 ||
        H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) < 0 ||
        H5Pset_libver_bounds(access, oldest, H5F_LIBVER_V110) < 0)
        CHECK(tess_hdf_fail(TESS_ERROR_INTERNAL, "HDF5 has no files in memory"));
    image->file = H5Fcreate("in memory", H5F_ACC_TRUNC, creation, access);
    if (image->file < 0)
        CHECK(tess_hdf_fail(TESS_ERROR_MEMORY, "no HDF5 file in memory"));
done:
    if (creation >= 0)
        H5Pclose(creation);
    if (access >= 0)
        H5Pclose(access);
    return status;
}

tess_status tess_hdf_image_new(H5F_libver_t oldest, tess_hdf_image **out) {
    tess_status status = TESS_OK;
    tess_hdf_image *image = NULL;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    CHECK(TESS_ALLOC(1, &image));
    *image = (tess_hdf_image){.file = -1};
    CHECK(open_in_memory(image, oldest));
    *out = image;
    image = NULL;
done:
    tess_hdf_image_free(image);
    return status;
}

void tess_hdf_image_free(tess_hdf_image *image) {
    if (!image)
        return;
    if (image->file >= 0)
        H5Fclose(image->file);
    free(image->bytes);
    free(image);
}

/* The size of a closed file: its memory is rounded up, but the superblock says where it ends. */
static uint64_t file_size(const char *bytes) {
    static const size_t end_at[] = {40, 44, 28, 28}; /* by version (HDF5's file format, II.A) */
    uint64_t size;
    memcpy(&size, bytes + end_at[bytes[VERSION_AT] & 3], sizeof size);
    return size;
}

tess_status tess_hdf_image_write(tess_hdf_image *image, const char *path) {
    const herr_t closed = H5Fclose(image->file);
    image->file = -1;
    if (closed < 0 || !image->bytes)
        return tess_hdf_fail(TESS_ERROR_MEMORY, "cannot finish %s", path);
    return tess_whole_file_write(path, image->bytes, file_size(image->bytes));
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
    va_list args;
    va_start(args, format);
    vsnprintf(ours, sizeof ours, format, args);
    va_end(args);
    const char *theirs = NULL;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keep_words, &theirs);
    const tess_status failed =
        theirs ? tess_fail(code, "%s (HDF5: %s)", ours, theirs) : tess_fail(code, "%s", ours);
    H5Eclear2(H5E_DEFAULT);
    return failed;
}
