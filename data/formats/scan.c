/* A scan: reads a file's text line by line, number by number, and knows the line for messages. */
#include "data/formats/scan.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

tess_scan tess_scan_open(const tess_file_text *file, char comment) {
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    tess_scan scan = {.path = file->path,
                      .start = file->content,
                      .at = file->content,
                      .end = file->content + file->size,
                      .line = 1,
                      .comment = comment};
    if (file->size >= 3 && memcmp(scan.at, byte_order_mark, 3) == 0)
        scan.at += 3;
    return scan;
}

tess_status tess_scan_fail(const tess_scan *scan, const char *format, ...) {
    char words[512];
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    if (scan->binary)
        FAIL(TESS_ERROR_INPUT, "%s: offset %lld: %s", scan->path,
             (long long)(scan->at - scan->start), words);
    FAIL(TESS_ERROR_INPUT, "%s: line %" PRId64 ": %s", scan->path, scan->line, words);
}

static void skip_blanks(tess_scan *scan) {
    while (scan->at < scan->end && tess_is_blank(*scan->at))
        scan->at++;
}

bool tess_scan_line_done(tess_scan *scan) {
    skip_blanks(scan);
    return scan->at == scan->end || *scan->at == '\n' ||
           (scan->comment && *scan->at == scan->comment);
}

void tess_scan_skip_line(tess_scan *scan) {
    const char *newline = memchr(scan->at, '\n', (size_t)(scan->end - scan->at));
    scan->at = newline ? newline + 1 : scan->end;
    scan->line += newline != NULL;
}

bool tess_scan_find_line(tess_scan *scan) {
    while (tess_scan_line_done(scan)) {
        if (scan->at == scan->end)
            return false;
        tess_scan_skip_line(scan);
    }
    return true;
}

tess_status tess_scan_finish_line(tess_scan *scan) {
    if (!tess_scan_line_done(scan))
        return tess_scan_fail(scan, "'%s' is left over at the end of the line",
                              tess_scan_show(scan).text);
    tess_scan_skip_line(scan);
    return TESS_OK;
}

size_t tess_scan_word(tess_scan *scan, const char **word) {
    if (tess_scan_line_done(scan))
        return 0;
    *word = scan->at;
    while (scan->at < scan->end && *scan->at != '\n' && !tess_is_blank(*scan->at))
        scan->at++;
    return (size_t)(scan->at - *word);
}

tess_shown tess_scan_show(const tess_scan *scan) {
    tess_shown shown = {""};
    tess_scan rest = *scan;
    const char *word = NULL;
    const size_t length = tess_scan_word(&rest, &word);
    for (size_t i = 0; i < length && i < 24; i++)
        shown.text[i] = word[i] >= ' ' && word[i] <= '~' ? word[i] : '?';
    if (length > 24)
        memcpy(shown.text + 24, "...", 4);
    return shown;
}

static tess_status refuse_number(const tess_scan *scan, const char *what, const char *kind,
                                 tess_number_fault fault) {
    tess_scan rest = *scan;
    if (tess_scan_line_done(&rest))
        return rest.at == rest.end
                   ? tess_scan_fail(scan, "the file ends where the %s should be", what)
                   : tess_scan_fail(scan, "the %s is missing", what);
    return tess_scan_fail(scan, "the %s '%s' is %s%s", what, tess_scan_show(scan).text,
                          fault == TESS_NUMBER_TOO_LARGE ? "too large for " : "not ", kind);
}

tess_status tess_scan_integer(tess_scan *scan, const char *what, int64_t minimum, int64_t maximum,
                              int64_t *out) {
    skip_blanks(scan);
    const tess_scan before = *scan;
    const tess_number_fault fault = tess_number_integer(&scan->at, scan->end, out);
    if (fault != TESS_NUMBER_FINE)
        return refuse_number(scan, what, "a whole number", fault);
    if (*out >= minimum && *out <= maximum)
        return TESS_OK;
    if (minimum == 0 && maximum == INT64_MAX)
        return tess_scan_fail(&before, "the %s %" PRId64 " is negative", what, *out);
    return tess_scan_fail(&before, "the %s %" PRId64 " is not in %" PRId64 "..%" PRId64, what, *out,
                          minimum, maximum);
}

tess_status tess_scan_index(tess_scan *scan, const char *what, int64_t n, int32_t *out) {
    int64_t value = 0;
    TRY(tess_scan_integer(scan, what, INT64_MIN, INT64_MAX, &value));
    if (value < 0 || value >= n)
        return tess_scan_fail(scan, "the %s %" PRId64 " is not in 0..%" PRId64 "%s", what, value,
                              n - 1, value == n ? " (does the file count from 1?)" : "");
    *out = (int32_t)value;
    return TESS_OK;
}

tess_status tess_scan_real(tess_scan *scan, const char *what, double *out) {
    skip_blanks(scan);
    const tess_number_fault fault = tess_number_real(&scan->at, scan->end, out);
    if (fault != TESS_NUMBER_FINE)
        return refuse_number(scan, what, "a finite number", fault);
    return TESS_OK;
}

tess_status tess_scan_raw(tess_scan *scan, const char *what, int64_t n, int64_t size,
                          const char **raw) {
    const int64_t left = scan->end - scan->at;
    if (n < 0 || n > left / size)
        return tess_scan_fail(scan,
                              "%" PRId64 " %s of %" PRId64 " bytes are announced, but only "
                              "%" PRId64 " bytes follow in the file",
                              n, what, size, left);
    *raw = scan->at;
    scan->at += n * size;
    return TESS_OK;
}

int32_t tess_raw_int32(const char *raw, bool swap) {
    uint32_t bits;
    memcpy(&bits, raw, sizeof bits);
    return (int32_t)(swap ? __builtin_bswap32(bits) : bits);
}

int64_t tess_raw_int64(const char *raw, bool swap) {
    uint64_t bits;
    memcpy(&bits, raw, sizeof bits);
    return (int64_t)(swap ? __builtin_bswap64(bits) : bits);
}

double tess_raw_double(const char *raw, bool swap) {
    const int64_t bits = tess_raw_int64(raw, swap);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
