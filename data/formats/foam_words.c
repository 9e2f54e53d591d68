/* The words of an OpenFOAM file: labels, numbers, marks and lists. */
#include "data/formats/foam_words.h"

#include "core/base/array.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

static const bool ends_word[UCHAR_MAX + 1] = {
    [' '] = true, ['\t'] = true, ['\v'] = true, ['\f'] = true, ['\r'] = true, ['\n'] = true,
    ['('] = true, [')'] = true,  ['{'] = true,  ['}'] = true,  [';'] = true};

void tess_foam_skip(tess_scan *scan) {
    while (scan->at < scan->end) {
        const char *at = scan->at;
        const bool more = scan->end - at > 1;
        if (*at == '\n' || (*at == '/' && more && at[1] == '/')) {
            tess_scan_skip_line(scan);
        } else if (*at == '/' && more && at[1] == '*') {
            for (scan->at += 2; scan->at < scan->end; scan->at++) {
                scan->line += *scan->at == '\n';
                if (scan->at[-1] == '*' && *scan->at == '/' && scan->at - at > 2)
                    break;
            }
            scan->at += scan->at < scan->end;
        } else if (tess_is_blank(*at)) {
            scan->at++;
        } else {
            return;
        }
    }
}

size_t tess_foam_word(tess_scan *scan, const char **word) {
    tess_foam_skip(scan);
    *word = scan->at;
    const char *at = scan->at;
    while (at < scan->end && !ends_word[(unsigned char)*at])
        at++;
    scan->at = at;
    return (size_t)(at - *word);
}

bool tess_foam_word_is(const char *word, size_t length, const char *text) {
    return length == strlen(text) && strncmp(word, text, length) == 0;
}

void tess_foam_name(tess_scan *scan, char name[TESS_GROUP_NAME_SIZE]) {
    const char *word = NULL;
    tess_foam_skip(scan);
    const char *const begin = scan->at, *const end = scan->end;
    const char *quote =
        begin < end && *begin == '"' ? memchr(begin + 1, '"', (size_t)(end - begin - 1)) : NULL;
    size_t length = quote ? (size_t)(quote - begin - 1) : tess_foam_word(scan, &word);
    if (quote) {
        word = begin + 1;
        scan->at = quote + 1;
    }
    tess_scan_name(word, length, TESS_GROUP_NAME_SIZE, name);
}

bool tess_foam_next_is(tess_scan *scan, char mark) {
    tess_foam_skip(scan);
    return scan->at < scan->end && *scan->at == mark;
}

tess_status tess_foam_expect(tess_scan *scan, char mark, const char *where) {
    if (!tess_foam_next_is(scan, mark))
        return scan->at == scan->end
                   ? tess_scan_fail(scan, "the file ends where '%c' should be, %s", mark, where)
                   : tess_scan_fail(scan, "'%s' stands where '%c' should be, %s",
                                    tess_scan_show(scan).text, mark, where);
    scan->at++;
    return TESS_OK;
}

tess_status tess_foam_label(tess_scan *scan, const char *what, int64_t least, int64_t most,
                            int64_t *out) {
    const char *word = NULL;
    const size_t length = tess_foam_word(scan, &word);
    const char *at = word;
    if (length == 0 || tess_number_integer(&at, word + length, out) != TESS_NUMBER_FINE)
        return tess_scan_fail(scan, "the %s '%.*s' is not a whole number", what,
                              length < 24 ? (int)length : 24, word);
    if (*out < least || *out > most)
        return tess_scan_fail(scan, "the %s %" PRId64 " is not in %" PRId64 "..%" PRId64, what,
                              *out, least, most);
    return TESS_OK;
}

tess_status tess_foam_real(tess_scan *scan, double *out) {
    const char *word = NULL;
    const size_t length = tess_foam_word(scan, &word);
    const char *at = word;
    if (length == 0 || tess_number_real(&at, word + length, out) != TESS_NUMBER_FINE)
        return tess_scan_fail(scan, "the coordinate '%.*s' is not a finite number",
                              length < 24 ? (int)length : 24, word);
    return TESS_OK;
}

/* Behind the count of a list: a file holds what it announces. */
static tess_status list_begin(tess_scan *scan, const char *what, int64_t bytes, int64_t n) {
    if (n > (scan->end - scan->at) / bytes)
        return tess_scan_fail(scan, "%" PRId64 " is announced as %s, more than the file can hold",
                              n, what);
    return n == 0 && !tess_foam_next_is(scan, '(') ? TESS_OK
                                                   : tess_foam_expect(scan, '(', "before a list");
}

tess_status tess_foam_list_open(tess_foam_file *file, const char *what, int64_t bytes, int64_t *n) {
    TRY(tess_foam_label(&file->scan, what, 0, INT32_MAX, n));
    return list_begin(&file->scan, what, bytes, *n);
}

tess_status tess_foam_list_close(tess_foam_file *file, int64_t n) {
    return n == 0 && !tess_foam_next_is(&file->scan, ')')
               ? TESS_OK
               : tess_foam_expect(&file->scan, ')', "behind a list");
}

