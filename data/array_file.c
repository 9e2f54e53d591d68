/* An array file: whole numbers by name in one file, as NumPy's .npz, as HDF5 or as text. */
#include "data/array_file.h"

#include "core/base/array.h"
#include "core/base/hdf_file.h"
#include "core/base/whole_file.h"
#include "data/formats/scan.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

typedef enum array_format { FORMAT_NPZ, FORMAT_HDF, FORMAT_TEXT, FORMAT_NONE } array_format;

static array_format format_of(const char *path) {
    static const char *const endings[] = {".npz", ".hdf", ".h5", ".hdf5", ".txt"};
    static const array_format formats[] = {FORMAT_NPZ, FORMAT_HDF, FORMAT_HDF, FORMAT_HDF,
                                           FORMAT_TEXT};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (tess_text_ends(path, endings[i]))
            return formats[i];
    return FORMAT_NONE;
}

tess_status tess_array_file_check(const char *path) {
    if (format_of(path) == FORMAT_NONE)
        FAIL(TESS_ERROR_USAGE,
             "'%s': the extension tells no format: .npz, .h5 (.hdf, .hdf5) or .txt", path);
    return tess_whole_file_check(path);
}

/* --- npz -------------------------------------------------------------------------------------- */

/* Fills the header [256] of a .npy file and gives its length. */
static int npy_header(const tess_named_array *array, int64_t columns, char *header) {
    char shape[64], words[160];
    snprintf(shape, sizeof shape, columns ? "(%" PRId64 ", %" PRId64 ")" : "(%" PRId64 ",)",
             array->n, columns);
    const int length =
        snprintf(words, sizeof words, "{'descr': '<i%d', 'fortran_order': False, 'shape': %s, }",
                 array->width, shape);
    const int padded = (10 + length + 64) / 64 * 64 - 10; /* with its line end */
    memcpy(header, "\x93NUMPY\x01", 8);
    header[8] = (char)(padded % 256);
    header[9] = (char)(padded / 256);
    snprintf(header + 10, 246, "%-*s\n", padded - 1, words);
    return 10 + padded;
}

static size_t bytes_of(const tess_named_array *array, int64_t columns) {
    return (size_t)(array->n * (columns ? columns : 1)) * (size_t)array->width;
}

void tess_npy_write(FILE *stream, const tess_named_array *array, int64_t columns) {
    char header[256];
    fwrite(header, 1, (size_t)npy_header(array, columns, header), stream);
    fwrite(array->values, 1, bytes_of(array, columns), stream);
}

static void put(FILE *stream, uint32_t value, int bytes) {
    for (int i = 0; i < bytes; i++)
        fputc((int)(value >> 8 * i & 0xff), stream);
}

/* A file of a zip archive. */
typedef struct zip_entry {
    uint32_t crc, size, at; /* at: where its head begins */
} zip_entry;

/* What the head of a file and the list at the end have in common; nothing is compressed. */
static void put_entry(FILE *stream, const zip_entry *entry, const tess_named_array *array) {
    put(stream, 20, 2);         /* version 2.0 */
    put(stream, 0, 2);          /* flags */
    put(stream, 0, 2);          /* stored */
    put(stream, 0x00210000, 4); /* 1980-01-01 00:00: the same file each time */
    put(stream, entry->crc, 4);
    put(stream, entry->size, 4);
    put(stream, entry->size, 4);
    put(stream, (uint32_t)strlen(array->name) + 4, 2);
    put(stream, 0, 2); /* extra */
}

static uint32_t crc_of(uint32_t crc, const char *bytes, size_t n) {
    for (size_t at = 0; at < n;) {
        const size_t part = n - at < 1 << 30 ? n - at : 1 << 30;
        crc = (uint32_t)crc32(crc, (const unsigned char *)bytes + at, (unsigned)part);
        at += part;
    }
    return crc;
}

static void write_npz(FILE *stream, const tess_named_array *arrays, int n, zip_entry *entries) {
    uint32_t at = 0;
    for (int i = 0; i < n; i++) {
        char header[256];
        const size_t length = (size_t)npy_header(&arrays[i], 0, header);
        const uint32_t crc =
            crc_of(crc_of(0, header, length), arrays[i].values, bytes_of(&arrays[i], 0));
        entries[i] = (zip_entry){crc, (uint32_t)(length + bytes_of(&arrays[i], 0)), at};
        put(stream, 0x04034b50, 4);
        put_entry(stream, &entries[i], &arrays[i]);
        fprintf(stream, "%s.npy", arrays[i].name);
        tess_npy_write(stream, &arrays[i], 0);
        at += 30 + (uint32_t)strlen(arrays[i].name) + 4 + entries[i].size;
    }
    const uint32_t list = at;
    for (int i = 0; i < n; i++) {
        put(stream, 0x02014b50, 4);
        put(stream, 20, 2);
        put_entry(stream, &entries[i], &arrays[i]);
        put(stream, 0, 2); /* comment */
        put(stream, 0, 2); /* disk */
        put(stream, 0, 2); /* attributes */
        put(stream, 0, 4);
        put(stream, entries[i].at, 4);
        fprintf(stream, "%s.npy", arrays[i].name);
        at += 46 + (uint32_t)strlen(arrays[i].name) + 4;
    }
    put(stream, 0x06054b50, 4);
    put(stream, 0, 4); /* disks */
    put(stream, (uint32_t)n, 2);
    put(stream, (uint32_t)n, 2);
    put(stream, at - list, 4);
    put(stream, list, 4);
    put(stream, 0, 2); /* comment */
}

