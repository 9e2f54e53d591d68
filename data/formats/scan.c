/* A scan: reads a file's text line by line, number by number, and knows the line for messages. */
#include "data/formats/scan.h"

#include "core/base/array.h"
#include "core/base/byte_order_mark.h"
#include "core/base/print_args.h"
#include "core/base/progress.h"
#include <inttypes.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

tess_scan tess_scan_open(const tess_file_text *file, char comment) {
    return (tess_scan){.path = file->path,
                       .start = file->content,
                       .at = file->content + tess_byte_order_mark(file->content),
                       .end = file->content + file->size,
                       .line = 1,
                       .comment = comment,
                       .mapped = file->mapped};
}

tess_status tess_scan_fail(const tess_scan *scan, const char *format, ...) {
    char message[512];
    TESS_PRINT_ARGS(message, format);
    if (scan->binary)
        FAIL(TESS_ERROR_INPUT, "%s: offset %lld: %s", scan->path,
             (long long)(scan->at - scan->start), message);
    FAIL(TESS_ERROR_INPUT, "%s: line %" PRId64 ": %s", scan->path, scan->line, message);
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

tess_short_word tess_scan_short_word(tess_scan *scan) {
    tess_short_word taken = {""};
    const char *start = NULL;
    const size_t length = tess_scan_word(scan, &start);
    if (length > 0 && length < sizeof taken.text)
        memcpy(taken.text, start, length);
    return taken;
}

void tess_scan_name(const char *from, size_t length, size_t size, char *name) {
    const size_t n = length < size ? length : size - 1;
    for (size_t i = 0; i < n; i++)
        name[i] = (unsigned char)from[i] < ' ' ? '?' : from[i];
    name[n] = '\0';
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

/* The message of a whole number, which ends where the scan is, that is too small or too large. */
static tess_status refuse_range(const tess_scan *scan, const char *what, int64_t minimum,
                                int64_t maximum, int64_t value) {
    if (minimum == 0 && maximum == INT64_MAX)
        return tess_scan_fail(scan, "the %s %" PRId64 " is negative", what, value);
    return tess_scan_fail(scan, "the %s %" PRId64 " is not in %" PRId64 "..%" PRId64, what, value,
                          minimum, maximum);
}

tess_status tess_scan_integer(tess_scan *scan, const char *what, int64_t minimum, int64_t maximum,
                              int64_t *out) {
    skip_blanks(scan);
    const tess_number_fault fault = tess_number_integer(&scan->at, scan->end, out);
    if (fault != TESS_NUMBER_FINE)
        return refuse_number(scan, what, "a whole number", fault);
    return *out >= minimum && *out <= maximum ? TESS_OK
                                              : refuse_range(scan, what, minimum, maximum, *out);
}

tess_status tess_scan_skip_integers(tess_scan *scan, const char *what) {
    int64_t number = 0;
    while (!tess_scan_line_done(scan))
        TRY(tess_scan_integer(scan, what, INT64_MIN, INT64_MAX, &number));
    return TESS_OK;
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

tess_status tess_scan_id(tess_scan *scan, const char *what, int64_t n, int32_t *out) {
    int64_t value = 0;
    TRY(tess_scan_integer(scan, what, INT64_MIN, INT64_MAX, &value));
    if (value < 1 || value > n)
        return tess_scan_fail(scan, "the %s %" PRId64 " is not in 1..%" PRId64 "%s", what, value, n,
                              value == 0 ? " (does the file count from 0?)" : "");
    *out = (int32_t)(value - 1);
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
    if (scan->mapped)
        tess_file_pages_pass(scan->start, scan->at);
    if (n < 0 || n > left / size)
        return tess_scan_fail(scan,
                              "%" PRId64 " %s of %" PRId64 " bytes are announced, but only "
                              "%" PRId64 " bytes follow in the file",
                              n, what, size, left);
    *raw = scan->at;
    scan->at += n * size;
    return TESS_OK;
}

void tess_scan_passed(const tess_scan *scan, int64_t i, const char *from, const char *at) {
    enum { PASSED = 1 << 16 };
    if (!scan->mapped || i % PASSED != 0)
        return;
    tess_file_pages_pass(from, at);
    tess_progress_set(at - scan->start, scan->end - scan->start, NULL);
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

enum {
    CHUNK_BYTES = 1 << 17,
    WAVE_CHUNKS = 256,     /* at most in a wave: 32 MB ... */
    FEWEST_CHUNKS = 32,    /* ... and that many of a large table: 4 MB, or ... */
    THREAD_CHUNKS = 4,     /* ... so many a thread */
    LIKELY_ROW_BYTES = 32, /* for the size of the first wave */
    FEW_ROWS = 1 << 17     /* not worth sharing out: a few milliseconds */
};

typedef struct chunk {
    const char *start, *end; /* whole lines */
    int64_t n_rows, n_lines; /* that were parsed */
    bool failed;             /* behind the last of these rows */
    char *slots;             /* [n_rows]; owned */
    int64_t capacity;
} chunk;

typedef struct wave {
    int n_chunks;
    chunk chunks[WAVE_CHUNKS];
} wave;

/* Cuts the next chunks off the text at `from`: enough for `n_bytes`, or all that fit a wave. */
static void wave_cut(wave *w, int64_t n_bytes, const char *from, const char *end) {
    const char *const enough = end - from > n_bytes ? from + n_bytes : end;
    const int wanted = THREAD_CHUNKS * omp_get_max_threads();
    const int most = wanted < FEWEST_CHUNKS ? FEWEST_CHUNKS
                     : wanted > WAVE_CHUNKS ? WAVE_CHUNKS
                                            : wanted;
    w->n_chunks = 0;
    while (w->n_chunks < most && from < enough) {
        const char *to = end - from > CHUNK_BYTES ? from + CHUNK_BYTES : end;
        const char *newline = to < end ? memchr(to, '\n', (size_t)(end - to)) : NULL;
        to = newline ? newline + 1 : end;
        chunk *part = &w->chunks[w->n_chunks++];
        part->start = from;
        part->end = to;
        from = to;
    }
}

/* Parses the next row of `scan`, which stands at the start of a line that holds one. */
static tess_status parse_row(tess_scan *scan, const tess_row_format *format, const void *context,
                             void *slot) {
    TRY(format->parse(scan, context, slot));
    return tess_scan_finish_line(scan);
}

/* The message of a row that failed, with its number. */
static tess_status refuse_row(tess_status status, const tess_row_format *format, int64_t row) {
    FAIL(status, "%s (row %" PRId64 " of the %s)", tess_message(), row, format->what);
}

/* Parses rows up to the end of the chunk, or to one that fails: perhaps the table has ended. */
static tess_status chunk_parse(chunk *part, const tess_scan *scan, const tess_row_format *format,
                               const void *context) {
    tess_scan lines = *scan;
    lines.at = part->start;
    lines.end = part->end;
    lines.line = 0;
    part->n_rows = part->n_lines = 0;
    part->failed = false;
    while (tess_scan_find_line(&lines)) {
        TRY(tess_array_reserve(part->n_rows + 1, format->slot_size, &part->capacity,
                               (void **)&part->slots));
        part->failed = parse_row(&lines, format, context,
                                 part->slots + (size_t)part->n_rows * format->slot_size) != TESS_OK;
        if (part->failed)
            return TESS_OK;
        part->n_rows++;
    }
    part->n_lines = lines.line;
    return TESS_OK;
}

static tess_status wave_parse(wave *w, const tess_scan *scan, const tess_row_format *format,
                              const void *context) {
    bool no_memory = false;
#pragma omp parallel for schedule(dynamic, 1) reduction(|| : no_memory) if (w->n_chunks > 1)
    for (int i = 0; i < w->n_chunks; i++)
        no_memory = chunk_parse(&w->chunks[i], scan, format, context) != TESS_OK || no_memory;
    if (no_memory)
        FAIL(TESS_ERROR_MEMORY, "%s: out of memory", scan->path);
    return TESS_OK;
}

/* Moves the scan over `n_rows` rows that can be parsed, and on to what follows. */
static void pass_rows(tess_scan *scan, int64_t n_rows) {
    for (int64_t i = 0; i < n_rows && tess_scan_find_line(scan); i++)
        tess_scan_skip_line(scan);
}

/* Hands rows over. */
static tess_status take_rows(const tess_row_format *format, const char *slots, int64_t first_row,
                             int64_t n_rows, void *context) {
    if (format->take)
        return format->take(slots, first_row, n_rows, format->to ? format->to : context);
    memcpy((char *)format->to + (size_t)first_row * format->slot_size, slots,
           (size_t)n_rows * format->slot_size);
    return TESS_OK;
}

/* Takes the rows of the wave in order, at most up to `n_rows` of the table; *row counts them. */
static tess_status wave_take(const wave *w, tess_scan *scan, const tess_row_format *format,
                             int64_t n_rows, int64_t *row, void *context) {
    for (int i = 0; i < w->n_chunks && *row < n_rows; i++) {
        const chunk *part = &w->chunks[i];
        const bool ends_here = part->n_rows >= n_rows - *row;
        const int64_t n = ends_here ? n_rows - *row : part->n_rows;
        if (n > 0)
            TRY(take_rows(format, part->slots, *row, n, context));
        *row += n;
        if (!ends_here && !part->failed) {
            scan->at = part->end;
            scan->line += part->n_lines;
            continue;
        }
        pass_rows(scan, n);
        if (!ends_here) { /* parsed once more, for the message was another thread's */
            tess_scan_find_line(scan);
            return refuse_row(
                parse_row(scan, format, context, part->slots + (size_t)n * format->slot_size),
                format, *row);
        }
    }
    return TESS_OK;
}

static tess_status scan_in_waves(tess_scan *scan, const tess_row_format *format, int64_t n_rows,
                                 void *context) {
    tess_status status = TESS_OK;
    wave *w = NULL;
    const char *const start = scan->at;
    CHECK(TESS_ZEROS(1, &w));
    for (int64_t row = 0; row < n_rows;) {
        const int64_t row_bytes = row ? (scan->at - start) / row + 1 : LIKELY_ROW_BYTES;
        wave_cut(w, (n_rows - row) * row_bytes, scan->at, scan->end);
        if (w->n_chunks == 0)
            CHECK(tess_scan_fail(scan, "the file ends after %" PRId64 " of %" PRId64 " %s", row,
                                 n_rows, format->what));
        CHECK(wave_parse(w, scan, format, context));
        CHECK(wave_take(w, scan, format, n_rows, &row, context));
        if (scan->mapped)
            tess_file_pages_pass(start, scan->at);
        tess_progress_set(scan->at - scan->start, scan->end - scan->start, NULL);
    }
done:
    for (int i = 0; w && i < WAVE_CHUNKS; i++)
        free(w->chunks[i].slots);
    free(w);
    return status;
}

static tess_status scan_one_by_one(tess_scan *scan, const tess_row_format *format, int64_t n_rows,
                                   void *context) {
    tess_status status = TESS_OK;
    char *slots = NULL;
    CHECK(tess_array_alloc(n_rows, format->slot_size, (void **)&slots));
    for (int64_t row = 0; row < n_rows; row++) {
        if (!tess_scan_find_line(scan))
            CHECK(tess_scan_fail(scan, "the file ends after %" PRId64 " of %" PRId64 " %s", row,
                                 n_rows, format->what));
        status = parse_row(scan, format, context, slots + (size_t)row * format->slot_size);
        if (status != TESS_OK)
            CHECK(refuse_row(status, format, row));
    }
    CHECK(take_rows(format, slots, 0, n_rows, context));
done:
    free(slots);
    return status;
}

tess_status tess_scan_expect_rows(const tess_scan *scan, const tess_row_format *format,
                                  int64_t n_rows) {
    const int64_t left = scan->end - scan->at + 1; /* the last newline may be missing */
    if (n_rows > left / format->min_bytes)
        return tess_scan_fail(
            scan, "%" PRId64 " %s are announced, but only %" PRId64 " bytes follow in the file",
            n_rows, format->what, left - 1);
    return TESS_OK;
}

tess_status tess_scan_rows(tess_scan *scan, const tess_row_format *format, int64_t n_rows,
                           void *context) {
    TRY(tess_scan_expect_rows(scan, format, n_rows));
    if (n_rows == 0)
        return TESS_OK;
    return n_rows <= FEW_ROWS ? scan_one_by_one(scan, format, n_rows, context)
                              : scan_in_waves(scan, format, n_rows, context);
}