/* N{LABEL}: all the same; no more of them than a label can be large. */
static tess_status read_equal_labels(tess_scan *scan, const char *what, int64_t limit, int64_t n,
                                     int32_t **out) {
    int64_t label = 0;
    if (n > limit)
        return tess_scan_fail(scan, "there are %" PRId64 " of %s; at most %" PRId64 " can be", n,
                              what, limit);
    TRY(tess_foam_expect(scan, '{', "before what all have"));
    TRY(tess_foam_label(scan, what, 0, limit - 1, &label));
    TRY(TESS_ALLOC(n, out));
    for (int64_t i = 0; i < n; i++)
        (*out)[i] = (int32_t)label;
    return tess_foam_expect(scan, '}', "behind what all have");
}

tess_status tess_foam_labels(tess_foam_file *file, const char *what, int64_t limit, int64_t n,
                             int64_t *out_n, int32_t **out) {
    tess_scan *scan = &file->scan;
    const char *raw = NULL;
    int64_t capacity = 0;
    TRY(tess_foam_label(scan, what, 0, INT32_MAX, out_n));
    if (n >= 0 && *out_n != n)
        return tess_scan_fail(scan, "there are %" PRId64 " of %s, not %" PRId64, *out_n, what, n);
    if (tess_foam_next_is(scan, '{'))
        return read_equal_labels(scan, what, limit, *out_n, out);
    TRY(list_begin(scan, what, file->binary ? file->label_bytes : 2, *out_n));
    TRY(TESS_RESERVE(*out_n, &capacity, out)); /* it may grow later without a copy */
    if (file->binary && *out_n > 0)
        TRY(tess_scan_raw(scan, what, *out_n, file->label_bytes, &raw));
    for (int64_t i = 0; i < *out_n; i++) {
        int64_t label = 0;
        if (!raw)
            TRY(tess_foam_label(scan, what, 0, limit - 1, &label));
        else
            label = file->label_bytes == 8 ? tess_raw_int64(raw + 8 * i, scan->swap)
                                           : tess_raw_int32(raw + 4 * i, scan->swap);
        if (label < 0 || label >= limit)
            return tess_scan_fail(scan,
                                  "the %s %" PRId64 " (number %" PRId64 ") is not in 0..%" PRId64,
                                  what, label, i, limit - 1);
        (*out)[i] = (int32_t)label;
        tess_scan_passed(scan, i, raw ? raw : scan->start,
                         raw ? raw + file->label_bytes * i : scan->at);
    }
    return tess_foam_list_close(file, *out_n);
}

/* --- the head of a file ---------------------------------------------------------------------- */

/* `arch "LSB;label=32;scalar=64";` */
static void take_arch(tess_foam_file *file, const char *word, size_t length) {
    static const struct {
        const char *words;
        int label, real;
    } sizes[] = {{"label=64", 8, 0}, {"scalar=32", 0, 4}};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        for (size_t i = 0; i + strlen(sizes[k].words) <= length; i++)
            if (strncmp(word + i, sizes[k].words, strlen(sizes[k].words)) == 0) {
                file->label_bytes = sizes[k].label ? sizes[k].label : file->label_bytes;
                file->real_bytes = sizes[k].real ? sizes[k].real : file->real_bytes;
            }
    file->scan.swap = length > 4 && strncmp(word + 1, "MSB", 3) == 0;
}

/* The rest of an entry, a text in quotes perhaps; its length. */
static size_t read_value(tess_scan *scan, const char **value) {
    tess_foam_skip(scan);
    *value = scan->at;
    const char *quote = scan->at < scan->end && *scan->at == '"'
                            ? memchr(scan->at + 1, '"', (size_t)(scan->end - scan->at - 1))
                            : NULL;
    scan->at = quote ? quote + 1 : scan->at;
    while (scan->at < scan->end && *scan->at != ';' && *scan->at != '\n')
        scan->at++;
    return (size_t)(scan->at - *value);
}

/* FoamFile { key value; ... } */
static tess_status read_header(tess_foam_file *file) {
    tess_scan *scan = &file->scan;
    const char *key = NULL, *value = NULL;
    size_t length = tess_foam_word(scan, &key);
    if (!tess_foam_word_is(key, length, "FoamFile"))
        return tess_scan_fail(scan, "no FoamFile { ... } is at the beginning");
    TRY(tess_foam_expect(scan, '{', "behind FoamFile"));
    while (!tess_foam_next_is(scan, '}')) {
        length = tess_foam_word(scan, &key);
        const size_t value_length = read_value(scan, &value);
        if (tess_foam_word_is(key, length, "format"))
            file->binary = tess_foam_word_is(value, value_length, "binary");
        if (tess_foam_word_is(key, length, "arch"))
            take_arch(file, value, value_length);
        TRY(tess_foam_expect(scan, ';', "behind an entry of FoamFile"));
    }
    return tess_foam_expect(scan, '}', "behind FoamFile");
}

tess_status tess_foam_file_open(const char *beside, const char *name, tess_foam_file *file) {
    TRY(tess_file_text_read_beside(beside, name, &file->text));
    file->scan = tess_scan_open(file->text, 0);
    return read_header(file);
}
