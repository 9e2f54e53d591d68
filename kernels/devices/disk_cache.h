/* The disk cache: files named by the content they were made from. */
#pragma once

#include "core/base/status.h"
#include <stdbool.h>
#include <stddef.h>

enum { TESS_CACHE_KEY = 33 }; /* bytes of a key with its closing zero */

/* Gives the path of $TESS_CACHE/kind, else $XDG_CACHE_HOME/tesselab/kind, else
 * ~/.cache/tesselab/kind, or where that cannot be written $TMPDIR/tesselab-UID-kind; made where it
 * is missing; the caller frees it. What lies there is executed: fails (IO) where others may write.
 */
TESS_MUST_CHECK tess_status tess_cache_directory(const char *kind, char **out);

/* Whether the last place given was one for temporary files, for want of a HOME that can be written.
 */
bool tess_cache_is_temporary(void);

/* The key of a list of texts that ends with NULL. */
void tess_cache_key(const char *const *texts, char key[TESS_CACHE_KEY]);

/* The digest of bytes, written as a key is. */
void tess_cache_digest(const void *bytes, size_t size, char digest[TESS_CACHE_KEY]);

/* Reads a whole file; *out has a zero behind its end and is the caller's. *out is NULL, with
 * TESS_OK, where there is no such file. */
TESS_MUST_CHECK tess_status tess_cache_read(const char *path, char **out, size_t *size);
