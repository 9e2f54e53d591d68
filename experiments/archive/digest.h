/* A digest: the SHA-256 of canonical content, in hexadecimal. Same content, same name. */
#pragma once

#include "core/mesh/mesh.h"

enum { TESS_DIGEST_SIZE = 65 }; /* 64 hexadecimal digits and a closing zero */

/* A digest in the making. Every piece is hashed with its length before it, so that no two different
 * sequences of pieces are the same bytes. Numbers are little-endian. */
typedef struct tess_hash tess_hash;

TESS_MUST_CHECK tess_status tess_hash_new(const char *kind, tess_hash **out);
TESS_MUST_CHECK tess_status tess_hash_text(tess_hash *hash, const char *text);
TESS_MUST_CHECK tess_status tess_hash_int(tess_hash *hash, int64_t value);
/* `values` may be NULL where n is 0. */
TESS_MUST_CHECK tess_status tess_hash_array(tess_hash *hash, const void *values, int64_t n,
                                            size_t element_size);
TESS_MUST_CHECK tess_status tess_hash_finish(tess_hash *hash, char digest[TESS_DIGEST_SIZE]);
void tess_hash_free(tess_hash *hash);

/* Whether a text has the form of a digest. */
bool tess_digest_is_one(const char *text);

/* The digest of a mesh: dimension, shape, coordinates, markers, and its sets, maps and dats in the
 * order of their names. Where it came from and how it was derived do not count. */
TESS_MUST_CHECK tess_status tess_digest_of_mesh(const tess_mesh *mesh,
                                                char digest[TESS_DIGEST_SIZE]);

/* The SHA-256 of a file's bytes alone, as `sha256sum` prints it. Fails (IO) where it cannot be
 * read. */
TESS_MUST_CHECK tess_status tess_digest_of_file(const char *path, char digest[TESS_DIGEST_SIZE]);
