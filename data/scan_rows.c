/* The rows of a table in text, one a line, parsed on all cores.
 *
 * The text is cut at line ends into chunks; a wave of chunks is counted, which gives every chunk
 * the number of its first row and line, and then parsed into the wave's slots. */
#include "data/scan.h"

#include "core/array.h"
#include <inttypes.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHUNK_BYTES = 1 << 16,
    CHUNKS_PER_THREAD = 8, /* in a wave, so that threads find work to balance */
    FEW_ROWS = 512         /* not worth sharing out */
};

typedef struct chunk {
    const char *start, *end; /* whole lines */
    int64_t n_rows, n_lines;
    int64_t first_row, first_line; /* first_row: in the wave */
    const char *rest;              /* where the wave's last row ended, if it was in this chunk */
    int64_t rest_line;
} chunk;

typedef struct wave {
    int n_chunks;
    chunk *chunks;
    int64_t n_rows;
    char *slots;
    int64_t capacity; /* of slots */
} wave;

static void chunk_count(chunk *part, const tess_scan *scan) {
    tess_scan lines = *scan;
    lines.at = part->start;
    lines.end = part->end;
    lines.line = 0;
    part->n_rows = 0;
    while (tess_scan_find_line(&lines)) {
        part->n_rows++;
        tess_scan_skip_line(&lines);
    }
    part->n_lines = lines.line;
}

/* Cuts the next chunks off the text at `from`. */
static void wave_cut(wave *w, int n_chunks_max, const char *from, const char *end) {
    w->n_chunks = 0;
    while (w->n_chunks < n_chunks_max && from < end) {
        const char *to = end - from > CHUNK_BYTES ? from + CHUNK_BYTES : end;
        const char *newline = to < end ? memchr(to, '\n', (size_t)(end - to)) : NULL;
        to = newline ? newline + 1 : end;
        w->chunks[w->n_chunks++] = (chunk){.start = from, .end = to};
        from = to;
    }
}

/* Counts rows and lines and gives each chunk its first ones; no more than `n_wanted` rows remain,
 * and no chunk behind the last of them. */
static void wave_count(wave *w, const tess_scan *scan, int64_t n_wanted) {
#pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < w->n_chunks; i++)
        chunk_count(&w->chunks[i], scan);
    int64_t line = scan->line;
    w->n_rows = 0;
    for (int i = 0; i < w->n_chunks; i++) {
        chunk *part = &w->chunks[i];
        part->first_row = w->n_rows;
        part->first_line = line;
        if (part->n_rows > n_wanted - w->n_rows)
            part->n_rows = n_wanted - w->n_rows;
        w->n_rows += part->n_rows;
        line += part->n_lines;
        if (w->n_rows == n_wanted)
            w->n_chunks = i + 1;
    }
}

static tess_status parse_rows(tess_scan *scan, const tess_row_format *format, int64_t first_row,
                              int64_t n_rows, const void *context, char *slots) {
    for (int64_t i = 0; i < n_rows; i++) {
        if (!tess_scan_find_line(scan))
            return tess_scan_fail(scan, "the file ends after %" PRId64 " of its %s", first_row + i,
                                  format->what);
        tess_status status =
            format->parse(scan, first_row + i, context, slots + (size_t)i * format->slot_size);
        if (status == TESS_OK)
            status = tess_scan_finish_line(scan);
        if (status != TESS_OK)
            FAIL(status, "%s (row %" PRId64 " of the %s)", tess_message(), first_row + i,
                 format->what);
    }
    return TESS_OK;
}

static tess_status chunk_parse(chunk *part, const tess_scan *scan, const tess_row_format *format,
                               int64_t wave_first_row, const void *context, char *slots) {
    tess_scan lines = *scan;
    lines.at = part->start;
    lines.end = part->end;
    lines.line = part->first_line;
    TRY(parse_rows(&lines, format, wave_first_row + part->first_row, part->n_rows, context,
                   slots + (size_t)part->first_row * format->slot_size));
    part->rest = lines.at;
    part->rest_line = lines.line;
    return TESS_OK;
}

/* Parses the wave. A message is kept by the thread that fails: the first chunk that failed is
 * parsed again by the calling one. */
static tess_status wave_parse(wave *w, const tess_scan *scan, const tess_row_format *format,
                              int64_t first_row, const void *context) {
    int first_bad = w->n_chunks;
#pragma omp parallel for schedule(dynamic, 1) reduction(min : first_bad)
    for (int i = 0; i < w->n_chunks; i++)
        if (i < first_bad &&
            chunk_parse(&w->chunks[i], scan, format, first_row, context, w->slots) != TESS_OK)
            first_bad = i;
    if (first_bad < w->n_chunks)
        return chunk_parse(&w->chunks[first_bad], scan, format, first_row, context, w->slots);
    return TESS_OK;
}

static tess_status scan_in_waves(tess_scan *scan, const tess_row_format *format, int64_t n_rows,
                                 void *context) {
    tess_status status = TESS_OK;
    wave w = {0};
    const int n_chunks_max = CHUNKS_PER_THREAD * omp_get_max_threads();
    CHECK(TESS_ALLOC(n_chunks_max, &w.chunks));
    for (int64_t row = 0; row < n_rows; row += w.n_rows) {
        wave_cut(&w, n_chunks_max, scan->at, scan->end);
        if (w.n_chunks == 0)
            CHECK(tess_scan_fail(scan, "the file ends after %" PRId64 " of %" PRId64 " %s", row,
                                 n_rows, format->what));
        wave_count(&w, scan, n_rows - row);
        CHECK(tess_array_reserve(w.n_rows, format->slot_size, &w.capacity, (void **)&w.slots));
        CHECK(wave_parse(&w, scan, format, row, context));
        scan->at = w.chunks[w.n_chunks - 1].rest;
        scan->line = w.chunks[w.n_chunks - 1].rest_line;
        CHECK(format->take(w.slots, row, w.n_rows, context));
    }
done:
    free(w.chunks);
    free(w.slots);
    return status;
}

static tess_status scan_one_by_one(tess_scan *scan, const tess_row_format *format, int64_t n_rows,
                                   void *context) {
    tess_status status = TESS_OK;
    char *slots = NULL;
    CHECK(tess_array_alloc(n_rows, format->slot_size, (void **)&slots));
    CHECK(parse_rows(scan, format, 0, n_rows, context, slots));
    CHECK(format->take(slots, 0, n_rows, context));
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
    return n_rows <= FEW_ROWS ? scan_one_by_one(scan, format, n_rows, context)
                              : scan_in_waves(scan, format, n_rows, context);
}
