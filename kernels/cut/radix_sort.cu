/* How elements are sorted by a digit of 64-bit keys, stably, in the words of simt.h: the digits of each tile are
 * counted, the counts scanned, digit by digit and tile by tile, and each tile puts its elements where they say. */

INLINE int digit_of(const struct params *p, unsigned long long key) {
    return (int)(key >> p->shift) & (DIGITS - 1);
}

/* p->values [DIGITS][p->n_tiles]: elements of each digit in each tile. */
KERNEL(count_digits) {
    const struct params *p = PARAMS;
    int *counts = (int *)shared_memory();
    const long long first = (long long)block_index() * CHUNK;
    store(&counts[thread_index()], 0); /* THREADS are DIGITS */
    barrier();
    UNROLL for (int i = 0; i < ITEMS; i++) {
        const long long at = first + i * THREADS + thread_index();
        if (at < p->n)
            atomic_add(&counts[digit_of(p, load(&p->keys[at]))], 1);
    }
    barrier();
    store(&p->values[thread_index() * p->n_tiles + block_index()], load(&counts[thread_index()]));
}

/* A warp's elements are ITEMS rows of WARP that follow each other: the place of each among those of its digit in
 * the warp is kept, while `counts` [DIGITS] grow to those of the warp. */
INLINE void rank_in_warp(const struct params *p, long long first, int *counts, unsigned long long *keys, int *ranks) {
    for (int d = lane(); d < DIGITS; d += WARP)
        store(&counts[d], 0);
    UNROLL for (int i = 0; i < ITEMS; i++) {
        const long long at = first + i * WARP + lane();
        keys[i] = at < p->n ? load(&p->keys[at]) : 0;
    }
    warp_barrier(ALL_LANES);
    UNROLL for (int i = 0; i < ITEMS; i++) {
        if (first + i * WARP >= p->n)
            break;
        const int digit = first + i * WARP + lane() < p->n ? digit_of(p, keys[i]) : DIGITS;
        const unsigned same = match_any(ALL_LANES, digit);
        const int before = count_lanes(same & ((1u << lane()) - 1));
        const int start = digit < DIGITS ? load(&counts[digit]) : 0;
        warp_barrier(ALL_LANES);
        if (digit < DIGITS && before == 0)
            store(&counts[digit], start + count_lanes(same));
        warp_barrier(ALL_LANES);
        ranks[i] = start + before;
    }
}

/* Elements go from p->keys and p->ids to p->keys_out and p->ids_out, those of a tile in the order of their digits, so
 * that threads side by side write side by side. */
KERNEL(place_by_digit) {
    const struct params *p = PARAMS;
    int *counts = (int *)shared_memory(); /* [WARPS][DIGITS] */
    int *starts = counts + WARPS * DIGITS; /* [DIGITS]: where a digit's are put, less where they are in the tile */
    int *parts = starts + DIGITS;          /* [WARPS] */
    int *tile_ids = parts + WARPS;         /* [CHUNK] */
    unsigned long long *tile_keys = (unsigned long long *)(tile_ids + CHUNK); /* [CHUNK] */
    const int warp = thread_index() / WARP, digit = thread_index();
    const long long tile = (long long)block_index() * CHUNK, first = tile + warp * (CHUNK / WARPS);
    unsigned long long keys[ITEMS];
    int ranks[ITEMS], count = 0, total;
    rank_in_warp(p, first, &counts[warp * DIGITS], keys, ranks);
    barrier();
    UNROLL for (int w = 0; w < WARPS; w++) {
        const int more = load(&counts[w * DIGITS + digit]);
        store(&counts[w * DIGITS + digit], count);
        count += more;
    }
    const int start = sum_before_in_block(count, parts, &total);
    store(&starts[digit], load(&p->values[digit * p->n_tiles + block_index()]) - start);
    UNROLL for (int w = 0; w < WARPS; w++)
        store(&counts[w * DIGITS + digit], load(&counts[w * DIGITS + digit]) + start);
    barrier();
    UNROLL for (int i = 0; i < ITEMS; i++) {
        const long long at = first + i * WARP + lane();
        if (at < p->n) {
            const int to = load(&counts[warp * DIGITS + digit_of(p, keys[i])]) + ranks[i];
            store(&tile_keys[to], keys[i]);
            store(&tile_ids[to], load(&p->ids[at]));
        }
    }
    barrier();
    UNROLL for (int i = 0; i < ITEMS; i++) {
        const int at = i * THREADS + thread_index();
        if (tile + at < p->n) {
            const unsigned long long key = load(&tile_keys[at]);
            const int to = load(&starts[digit_of(p, key)]) + at;
            store(&p->keys_out[to], key);
            store(&p->ids_out[to], load(&tile_ids[at]));
        }
    }
}
