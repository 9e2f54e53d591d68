/* The words of an OpenFOAM file: labels, numbers, marks and lists, as text or binary. */
#pragma once

#include "data/formats/faces/face_pieces.h"
#include "data/formats/marker_groups.h"
#include "data/formats/reader.h"
#include "data/formats/scan.h"

/* A file that is being read. */
typedef struct tess_foam_file {
    tess_file_text *text;
    tess_scan scan;
    int label_bytes, real_bytes;
    bool binary;
    tess_mesh *out;           /* to which patches add their markers */
    tess_face_pieces *pieces; /* of a decomposed case, of which this is one; else NULL */
    int64_t piece;
} tess_foam_file;

/* Opens the file of that name beside another one, and reads its head: labels have 4 bytes and reals
 * 8 where that says nothing else. The caller frees file->text, also where this fails. */
TESS_MUST_CHECK tess_status tess_foam_file_open(const char *beside, const char *name,
                                                tess_foam_file *file);

/* Moves behind blanks, newlines and comments. */
void tess_foam_skip(tess_scan *scan);

/* The next word, which ends at a blank, a newline or a mark; gives its length, or 0. */
size_t tess_foam_word(tess_scan *scan, const char **word);
bool tess_foam_word_is(const char *word, size_t length, const char *text);

/* The next word as a name, which may be in quotes; cut where it is too long. */
void tess_foam_name(tess_scan *scan, char name[TESS_GROUP_NAME_SIZE]);

/* Whether a mark, one of ( ) { } ;, comes next. */
bool tess_foam_next_is(tess_scan *scan, char mark);

/* Reads that mark; fails by `where` it should be. */
TESS_MUST_CHECK tess_status tess_foam_expect(tess_scan *scan, char mark, const char *where);

/* A whole number from `least` to `most`, as text. */
TESS_MUST_CHECK tess_status tess_foam_label(tess_scan *scan, const char *what, int64_t least,
                                            int64_t most, int64_t *out);
/* A coordinate, as text. */
TESS_MUST_CHECK tess_status tess_foam_real(tess_scan *scan, double *out);

/* Reads how many items of a list there are, and its '('; fails where the rest of the file is too
 * short for so many of `bytes` bytes at least. */
TESS_MUST_CHECK tess_status tess_foam_list_open(tess_foam_file *file, const char *what,
                                                int64_t bytes, int64_t *n);
TESS_MUST_CHECK tess_status tess_foam_list_close(tess_foam_file *file, int64_t n);

/* A list of labels in [0, limit): `n` of them, -1: as many as there are. The caller frees *out. */
TESS_MUST_CHECK tess_status tess_foam_labels(tess_foam_file *file, const char *what, int64_t limit,
                                             int64_t n, int64_t *out_n, int32_t **out);
