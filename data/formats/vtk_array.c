/* A VTK array: numbers in one of the encodings of VTK's XML files. */
#include "data/formats/vtk_array.h"

#include "core/base/array.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { LARGEST_GROWTH = 1032 }; /* of what zlib has compressed */

bool tess_vtk_array_type(tess_vtk_array *array, const char *word) {
    static const struct {
        const char *word;
        char type;
        int bytes;
    } types[] = {{"Int8", 'i', 1},    {"UInt8", 'u', 1},  {"Int16", 'i', 2}, {"UInt16", 'u', 2},
                 {"Int32", 'i', 4},   {"UInt32", 'u', 4}, {"Int64", 'i', 8}, {"UInt64", 'u', 8},
                 {"Float32", 'f', 4}, {"Float64", 'f', 8}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(word, types[i].word) == 0) {
            array->type = types[i].type;
            array->type_bytes = types[i].bytes;
            return true;
        }
    return false;
}

static int base64_value(char c) {
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Decodes `n` bytes from the whole groups of four characters at the scan, and moves behind them. */
static tess_status decode_base64(tess_scan *scan, int64_t n, unsigned char *bytes) {
    const int64_t n_groups = n / 3 + (n % 3 != 0);
    if (n_groups > (scan->end - scan->at) / 4)
        return tess_scan_fail(scan, "the array ends before its %" PRId64 " bytes", n);
    for (int64_t done = 0; done < n; scan->at += 4) {
        uint32_t group = 0;
        for (int i = 0; i < 4; i++) {
            const bool padding = scan->at[i] == '=' && i >= 2 && n - done < i;
            const int value = padding ? 0 : base64_value(scan->at[i]);
            if (value < 0)
                return tess_scan_fail(scan,
                                      "no base64 of %" PRId64 " bytes: the array is damaged "
                                      "or ends early",
                                      n);
            group = group << 6 | (uint32_t)value;
        }
        for (int i = 16; i >= 0 && done < n; i -= 8)
            bytes[done++] = (unsigned char)(group >> i);
    }
    return TESS_OK;
}

/* Reads `n` bytes; those of one call were encoded together. */
static tess_status read_bytes(tess_scan *scan, tess_vtk_encoding encoding, int64_t n, char *bytes) {
    if (encoding == TESS_VTK_BASE64)
        return decode_base64(scan, n, (unsigned char *)bytes);
    if (n > scan->end - scan->at)
        return tess_scan_fail(scan, "the array ends before its %" PRId64 " bytes", n);
    memcpy(bytes, scan->at, (size_t)n);
    scan->at += n;
    return TESS_OK;
}

/* The most bytes that can still follow. */
static int64_t bytes_left(const tess_scan *scan, tess_vtk_encoding encoding) {
    const int64_t left = scan->end - scan->at;
    return encoding == TESS_VTK_BASE64 ? left / 4 * 3 : left;
}

static int64_t read_word(const char *raw, const tess_vtk_coding *coding) {
    return coding->header_bytes == 8 ? tess_raw_int64(raw, coding->swap)
                                     : (int64_t)(uint32_t)tess_raw_int32(raw, coding->swap);
}

/* Gives the first `wanted` bytes of an uncompressed array: its size, then its bytes, together. */
static tess_status read_plain(const tess_vtk_array *array, const tess_vtk_coding *coding,
                              int64_t wanted, char **out) {
    tess_scan scan = array->start;
    char head[8], *bytes = NULL;
    const int64_t head_bytes = coding->header_bytes;
    TRY(read_bytes(&scan, array->encoding, head_bytes, head));
    const int64_t size = read_word(head, coding);
    scan.at = array->start.at;
    if (size < wanted || size > bytes_left(&scan, array->encoding))
        return tess_scan_fail(&scan, "the array %s has %" PRId64 " bytes, not %" PRId64 "%s",
                              array->name, size, wanted,
                              size < wanted ? "" : ", and more than follow in the file");
    tess_status status = TESS_OK;
    CHECK(TESS_ALLOC(head_bytes + wanted, &bytes));
    CHECK(read_bytes(&scan, array->encoding, head_bytes + wanted, bytes));
    memmove(bytes, bytes + head_bytes, (size_t)wanted);
    *out = TESS_TAKE(bytes);
done:
    free(bytes);
    return status;
}

/* The blocks of a compressed array. */
typedef struct vtk_blocks {
    int64_t n, size, last_size; /* bytes of each, uncompressed; the last's, 0 where it is full */
    char *head;                 /* [3 + n] words, the sizes of compressed blocks last; owned */
    int64_t packed_bytes;       /* of all */
} vtk_blocks;

static int64_t packed_size(const vtk_blocks *blocks, const tess_vtk_coding *coding, int64_t i) {
    return read_word(blocks->head + (3 + i) * coding->header_bytes, coding);
}

/* Reads number of blocks, their sizes, and the compressed size of each; moves behind them. */
static tess_status read_blocks(tess_scan *scan, const tess_vtk_array *array,
                               const tess_vtk_coding *coding, vtk_blocks *blocks) {
    const int64_t word = coding->header_bytes;
    char first[8];
    const tess_scan start = *scan;
    TRY(read_bytes(scan, array->encoding, word, first));
    *scan = start;
    const int64_t most = bytes_left(scan, array->encoding) / word - 3;
    blocks->n = read_word(first, coding);
    if (blocks->n < 0 || blocks->n > most)
        return tess_scan_fail(scan,
                              "the array %s has %" PRId64 " blocks: more than follow in the "
                              "file",
                              array->name, blocks->n);
    TRY(TESS_ALLOC((3 + blocks->n) * word, &blocks->head));
    TRY(read_bytes(scan, array->encoding, (3 + blocks->n) * word, blocks->head));
    blocks->size = read_word(blocks->head + word, coding);
    blocks->last_size = read_word(blocks->head + 2 * word, coding);
    const int64_t left = bytes_left(scan, array->encoding);
    for (int64_t i = 0; i < blocks->n; i++) {
        const int64_t size = packed_size(blocks, coding, i);
        if (size < 0 || size > left - blocks->packed_bytes)
            return tess_scan_fail(scan, "the array %s ends in its block %" PRId64 " of %" PRId64,
                                  array->name, i, blocks->n);
        blocks->packed_bytes += size;
    }
    if (blocks->size < 0 || blocks->last_size < 0 || blocks->last_size > blocks->size ||
        (blocks->n > 0 && blocks->size > LARGEST_GROWTH * (blocks->packed_bytes + 1)))
        return tess_scan_fail(scan, "the array %s has blocks of %" PRId64 " bytes: damaged",
                              array->name, blocks->size);
    return TESS_OK;
}

static tess_status inflate_blocks(const tess_scan *scan, const tess_vtk_coding *coding,
                                  const vtk_blocks *blocks, const char *packed, char *bytes) {
    for (int64_t i = 0; i < blocks->n; i++) {
        const int64_t size =
            i + 1 < blocks->n || !blocks->last_size ? blocks->size : blocks->last_size;
        const int64_t size_packed = packed_size(blocks, coding, i);
        uLongf got = (uLongf)size;
        if (uncompress((Bytef *)bytes, &got, (const Bytef *)packed, (uLong)size_packed) != Z_OK ||
            got != (uLongf)size)
            return tess_scan_fail(scan,
                                  "block %" PRId64 " of the array cannot be decompressed: "
                                  "damaged",
                                  i);
        bytes += size;
        packed += size_packed;
    }
    return TESS_OK;
}

/* Gives the bytes of a compressed array, at least `wanted`. */
static tess_status read_compressed(const tess_vtk_array *array, const tess_vtk_coding *coding,
                                   int64_t wanted, char **out) {
    enum { SPARE = 1 << 20 }; /* bytes of a block behind the last value */
    tess_status status = TESS_OK;
    tess_scan scan = array->start;
    vtk_blocks blocks = {.n = 0};
    char *packed = NULL, *bytes = NULL;
    CHECK(read_blocks(&scan, array, coding, &blocks));
    const int64_t full = blocks.n - (blocks.last_size > 0);
    if (blocks.size > 0 && full > LARGEST_GROWTH * (blocks.packed_bytes + 1) / blocks.size)
        CHECK(tess_scan_fail(&scan, "the array %s would grow by more than %d times: damaged",
                             array->name, LARGEST_GROWTH));
    int64_t size = blocks.n ? full * blocks.size + blocks.last_size : 0;
    if (size < wanted)
        CHECK(tess_scan_fail(&scan, "the array %s has %" PRId64 " bytes, not %" PRId64, array->name,
                             size, wanted));
    if (blocks.size > wanted + SPARE)
        CHECK(tess_scan_fail(&scan,
                             "the array %s has blocks of %" PRId64 " bytes; all of it needs "
                             "%" PRId64 ": damaged",
                             array->name, blocks.size, wanted));
    const int64_t needed = blocks.size ? (wanted + blocks.size - 1) / blocks.size : 0;
    if (needed < blocks.n) { /* the values behind are ignored */
        blocks.n = needed;
        blocks.last_size = 0;
        size = needed * blocks.size;
    }
    CHECK(TESS_ALLOC(blocks.packed_bytes, &packed));
    CHECK(read_bytes(&scan, array->encoding, blocks.packed_bytes, packed));
    CHECK(TESS_ALLOC(size, &bytes));
    CHECK(inflate_blocks(&array->start, coding, &blocks, packed, bytes));
    *out = TESS_TAKE(bytes);
done:
    free(blocks.head);
    free(packed);
    free(bytes);
    return status;
}

/* Gives the n values' bytes. */
static tess_status read_values(const tess_vtk_array *array, const tess_vtk_coding *coding,
                               int64_t n, char **bytes) {
    if (n > INT64_MAX / 16)
        return tess_scan_fail(&array->start, "the array %s of %" PRId64 " numbers is too large",
                              array->name, n);
    return coding->compressed ? read_compressed(array, coding, n * array->type_bytes, bytes)
                              : read_plain(array, coding, n * array->type_bytes, bytes);
}

/* Moves to the next word of the array, over line ends. */
static void find_word(tess_scan *scan) {
    while (scan->at < scan->end && (tess_is_blank(*scan->at) || *scan->at == '\n')) {
        scan->line += *scan->at == '\n';
        scan->at++;
    }
}

static tess_status expect_words(const tess_vtk_array *array, int64_t n) {
    const int64_t left = array->start.end - array->start.at;
    if (n > left / 2 + 1)
        return tess_scan_fail(&array->start,
                              "the array %s of %" PRId64 " numbers has only %" PRId64 " bytes",
                              array->name, n, left);
    return TESS_OK;
}

/* Gives the bytes of n values; leaves NULL for words, which are read where they stand. */
static tess_status expect_values(const tess_vtk_array *array, const tess_vtk_coding *coding,
                                 int64_t n, char **bytes) {
    return array->encoding == TESS_VTK_TEXT ? expect_words(array, n)
                                            : read_values(array, coding, n, bytes);
}

static int64_t integer_of(const tess_vtk_array *array, bool swap, const char *raw) {
    const bool is_signed = array->type == 'i';
    uint16_t two;
    switch (array->type_bytes) {
    case 1:
        return is_signed ? (int64_t)(signed char)*raw : (int64_t)(unsigned char)*raw;
    case 2:
        memcpy(&two, raw, sizeof two);
        two = swap ? __builtin_bswap16(two) : two;
        return is_signed ? (int64_t)(int16_t)two : (int64_t)two;
    case 4:
        return is_signed ? (int64_t)tess_raw_int32(raw, swap)
                         : (int64_t)(uint32_t)tess_raw_int32(raw, swap);
    default:
        return tess_raw_int64(raw, swap); /* ids past 2^63 are negative, and refused as such */
    }
}

static double real_of(const tess_vtk_array *array, bool swap, const char *raw) {
    if (array->type != 'f')
        return (double)integer_of(array, swap, raw);
    if (array->type_bytes == 8)
        return tess_raw_double(raw, swap);
    union {
        int32_t bits;
        float value;
    } real = {.bits = tess_raw_int32(raw, swap)};
    return (double)real.value;
}

tess_status tess_vtk_array_reals(const tess_vtk_array *array, const tess_vtk_coding *coding,
                                 int64_t n, double **out) {
    tess_status status = TESS_OK;
    tess_scan scan = array->start;
    double *values = NULL;
    char *bytes = NULL;
    CHECK(expect_values(array, coding, n, &bytes));
    CHECK(TESS_ALLOC(n, &values));
    for (int64_t i = 0; i < n; i++) {
        if (bytes) {
            values[i] = real_of(array, coding->swap, bytes + i * array->type_bytes);
            if (!isfinite(values[i]))
                CHECK(tess_scan_fail(&scan, "value %" PRId64 " of the array %s is %g", i,
                                     array->name, values[i]));
            continue;
        }
        find_word(&scan);
        CHECK(tess_scan_real(&scan, array->name, &values[i]));
    }
    *out = TESS_TAKE(values);
done:
    free(bytes);
    free(values);
    return status;
}

tess_status tess_vtk_array_integers(const tess_vtk_array *array, const tess_vtk_coding *coding,
                                    int64_t n, int64_t **out) {
    tess_status status = TESS_OK;
    tess_scan scan = array->start;
    int64_t *values = NULL;
    char *bytes = NULL;
    if (array->type == 'f')
        CHECK(tess_scan_fail(&scan, "the array %s holds reals; whole numbers are asked for",
                             array->name));
    CHECK(expect_values(array, coding, n, &bytes));
    CHECK(TESS_ALLOC(n, &values));
    for (int64_t i = 0; i < n; i++) {
        if (bytes) {
            values[i] = integer_of(array, coding->swap, bytes + i * array->type_bytes);
            continue;
        }
        find_word(&scan);
        CHECK(tess_scan_integer(&scan, array->name, INT64_MIN, INT64_MAX, &values[i]));
    }
    *out = TESS_TAKE(values);
done:
    free(bytes);
    free(values);
    return status;
}