/* --- text ------------------------------------------------------------------------------------- */

static int64_t value_at(const tess_named_array *array, int64_t i) {
    return array->width == 4 ? ((const int32_t *)array->values)[i]
                             : ((const int64_t *)array->values)[i];
}

static void write_text(FILE *stream, const tess_named_array *arrays, int n) {
    for (int a = 0; a < n; a++) {
        fprintf(stream, "%s %" PRId64 "\n", arrays[a].name, arrays[a].n);
        for (int64_t i = 0; i < arrays[a].n; i++)
            fprintf(stream, "%" PRId64 "\n", value_at(&arrays[a], i));
    }
}

/* Reads one array: its name and length, then as many numbers, each on a line of the file. */
static tess_status read_array(tess_scan *scan, const tess_file_text *text, tess_named_array *out) {
    tess_status status = TESS_OK;
    int64_t *values = NULL;
    const char *word = NULL;
    const size_t length = tess_scan_word(scan, &word);
    if (length >= sizeof out->name)
        return tess_scan_fail(scan, "'%s' is no name of an array", tess_scan_show(scan).text);
    snprintf(out->name, sizeof out->name, "%.*s", (int)length, word);
    CHECK(tess_scan_integer(scan, "length of the array", 0, text->size, &out->n));
    CHECK(tess_scan_finish_line(scan));
    CHECK(TESS_ALLOC(out->n, &values));
    for (int64_t i = 0; i < out->n; i++) {
        if (!tess_scan_find_line(scan))
            CHECK(tess_scan_fail(scan, "%s ends after %" PRId64 " of %" PRId64 " numbers",
                                 out->name, i, out->n));
        CHECK(tess_scan_integer(scan, "number", INT64_MIN, INT64_MAX, &values[i]));
        CHECK(tess_scan_finish_line(scan));
    }
    out->width = 8;
    out->values = TESS_TAKE(values);
done:
    free(values);
    return status;
}

tess_status tess_array_file_read(const char *path, tess_named_array **arrays, int *n) {
    tess_status status = TESS_OK;
    tess_file_text *text = NULL;
    int64_t capacity = 0;
    *arrays = NULL;
    *n = 0;
    if (format_of(path) == FORMAT_NPZ || format_of(path) == FORMAT_HDF)
        FAIL(TESS_ERROR_INPUT, "%s: arrays are read from text, as '--permutation FILE.txt' writes",
             path);
    CHECK(tess_file_text_read(path, &text));
    tess_scan scan = tess_scan_open(text, '#');
    while (tess_scan_find_line(&scan)) {
        CHECK(TESS_RESERVE(*n + 1, &capacity, arrays));
        (*arrays)[*n] = (tess_named_array){.n = 0};
        CHECK(read_array(&scan, text, &(*arrays)[*n]));
        ++*n;
    }
    if (*n == 0)
        CHECK(tess_fail(TESS_ERROR_INPUT,
                        "%s: holds no array: 'cells.new_to_old LENGTH', then a "
                        "number a line",
                        path));
done:
    tess_file_text_free(text);
    if (status != TESS_OK) {
        tess_array_file_free(*arrays, *n);
        *arrays = NULL;
        *n = 0;
    }
    return status;
}

void tess_array_file_free(tess_named_array *arrays, int n) {
    for (int i = 0; i < n; i++)
        free((void *)arrays[i].values);
    free(arrays);
}

/* --- all -------------------------------------------------------------------------------------- */

static tess_status write_hdf(const char *path, const tess_named_array *arrays, int n) {
    tess_status status = TESS_OK;
    tess_hdf_file *file = NULL;
    CHECK(tess_hdf_create(H5F_LIBVER_EARLIEST, &file));
    for (int i = 0; i < n; i++)
        CHECK(tess_hdf_write(file->id, arrays[i].name,
                             arrays[i].width == 4 ? H5T_NATIVE_INT32 : H5T_NATIVE_INT64,
                             arrays[i].n, 0, arrays[i].values));
    CHECK(tess_hdf_commit(file, path));
done:
    tess_hdf_free(file);
    return status;
}

static tess_status check_size(const char *path, const tess_named_array *arrays, int n) {
    double bytes = 0;
    for (int i = 0; i < n; i++)
        bytes += 512 + (double)arrays[i].n * arrays[i].width;
    if (bytes > UINT32_MAX)
        FAIL(TESS_ERROR_USAGE, "%s: a .npz file holds 4 GB, not %.3g: say .h5", path, bytes);
    return TESS_OK;
}

tess_status tess_array_file_write(const char *path, const tess_named_array *arrays, int n) {
    tess_status status = TESS_OK;
    tess_whole_file file = {.is_remade = false};
    zip_entry *entries = NULL;
    const array_format format = format_of(path);
    TRY(tess_array_file_check(path));
    if (format == FORMAT_HDF)
        return write_hdf(path, arrays, n);
    if (format == FORMAT_NPZ)
        TRY(check_size(path, arrays, n));
    CHECK(TESS_ALLOC(n, &entries));
    CHECK(tess_whole_file_open(path, &file));
    if (format == FORMAT_NPZ)
        write_npz(file.stream, arrays, n, entries);
    else
        write_text(file.stream, arrays, n);
    CHECK(tess_whole_file_keep(&file));
done:
    tess_whole_file_release(&file);
    free(entries);
    return status;
}
