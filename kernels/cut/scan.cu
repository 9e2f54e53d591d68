/* Words of all kernels, in those of simt.h: the element of a thread, bits of a number, and sums over what comes before, over
 * a warp, a block, an array of ints. A block takes CHUNK values, each thread ITEMS that lie side by side. */

#define ELEMENT() ((long long)block_index() * THREADS + thread_index())

INLINE int bits_of(unsigned long long x) {
    int bits = 0;
    for (int step = 32; step > 0; step /= 2)
        if (x >> step) {
            x >>= step;
            bits += step;
        }
    return bits + (x != 0);
}

INLINE int sum_before_in_warp(int value) {
    int sum = value;
    UNROLL for (int delta = 1; delta < WARP; delta *= 2) {
        const int more = shuffle(ALL_LANES, sum, lane() >= delta ? lane() - delta : lane());
        sum += lane() >= delta ? more : 0;
    }
    return sum - value;
}

/* Threads side by side, whole warps. A block's teams come to each barrier together. */
struct team {
    int first, size;
};

INLINE struct team whole_block(void) {
    struct team team = {0, THREADS};
    return team;
}

INLINE int rank_in(struct team team) {
    return thread_index() - team.first;
}

/* Of all threads of a team; `parts` is room for an int of each of its warps in shared memory, *total the sum of all. */
INLINE int sum_before_in_team(struct team team, int value, int *parts, int *total) {
    const int before = sum_before_in_warp(value), warp = rank_in(team) / WARP;
    int start = 0, all = 0;
    barrier(); /* parts may still be read by the call before */
    if (lane() == WARP - 1)
        store(&parts[warp], before + value);
    barrier();
    UNROLL for (int w = 0; w < team.size / WARP; w++) {
        const int part = load(&parts[w]);
        start += w < warp ? part : 0;
        all += part;
    }
    *total = all;
    return start + before;
}

INLINE int sum_before_in_block(int value, int *parts, int *total) {
    return sum_before_in_team(whole_block(), value, parts, total);
}

/* Each of CHUNK values from `first` on becomes the sum of those before it and `start`; gives the sum of all. */
INLINE int scan_chunk(int *values, long long n, long long first, int start, int *parts) {
    int own[ITEMS], sum = 0, total;
    const long long at = first + thread_index() * ITEMS;
    UNROLL for (int i = 0; i < ITEMS; i++) {
        own[i] = at + i < n ? load(&values[at + i]) : 0;
        sum += own[i];
    }
    start += sum_before_in_block(sum, parts, &total);
    UNROLL for (int i = 0; i < ITEMS; i++) {
        if (at + i < n)
            store(&values[at + i], start);
        start += own[i];
    }
    return total;
}

/* The sum of each chunk of p->values. */
KERNEL(sum_chunks) {
    const struct params *p = PARAMS;
    int sum = 0, total;
    const long long first = (long long)block_index() * CHUNK;
    UNROLL for (int i = 0; i < ITEMS; i++) {
        const long long at = first + i * THREADS + thread_index();
        sum += at < p->n_values ? load(&p->values[at]) : 0;
    }
    sum_before_in_block(sum, (int *)shared_memory(), &total);
    if (thread_index() == 0)
        store(&p->sums[block_index()], total);
}

/* Scans p->values, a chunk after the other, by one block. */
KERNEL(scan_by_one_block) {
    const struct params *p = PARAMS;
    int start = 0;
    for (long long first = 0; first < p->n_values; first += CHUNK)
        start += scan_chunk(p->values, p->n_values, first, start, (int *)shared_memory());
}

/* Scans each chunk of p->values, whose sums were scanned. */
KERNEL(scan_chunks) {
    const struct params *p = PARAMS;
    const int start = load(&p->sums[block_index()]);
    scan_chunk(p->values, p->n_values, (long long)block_index() * CHUNK, start, (int *)shared_memory());
}
