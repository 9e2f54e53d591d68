/* The bytes of a VTK array, decoded and decompressed a few at a time. */
#include "data/formats/vtk/vtk_bytes.h"

#include "core/base/array.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { LARGEST_GROWTH = 1032 }; /* of what zlib has compressed */

/* --- bytes that were encoded together --------------------------------------------------------- */

static void fill_digits(signed char digit[256]) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    memset(digit, -1, 256);
    for (int i = 0; i < 64; i++)
        digit[(unsigned char)digits[i]] = (signed char)i;
}

/* Decodes group `group` of four characters, of which up to three bytes follow. */
static bool decode_group(const tess_vtk_bytes *bytes, int64_t group, unsigned char out[3]) {
    const char *at = bytes->scan.at + 4 * group;
    const int64_t left = bytes->n_together - 3 * group;
    uint32_t bits = 0;
    for (int i = 0; i < 4; i++) {
        const int value = bytes->digit[(unsigned char)at[i]];
        if (value < 0 && !(at[i] == '=' && i >= 2 && left < i))
            return false;
        bits = bits << 6 | (value < 0 ? 0 : (uint32_t)value);
    }
    for (int i = 0; i < 3; i++)
        out[i] = (unsigned char)(bits >> (16 - 8 * i));
    return true;
}

/* Gives bytes `from` to `from + n` of those that were encoded together. */
static tess_status read_together(const tess_vtk_bytes *bytes, int64_t from, int64_t n, char *to) {
    const tess_scan *scan = &bytes->scan;
    const bool raw = bytes->array->encoding == TESS_VTK_RAW;
    const int64_t n_groups = bytes->n_together / 3 + (bytes->n_together % 3 != 0);
    if (raw ? bytes->n_together > scan->end - scan->at : n_groups > (scan->end - scan->at) / 4)
        return tess_scan_fail(scan, "the array ends before its %" PRId64 " bytes",
                              bytes->n_together);
    if (raw) {
        memcpy(to, scan->at + from, (size_t)n);
        return TESS_OK;
    }
    for (int64_t done = 0, group = from / 3; done < n; group++) {
        unsigned char three[3];
        if (!decode_group(bytes, group, three))
            return tess_scan_fail(scan,
                                  "no base64 of %" PRId64 " bytes: the array is damaged or ends "
                                  "early",
                                  bytes->n_together);
        for (int64_t i = group == from / 3 ? from % 3 : 0; i < 3 && done < n; i++)
            to[done++] = (char)three[i];
    }
    return TESS_OK;
}

/* The most bytes that can still follow. */
static int64_t bytes_left(const tess_vtk_bytes *bytes) {
    const int64_t left = bytes->scan.end - bytes->scan.at;
    return bytes->array->encoding == TESS_VTK_BASE64 ? left / 4 * 3 : left;
}

/* Moves behind what was encoded together. */
static void pass_together(tess_vtk_bytes *bytes) {
    const int64_t n = bytes->n_together;
    bytes->scan.at += bytes->array->encoding == TESS_VTK_BASE64 ? (n + 2) / 3 * 4 : n;
}

static int64_t word_at(const tess_vtk_bytes *bytes, const char *raw) {
    const bool swap = bytes->coding->swap;
    return bytes->coding->header_bytes == 8 ? tess_raw_int64(raw, swap)
                                            : (int64_t)(uint32_t)tess_raw_int32(raw, swap);
}

/* --- sizes ------------------------------------------------------------------------------------ */

