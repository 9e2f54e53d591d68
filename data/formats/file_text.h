/* The whole content of a file, decompressed, in memory, with its name for messages. */
#pragma once

#include "core/base/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tess_reading; /* data/formats/reader.h */

typedef struct tess_file_text {
    char *path;    /* as given */
    char *content; /* [size + 1], a zero behind the end; owned */
    int64_t size;
    bool packed; /* the file holds it compressed */
    bool mapped; /* the content is that of the file's own pages, a large file's */
    const struct tess_reading *reading; /* how it is to be read; NULL: as it says itself */
} tess_file_text;

/* Lets go of the pages of a mapped file that lie between two places: who reads them again has them
 * from the disk. */
void tess_file_pages_pass(const char *from, const char *to);

/* Whether the content has the word; lets go of the pages that it passes. */
bool tess_file_text_holds(const tess_file_text *text, const char *word);

/* Reads a regular file; .xz .gz .zst .bz2 by their magic bytes through libarchive. A compressed
 * file may grow to at most 1000 times its size. A large one is mapped: it must not shrink until it
 * is freed. */
TESS_MUST_CHECK tess_status tess_file_text_read(const char *path, tess_file_text **out);
/* Opens the file `name` in the folder of the file `beside`, with or without an ending of
 * those above. */
TESS_MUST_CHECK tess_status tess_file_text_read_beside(const char *beside, const char *name,
                                                       tess_file_text **out);
/* Whether there is such a file. */
bool tess_file_text_is_beside(const char *beside, const char *name);
/* Length of the path without the ending that compression gave it. */
size_t tess_path_length_unpacked(const char *path);
void tess_file_text_free(tess_file_text *file);
