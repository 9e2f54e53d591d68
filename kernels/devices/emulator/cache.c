/* A cache: which sectors of 32 bytes it holds, in lines, of which one that was not used lately
 * goes.
 */
#include "kernels/devices/emulator/cache.h"

#include "core/base/array.h"
#include "core/base/splitmix.h"
#include <stdlib.h>

enum { NONE = -1, SECTORS_TOGETHER = 4 };

typedef struct cache_line {
    uint64_t number;
    uint8_t valid, dirty;  /* a bit a sector */
    int64_t used;          /* the access that used it last */
    int32_t newer, older;  /* by last use */
    int32_t next_of_group; /* lines whose numbers fall together */
} cache_line;

struct tess_cache {
    int32_t capacity, n_lines;
    uint32_t sectors; /* of a line */
    int32_t newest, oldest;
    int64_t n_accesses;
    int n_picked;      /* of which the oldest goes; 0: of all */
    uint64_t random;   /* that picks them */
    uint32_t n_groups; /* a power of two */
    int32_t *group;    /* [n_groups]: the first line of each */
    cache_line *lines; /* [capacity] */
    int n_sets;
    tess_cache **sets; /* [n_sets]: which hold all, where there are some */
};

tess_status tess_cache_new(int64_t bytes, int line_bytes, tess_cache **out) {
    tess_status status = TESS_OK;
    tess_cache *cache = NULL;
    CHECK(TESS_ZEROS(1, &cache));
    cache->capacity = (int32_t)(bytes / line_bytes > 1 ? bytes / line_bytes : 1);
    cache->sectors = (uint32_t)line_bytes / TESS_SECTOR_BYTES;
    cache->newest = cache->oldest = NONE;
    cache->n_groups = 1;
    while (cache->n_groups < 2 * (uint32_t)cache->capacity)
        cache->n_groups *= 2;
    CHECK(TESS_ALLOC(cache->capacity, &cache->lines));
    CHECK(TESS_ALLOC(cache->n_groups, &cache->group));
    for (uint32_t g = 0; g < cache->n_groups; g++)
        cache->group[g] = NONE;
    *out = TESS_TAKE(cache);
done:
    tess_cache_free(cache);
    return status;
}

void tess_cache_pick(tess_cache *cache, int n_picked) {
    cache->n_picked = n_picked;
}

void tess_cache_free(tess_cache *cache) {
    if (!cache)
        return;
    for (int s = 0; s < cache->n_sets; s++)
        tess_cache_free(cache->sets[s]);
    free(cache->sets);
    free(cache->lines);
    free(cache->group);
    free(cache);
}

tess_status tess_cache_divide(tess_cache *cache, int n_sets) {
    const int64_t bytes = (int64_t)cache->capacity / n_sets * cache->sectors * TESS_SECTOR_BYTES;
    TRY(TESS_ZEROS(n_sets, &cache->sets));
    for (; cache->n_sets < n_sets; cache->n_sets++)
        TRY(tess_cache_new(bytes, (int)cache->sectors * TESS_SECTOR_BYTES,
                           &cache->sets[cache->n_sets]));
    return TESS_OK;
}

/* The set that a sector falls into, of those that are as likely. */
static tess_cache *set_of(const tess_cache *cache, uint64_t sector) {
    uint64_t h = sector / SECTORS_TOGETHER;
    h = (h ^ h >> 31) * UINT64_C(0x7fb5d329728ea185);
    h = (h ^ h >> 27) * UINT64_C(0x81dadef4bc2dd44d);
    return cache->sets[(h ^ h >> 33) % (uint64_t)cache->n_sets];
}

static int32_t *group_of(const tess_cache *cache, uint64_t number) {
    return &cache->group[number * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (cache->n_groups - 1)];
}

static int32_t find_line(const tess_cache *cache, uint64_t number) {
    int32_t line = *group_of(cache, number);
    while (line != NONE && cache->lines[line].number != number)
        line = cache->lines[line].next_of_group;
    return line;
}

static void unlink_line(tess_cache *cache, int32_t line) {
    const cache_line *gone = &cache->lines[line];
    *(gone->newer == NONE ? &cache->newest : &cache->lines[gone->newer].older) = gone->older;
    *(gone->older == NONE ? &cache->oldest : &cache->lines[gone->older].newer) = gone->newer;
}

static void make_newest(tess_cache *cache, int32_t line) {
    cache->lines[line].used = cache->n_accesses++;
    cache->lines[line].newer = NONE;
    cache->lines[line].older = cache->newest;
    *(cache->newest == NONE ? &cache->oldest : &cache->lines[cache->newest].newer) = line;
    cache->newest = line;
}

/* The line that goes: the least recently used of those that are picked, or of all. */
static int32_t find_victim(tess_cache *cache) {
    if (cache->n_picked == 0)
        return cache->oldest;
    int32_t victim = (int32_t)tess_random_below(&cache->random, cache->n_lines);
    for (int i = 1; i < cache->n_picked; i++) {
        const int32_t line = (int32_t)tess_random_below(&cache->random, cache->n_lines);
        victim = cache->lines[line].used < cache->lines[victim].used ? line : victim;
    }
    return victim;
}

/* Takes a line out. */
static int32_t drive_out(tess_cache *cache, int64_t *n_written) {
    const int32_t line = find_victim(cache);
    int32_t *at = group_of(cache, cache->lines[line].number);
    while (*at != line)
        at = &cache->lines[*at].next_of_group;
    *at = cache->lines[line].next_of_group;
    unlink_line(cache, line);
    *n_written += __builtin_popcount(cache->lines[line].dirty);
    return line;
}

/* An empty line of that number, which the cache has not. */
static int32_t take_line(tess_cache *cache, uint64_t number, int64_t *n_written) {
    const int32_t line =
        cache->n_lines < cache->capacity ? cache->n_lines++ : drive_out(cache, n_written);
    int32_t *group = group_of(cache, number);
    cache->lines[line] = (cache_line){.number = number, .next_of_group = *group};
    *group = line;
    return line;
}

bool tess_cache_access(tess_cache *cache, uint64_t sector, bool dirty, int64_t *n_written) {
    if (cache->n_sets > 0)
        return tess_cache_access(set_of(cache, sector), sector, dirty, n_written);
    const uint64_t number = sector / cache->sectors;
    const uint8_t bit = (uint8_t)(1u << sector % cache->sectors);
    int32_t line = find_line(cache, number);
    if (line == NONE)
        line = take_line(cache, number, n_written);
    else
        unlink_line(cache, line);
    make_newest(cache, line);
    const bool hit = cache->lines[line].valid & bit;
    cache->lines[line].valid |= bit;
    cache->lines[line].dirty |= dirty ? bit : 0;
    return hit;
}

int64_t tess_cache_clean(tess_cache *cache) {
    int64_t n = 0;
    for (int s = 0; s < cache->n_sets; s++)
        n += tess_cache_clean(cache->sets[s]);
    for (int32_t line = 0; line < cache->n_lines; line++) {
        n += __builtin_popcount(cache->lines[line].dirty);
        cache->lines[line].dirty = 0;
    }
    return n;
}
