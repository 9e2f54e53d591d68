/* A scan: reads a file's text line by line, number by number, and knows the line for messages.
 *
 * Between lines `at` is the start of an unread one; within a line it is behind what was read. A
 * number never crosses a line end. Lines that are blank or begin with `comment` are skipped, and a
 * `comment` between numbers ends its line. Failures are TESS_ERROR_INPUT with file and line. */
#pragma once

#include "data/formats/file_text.h"
#include "data/formats/number.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tess_scan {
    const char *path;
    const char *start; /* of the file */
    const char *at;
    const char *end;
    int64_t line; /* number, from 1, of the line that `at` is in */
    char comment; /* 0: the format has none */
    bool binary;  /* messages tell offsets, for there are no lines */
    bool mapped;  /* what is behind need not stay in memory */
    bool swap;    /* binary numbers are in the other byte order than this machine's */
} tess_scan;

/* A scan of the whole file, behind its UTF-8 byte order mark if it has one. */
tess_scan tess_scan_open(const tess_file_text *file, char comment);

/* Fails with "FILE: line N: " ("offset N" where binary) before the message. */
TESS_MUST_CHECK tess_status tess_scan_fail(const tess_scan *scan, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Moves to the first word of the next line that is not skipped; false at the end of the file. */
bool tess_scan_find_line(tess_scan *scan);
/* Whether nothing is left on the line. */
bool tess_scan_line_done(tess_scan *scan);
/* Moves to the start of the next line; `finish` fails when something is left on this one. */
TESS_MUST_CHECK tess_status tess_scan_finish_line(tess_scan *scan);
void tess_scan_skip_line(tess_scan *scan);

/* Reads a whole number within [minimum, maximum]; `what` names it in messages. */
TESS_MUST_CHECK tess_status tess_scan_integer(tess_scan *scan, const char *what, int64_t minimum,
                                              int64_t maximum, int64_t *out);
/* Passes over the whole numbers that are left on the line. */
TESS_MUST_CHECK tess_status tess_scan_skip_integers(tess_scan *scan, const char *what);
/* Reads the number of one of n elements that count from 0. */
TESS_MUST_CHECK tess_status tess_scan_index(tess_scan *scan, const char *what, int64_t n,
                                            int32_t *out);
/* Reads a number of an element where they count from 1; gives it counted from 0. */
TESS_MUST_CHECK tess_status tess_scan_id(tess_scan *scan, const char *what, int64_t n,
                                         int32_t *out);
/* Reads a finite number. */
TESS_MUST_CHECK tess_status tess_scan_real(tess_scan *scan, const char *what, double *out);
/* Gives the next word of the line (not terminated) and its length, 0 at the end of the line. */
size_t tess_scan_word(tess_scan *scan, const char **word);
/* Takes the next word of the line, for comparisons: "" where it is too long to be one of ours. */
typedef struct tess_short_word {
    char text[40];
} tess_short_word;
tess_short_word tess_scan_short_word(tess_scan *scan);
/* Copies letters of the file as a name of at most size - 1, control characters (a zero byte would
 * end it) as '?'. */
void tess_scan_name(const char *from, size_t length, size_t size, char *name);
/* The next word of the line for a message: at most 24 characters, unprintable ones as '?'. */
typedef struct tess_shown {
    char text[28];
} tess_shown;
tess_shown tess_scan_show(const tess_scan *scan);

/* Passes over `n` binary items of `size` bytes and gives where they begin; fails when the file ends
 * before them. */
TESS_MUST_CHECK tess_status tess_scan_raw(tess_scan *scan, const char *what, int64_t n,
                                          int64_t size, const char **raw);
/* For item i of many: now and then lets go of the pages of a large file between two places, which
 * were read, and tells how far reading it is. */
void tess_scan_passed(const tess_scan *scan, int64_t i, const char *from, const char *at);
/* The number of 4 or 8 bytes at `raw`, which need not be aligned. */
int32_t tess_raw_int32(const char *raw, bool swap);
int64_t tess_raw_int64(const char *raw, bool swap);
double tess_raw_double(const char *raw, bool swap);

/* A table of one row a line. Rows are parsed on all cores into slots of `slot_size` bytes, lines
 * behind the table's end perhaps, too; batches of slots are taken over in the order of the file by
 * the calling thread: by `take`, or without it one behind the other into the array `to`. */
typedef struct tess_row_format {
    const char *what; /* "elements", for messages */
    int min_bytes;    /* the least that a row takes, newline counted */
    size_t slot_size;
    /* Reads one row into its slot. What it leaves on the line is refused. */
    tess_status (*parse)(tess_scan *line, const void *context, void *slot);
    tess_status (*take)(const void *slots, int64_t first_row, int64_t n_rows, void *context);
    void *to; /* the context of `take` where that is not the one of `parse` */
} tess_row_format;

/* Fails when more than the rest of the file would be needed for `n_rows` rows. */
TESS_MUST_CHECK tess_status tess_scan_expect_rows(const tess_scan *scan,
                                                  const tess_row_format *format, int64_t n_rows);
/* Reads the next `n_rows` lines. The result is the same on any number of threads. */
TESS_MUST_CHECK tess_status tess_scan_rows(tess_scan *scan, const tess_row_format *format,
                                           int64_t n_rows, void *context);
