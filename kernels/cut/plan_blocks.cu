/* How a plan is made of blocks, in the words of simt.h: elements in the order of their blocks, the distinct points that
 * each block reaches, ascending, and the place of each element's points among these. */

enum { NO_POINT = 0x7fffffff }; /* behind all points */

KERNEL(fill_block_keys) {
    const struct params *p = PARAMS;
    const long long at = (long long)block_index() * THREADS + thread_index();
    const int block = at < p->n ? load(&p->block_of[at]) : 0, is_wrong = block < 0 || block >= p->n_blocks;
    if (is_wrong)
        atomic_max(&p->faults[WRONG_BLOCK], 1u);
    if (at < p->n) {
        store(&p->keys[at], (unsigned long long)(is_wrong ? 0 : block));
        store(&p->ids[at], (int)at);
    }
}

/* p->offsets [n_blocks + 1]: where each block begins among elements that are sorted by block, n at the end. */
KERNEL(find_offsets) {
    const struct params *p = PARAMS;
    const long long at = (long long)block_index() * THREADS + thread_index();
    if (at > p->n)
        return;
    const int before = at > 0 ? (int)load(&p->keys[at - 1]) : -1;
    const int block = at < p->n ? (int)load(&p->keys[at]) : (int)p->n_blocks;
    for (int b = before + 1; b <= block; b++)
        store(&p->offsets[b], (int)at);
}

/* What the i-th reference of a block leads to, whose elements begin there. */
INLINE int reached_by(const struct params *p, int begin, int i) {
    const int n_slots = (int)p->n_slots;
    const long long element = load(&p->ids[begin + i / n_slots]);
    const int point = fetch(&p->map[element * n_slots + i % n_slots]);
    return point < 0 ? NO_POINT : point;
}

/* Sorts n values in shared memory, a power of 2, ascending: bitonically, in stretches of `size`. */
INLINE void sort_in_block(int *values, int n) {
    for (int size = 2; size <= n; size *= 2)
        for (int step = size / 2; step > 0; step /= 2) {
            barrier();
            for (int i = thread_index(); i < n / 2; i += THREADS) {
                const int low = 2 * step * (i / step) + i % step, high = low + step;
                const int a = load(&values[low]), b = load(&values[high]);
                if ((a > b) == ((low & size) == 0)) {
                    store(&values[low], b);
                    store(&values[high], a);
                }
            }
        }
    barrier();
}

/* Lists the distinct ones of n sorted values, but NO_POINT, and gives how many they are. */
INLINE int list_distinct(const int *sorted, int n, int *distinct, int *parts) {
    int own[ITEMS], count = 0, total;
    const int first = thread_index() * ITEMS;
    UNROLL for (int i = 0; i < ITEMS; i++) {
        const int at = first + i, value = at < n ? load(&sorted[at]) : NO_POINT;
        own[i] = value == NO_POINT || (at > 0 && load(&sorted[at - 1]) == value) ? NO_POINT : value;
        count += own[i] != NO_POINT;
    }
    int at = sum_before_in_block(count, parts, &total);
    UNROLL for (int i = 0; i < ITEMS; i++)
        if (own[i] != NO_POINT)
            store(&distinct[at++], own[i]);
    barrier();
    return total;
}

INLINE int place_among(const int *distinct, int n, int value) {
    int low = 0;
    for (int high = n; low < high;) {
        const int middle = (low + high) / 2;
        if (load(&distinct[middle]) < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The points of a block go to p->points, at its first reference, and how many they are to p->values [n_blocks + 1]; of a
 * block with more than CHUNK references none does. */
KERNEL(list_points) {
    const struct params *p = PARAMS;
    int *sorted = (int *)shared_memory(); /* [CHUNK] */
    int *distinct = sorted + CHUNK;       /* [CHUNK] */
    int *parts = distinct + CHUNK;        /* [WARPS] */
    const int begin = load(&p->offsets[block_index()]);
    const int n_elements = load(&p->offsets[block_index() + 1]) - begin, is_large = n_elements > CHUNK / p->n_slots;
    const int n = is_large ? 0 : n_elements * (int)p->n_slots;
    const long long first = (long long)begin * p->n_slots;
    int size = 1;
    if (is_large && thread_index() == 0)
        atomic_max(&p->faults[LARGE_BLOCK], 1u);
    while (size < n)
        size *= 2;
    for (int i = thread_index(); i < size; i += THREADS)
        store(&sorted[i], i < n ? reached_by(p, begin, i) : NO_POINT);
    sort_in_block(sorted, size);
    const int n_distinct = list_distinct(sorted, size, distinct, parts);
    for (int i = thread_index(); i < n_distinct; i += THREADS)
        store(&p->points[first + i], load(&distinct[i]));
    for (int i = thread_index(); i < n; i += THREADS) {
        const int point = reached_by(p, begin, i);
        const int place = point == NO_POINT ? 0xffff : place_among(distinct, n_distinct, point);
        store(&p->local_index[first + i], (unsigned short)place);
    }
    if (thread_index() == 0) {
        store(&p->values[block_index()], n_distinct);
        if (block_index() == p->n_blocks - 1)
            store(&p->values[p->n_blocks], 0);
    }
}

/* Closes the gaps between the points of blocks, whose counts were scanned. */
KERNEL(pack_points) {
    const struct params *p = PARAMS;
    const long long from = load(&p->offsets[block_index()]) * p->n_slots;
    const int to = load(&p->values[block_index()]), n = load(&p->values[block_index() + 1]) - to;
    for (int i = thread_index(); i < n; i += THREADS)
        store(&p->points_out[to + i], load(&p->points[from + i]));
}