/* An uncompressed array: its size, if the file states it, then its bytes, together. */
static tess_status open_plain(tess_vtk_bytes *bytes) {
    const int64_t wanted = bytes->n_wanted;
    char head[8] = {0};
    const int64_t word = bytes->coding->header_bytes;
    bytes->n_together = word;
    TRY(read_together(bytes, 0, word, head));
    const int64_t size = word ? word_at(bytes, head) : bytes_left(bytes);
    if (size < wanted)
        return tess_scan_fail(&bytes->scan, "the array %s has %" PRId64 " bytes, not %" PRId64,
                              bytes->array->name, size, wanted);
    if (size > bytes_left(bytes) - word)
        return tess_scan_fail(&bytes->scan,
                              "the array %s ends before its %" PRId64
                              " bytes, more than follow in the file",
                              bytes->array->name, size);
    bytes->n_together = word + size;
    bytes->n_wanted = wanted < 0 ? size : wanted;
    return TESS_OK;
}

static int64_t packed_size(const tess_vtk_bytes *bytes, int64_t block) {
    return word_at(bytes, bytes->head + (3 + block) * bytes->coding->header_bytes);
}

/* Bytes of the largest block: VTK states those of a full one, also of an empty array. */
static int64_t largest_block(const tess_vtk_bytes *bytes) {
    return bytes->n_blocks == 1 && bytes->last_block_size ? bytes->last_block_size
                                                          : bytes->block_size;
}

/* Reads the number of blocks, their sizes, and the compressed size of each; moves behind them. */
static tess_status read_head(tess_vtk_bytes *bytes) {
    const int64_t word = bytes->coding->header_bytes;
    const char *name = bytes->array->name;
    char first[8];
    bytes->n_together = word;
    TRY(read_together(bytes, 0, word, first));
    const int64_t n = word_at(bytes, first);
    if (n < 0 || n > bytes_left(bytes) / word - 3)
        return tess_scan_fail(&bytes->scan,
                              "the array %s has %" PRId64 " blocks: more than follow in the file",
                              name, n);
    bytes->n_blocks = n;
    bytes->n_together = (3 + n) * word;
    TRY(TESS_ALLOC(bytes->n_together, &bytes->head));
    TRY(read_together(bytes, 0, bytes->n_together, bytes->head));
    bytes->block_size = word_at(bytes, bytes->head + word);
    bytes->last_block_size = word_at(bytes, bytes->head + 2 * word);
    pass_together(bytes);
    bytes->n_together = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t size = packed_size(bytes, i);
        if (size < 0 || size > bytes_left(bytes) - bytes->n_together)
            return tess_scan_fail(
                &bytes->scan, "the array %s ends in its block %" PRId64 " of %" PRId64, name, i, n);
        bytes->n_together += size;
    }
    if (bytes->block_size < 0 || bytes->last_block_size < 0 ||
        bytes->last_block_size > bytes->block_size ||
        (n > 0 && largest_block(bytes) > LARGEST_GROWTH * (bytes->n_together + 1)))
        return tess_scan_fail(&bytes->scan, "the array %s has blocks of %" PRId64 " bytes: damaged",
                              name, bytes->block_size);
    return TESS_OK;
}

static tess_status open_compressed(tess_vtk_bytes *bytes) {
    enum { SPARE = 1 << 20 }; /* bytes of a block behind the last value */
    const char *name = bytes->array->name;
    TRY(read_head(bytes));
    const int64_t n = bytes->n_blocks, size = bytes->block_size;
    const int64_t full = n - (bytes->last_block_size > 0);
    if (size > 0 && full > LARGEST_GROWTH * (bytes->n_together + 1) / size)
        return tess_scan_fail(&bytes->scan,
                              "the array %s would grow by more than %d times: damaged", name,
                              LARGEST_GROWTH);
    const int64_t whole = n ? full * size + bytes->last_block_size : 0;
    const int64_t wanted = bytes->n_wanted < 0 ? whole : bytes->n_wanted;
    bytes->n_wanted = wanted;
    if (whole < wanted)
        return tess_scan_fail(&bytes->scan, "the array %s has %" PRId64 " bytes, not %" PRId64,
                              name, whole, wanted);
    const int64_t largest = largest_block(bytes);
    if (largest > wanted + SPARE)
        return tess_scan_fail(&bytes->scan,
                              "the array %s has blocks of %" PRId64 " bytes; all of it needs "
                              "%" PRId64 ": damaged",
                              name, largest, wanted);
    if (!bytes->last_block_size)
        bytes->last_block_size = size;
    const int64_t needed = size ? (wanted + size - 1) / size : 0;
    if (needed < n) { /* the values behind are ignored */
        bytes->n_blocks = needed;
        bytes->last_block_size = size;
    }
    bytes->block = -1;
    return TESS_ALLOC(largest, &bytes->inflated);
}

