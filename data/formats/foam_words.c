/* The words of an OpenFOAM file: labels, numbers, marks and lists. */
#include "data/formats/foam_words.h"

#include "core/base/array.h"
#include "core/base/progress.h"

#include <inttypes.h>
#include <string.h>

static bool is_mark(char c) {
    return c == '(' || c == ')' || c == '{' || c == '}' || c == ';';
}

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
    while (scan->at < scan->end && !tess_is_blank(*scan->at) && *scan->at != '\n' &&
           !is_mark(*scan->at))
        scan->at++;
    return (size_t)(scan->at - *word);
}

bool tess_foam_word_is(const char *word, size_t length, const char *text) {
    return length == strlen(text) && strncmp(word, text, length) == 0;
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

tess_status tess_foam_list_open(tess_foam_file *file, const char *what, int64_t bytes, int64_t *n) {
    tess_scan *scan = &file->scan;
    TRY(tess_foam_label(scan, what, 0, INT32_MAX, n));
    if (tess_foam_next_is(scan, '{'))
        return TESS_OK;
    if (*n > (scan->end - scan->at) / bytes)
        return tess_scan_fail(scan, "%" PRId64 " is announced as %s, more than the file can hold",
                              *n, what);
    return *n == 0 && !tess_foam_next_is(scan, '(') ? TESS_OK
                                                    : tess_foam_expect(scan, '(', "before a list");
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
    TRY(tess_foam_list_open(file, what, file->binary ? file->label_bytes : 2, out_n));
    if (n >= 0 && *out_n != n)
        return tess_scan_fail(scan, "there are %" PRId64 " of %s, not %" PRId64, *out_n, what, n);
    if (tess_foam_next_is(scan, '{'))
        return read_equal_labels(scan, what, limit, *out_n, out);
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
