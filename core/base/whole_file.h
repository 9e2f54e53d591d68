/* A whole file: one that readers see complete or not at all, whatever becomes of its writer.
 *
 * It is written under a temporary name in the same folder, synced, renamed, and the folder synced.
 * Any number of writers on any machines need no lock. A temporary's name says who writes it:
 * `.NAME.HOST.PID.RANDOM.tmp`. */
#pragma once

#include "core/base/status.h"
#include <stdbool.h>
#include <stddef.h>

/* Fails (IO) where something else than a file is at the path, which a file would take the place of:
 * a folder, a pipe, /dev/null. */
TESS_MUST_CHECK tess_status tess_whole_file_check(const char *path);

/* Writes `size` bytes to `path`, replacing what is there in one step. On failure (a full disk, no
 * permission) what was there stays, the temporary is gone and the message says why. */
TESS_MUST_CHECK tess_status tess_whole_file_write(const char *path, const void *bytes, size_t size);

/* True for the name (without folder) of a temporary; readers of folders pass over those. */
bool tess_whole_file_is_temporary(const char *name);

/* True when the writer of the temporary folder/name is gone: a process of this host that has ended,
 * or nothing heard of it for an hour. */
bool tess_whole_file_is_stale(const char *folder, const char *name);
