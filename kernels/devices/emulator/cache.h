/* A cache: which sectors of 32 bytes it holds, in lines, of which one that was not used lately
 * goes.
 */
#pragma once

#include "core/base/status.h"
#include <stdbool.h>
#include <stdint.h>

enum { TESS_SECTOR_BYTES = 32 };

typedef struct tess_cache tess_cache;

/* An empty one of so many bytes, fully associative. A line has line_bytes, 32 to 256, of which
 * sectors come one by one. */
TESS_MUST_CHECK tess_status tess_cache_new(int64_t bytes, int line_bytes, tess_cache **out);
void tess_cache_free(tess_cache *cache);

/* From here on the least recently used of n lines goes that are picked at random, one may be picked
 * twice; 0, as at first: of all lines. */
void tess_cache_pick(tess_cache *cache, int n_picked);

/* Divides an empty cache into n sets of equal size, each of which drops lines by itself; the
 * sectors of 128 bytes fall into one set. */
TESS_MUST_CHECK tess_status tess_cache_divide(tess_cache *cache, int n_sets);

/* Accesses a sector and gives whether it was there; it is afterwards. A `dirty` one is written back
 * when it goes: adds those that this access drives out to *n_written. */
bool tess_cache_access(tess_cache *cache, uint64_t sector, bool dirty, int64_t *n_written);

/* Writes back all that is dirty, which stays; gives how many sectors. */
int64_t tess_cache_clean(tess_cache *cache);