tess_status tess_vtk_bytes_open(const tess_vtk_array *array, const tess_vtk_coding *coding,
                                int64_t wanted, tess_vtk_bytes *out) {
    *out = (tess_vtk_bytes){
        .array = array, .coding = coding, .scan = array->start, .n_wanted = wanted};
    fill_digits(out->digit);
    const tess_status status = coding->compressed ? open_compressed(out) : open_plain(out);
    if (status != TESS_OK)
        tess_vtk_bytes_close(out);
    return status;
}

/* --- values ----------------------------------------------------------------------------------- */

/* Decompresses a block, that in hand or one behind it. */
static tess_status inflate_block(tess_vtk_bytes *bytes, int64_t block) {
    const int64_t size = block + 1 < bytes->n_blocks ? bytes->block_size : bytes->last_block_size;
    while (bytes->block < block - 1)
        bytes->packed_at += packed_size(bytes, ++bytes->block);
    const int64_t n = packed_size(bytes, block);
    uLongf got = (uLongf)size;
    TRY(TESS_RESERVE(n, &bytes->packed_capacity, &bytes->packed));
    TRY(read_together(bytes, bytes->packed_at, n, bytes->packed));
    if (uncompress((Bytef *)bytes->inflated, &got, (const Bytef *)bytes->packed, (uLong)n) !=
            Z_OK ||
        got != (uLongf)size)
        return tess_scan_fail(&bytes->array->start,
                              "block %" PRId64 " of the array cannot be decompressed: damaged",
                              block);
    bytes->packed_at += n;
    bytes->block = block;
    return TESS_OK;
}

/* Lets go of the file's pages that lie behind. */
static void pass_pages(const tess_vtk_bytes *bytes) {
    enum { KEPT = 1 << 16 }; /* bytes: the page that the next values are on */
    const int64_t together =
        bytes->coding->compressed ? bytes->packed_at : bytes->coding->header_bytes + bytes->done;
    const char *to =
        bytes->scan.at + (bytes->array->encoding == TESS_VTK_BASE64 ? together / 3 * 4 : together);
    if (bytes->scan.mapped && to - bytes->array->start.at > KEPT)
        tess_file_pages_pass(bytes->array->start.at, to - KEPT);
}

tess_status tess_vtk_bytes_read(tess_vtk_bytes *bytes, int64_t n, char *to) {
    if (!bytes->coding->compressed) {
        TRY(read_together(bytes, bytes->coding->header_bytes + bytes->done, n, to));
        bytes->done += n;
    }
    for (int64_t given = 0; bytes->coding->compressed && given < n;) {
        const int64_t block = bytes->done / bytes->block_size, at = bytes->done % bytes->block_size;
        const int64_t size =
            bytes->block_size - at < n - given ? bytes->block_size - at : n - given;
        if (block != bytes->block)
            TRY(inflate_block(bytes, block));
        memcpy(to + given, bytes->inflated + at, (size_t)size);
        bytes->done += size;
        given += size;
    }
    pass_pages(bytes);
    return TESS_OK;
}

void tess_vtk_bytes_pass(tess_vtk_bytes *bytes, int64_t n) {
    bytes->done += n;
}

void tess_vtk_bytes_close(tess_vtk_bytes *bytes) {
    free(bytes->head);
    free(bytes->packed);
    free(bytes->inflated);
    bytes->head = bytes->packed = bytes->inflated = NULL;
}
