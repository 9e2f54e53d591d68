/* A whole file: one that readers see complete or not at all, whatever becomes of its writer.
 *
 * It is written without a name where the file system knows such files, so that nothing stays of a
 * writer that is ended, synced, then given a temporary name in the same folder, renamed, and the
 * folder synced. Any number of writers on any machines need no lock. A temporary's name says who
 * writes it: `.NAME.HOST.PID.RANDOM.tmp`. */
#pragma once

#include "core/base/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Fails (IO) where no file can come to the path, asked before long work: its folder is missing or
 * closed, or something else than a file is there, such as a folder, a pipe or /dev/null. Fails
 * (USAGE) at "-", by which a user means the standard output. */
TESS_MUST_CHECK tess_status tess_whole_file_check(const char *path);

/* A file that is being written; all zero but for `is_remade` before it is opened. */
typedef struct tess_whole_file {
    bool is_remade;  /* it can be made again: kept without a sync, a power cut may empty it */
    bool is_named;   /* the temporary is in the folder */
    char *path;      /* owned */
    char *temporary; /* owned */
    FILE *stream;    /* the writer's; NULL when kept */
} tess_whole_file;

/* Opens file->stream for the bytes that are to be at `path`. Fails (IO) as tess_whole_file_check,
 * and where the folder cannot be written. */
TESS_MUST_CHECK tess_status tess_whole_file_open(const char *path, tess_whole_file *file);

/* Puts what was written to the stream in the place of what was at the path, in one step. Fails (IO)
 * on a full disk, by name and reason: what was there then stays. */
TESS_MUST_CHECK tess_status tess_whole_file_keep(tess_whole_file *file);

/* Ends the writing: what was not kept is gone. */
void tess_whole_file_release(tess_whole_file *file);

/* The three at once: writes `size` bytes to `path`. */
TESS_MUST_CHECK tess_status tess_whole_file_write(const char *path, const void *bytes, size_t size);

/* Writes what can be made again, without a sync. */
TESS_MUST_CHECK tess_status tess_whole_file_remake(const char *path, const void *bytes,
                                                   size_t size);

/* True for the name (without folder) of a temporary; readers of folders pass over those. */
bool tess_whole_file_is_temporary(const char *name);

/* Whether the writer of the temporary folder/name is gone: a process of this host that has ended,
 * or nothing heard of it for an hour. */
bool tess_whole_file_is_stale(const char *folder, const char *name);
