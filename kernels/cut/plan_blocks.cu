/* How a plan is made of blocks, in the words of simt.h: elements in the order of their blocks, the distinct points that
 * each block reaches, ascending, and the place of each element's points among these.
 *
 * offsets [n_blocks + 1] elements of each block; later where it begins
 * taken [n_blocks]       those that lie there */

enum { NO_POINT = 0x7fffffff }; /* behind all points */

/* The block of an element; wrong ones are told, and are the first block. */
INLINE int block_at(const struct params *p, long long e) {
    const int block = load(&p->block_of[e]), is_wrong = block < 0 || block >= p->n_blocks;
    if (is_wrong)
        atomic_max(&p->faults[WRONG_BLOCK], 1u);
    return is_wrong ? 0 : block;
}

/* The block that executes an element for the point in its s-th slot, where blocks own points, unless it does so for
 * one before; else its own. -1: none. */
INLINE int executing_block(const struct params *p, long long e, int s) {
    if (e >= p->n || !p->owned_slots)
        return e < p->n ? block_at(p, e) : -1;
    const int *points = &p->owned_map[e * p->owned_slots];
    const int point = fetch(&points[s]), block = point < 0 || point >= p->n_points ? -1 : block_at(p, point);
    if (point >= p->n_points)
        atomic_max(&p->faults[WRONG_POINT], 1u);
    for (int t = 0; t < s && block >= 0; t++) {
        const int other = fetch(&points[t]);
        if (other >= 0 && other < p->n_points && block_at(p, other) == block)
            return -1;
    }
    return block;
}

#define EXECUTIONS() (p->owned_slots ? (int)p->owned_slots : 1) /* of an element, at most */

/* Of lanes with elements of one block the first one adds for all. */
KERNEL(count_elements) {
    const struct params *p = PARAMS;
    for (int s = 0; s < EXECUTIONS(); s++) {
        const int block = executing_block(p, ELEMENT(), s);
        const unsigned others = match_any(ALL_LANES, block);
        if (block >= 0 && lane() == lowest_lane(others))
            atomic_add(&p->offsets[block], count_lanes(others));
    }
}

/* Elements come to lie in their blocks, in any order, but for blocks that are taken over. */
KERNEL(place_elements) {
    const struct params *p = PARAMS;
    for (int s = 0; s < EXECUTIONS(); s++) {
        int block = executing_block(p, ELEMENT(), s), at = 0;
        if (block >= 0 && p->kept && load(&p->kept[block]))
            block = -1;
        const unsigned others = match_any(ALL_LANES, block);
        const int first = lowest_lane(others);
        if (block >= 0 && lane() == first)
            at = load(&p->offsets[block]) + atomic_take(&p->taken[block], count_lanes(others));
        at = shuffle(ALL_LANES, at, first);
        if (block >= 0)
            store(&p->executed_out[at + count_lanes(others & ((1u << lane()) - 1))], (int)ELEMENT());
    }
}

/* The block that is planned by this thread block: of a list, or of all. */
INLINE int planned_block(const struct params *p) {
    return p->touched_list ? load(&p->touched_list[block_index()]) : block_index();
}

/* Sorts n values in shared memory, a power of 2, ascending: bitonically, in stretches of `size`. A warp has 2 * WARP
 * values to itself while steps are of WARP at most. */
INLINE void sort_in_block(int *values, int n) {
    for (int size = 2; size <= n; size *= 2)
        for (int step = size / 2; step > 0; step /= 2) {
            if (size == 2 || step > WARP || (step == WARP && size > 2 * WARP))
                barrier();
            else
                warp_barrier(ALL_LANES);
            for (int i = thread_index(); i < n / 2; i += THREADS) {
                const int low = 2 * i - (i & (step - 1)), high = low + step;
                const int a = load(&values[low]), b = load(&values[high]);
                if ((a > b) == ((low & size) == 0)) {
                    store(&values[low], b);
                    store(&values[high], a);
                }
            }
        }
    barrier();
}

/* The elements of a block ascend. */
KERNEL(order_elements) {
    const struct params *p = PARAMS;
    int *sorted = (int *)shared_memory(); /* [CHUNK] */
    const int block = planned_block(p), begin = load(&p->offsets[block]);
    const int n = load(&p->offsets[block + 1]) - begin, is_large = n > CHUNK;
    int size = 1;
    while (size < n && !is_large)
        size *= 2;
    for (int i = thread_index(); i < size; i += THREADS)
        store(&sorted[i], i < n ? load(&p->executed_out[begin + i]) : NO_POINT);
    sort_in_block(sorted, size);
    for (int i = thread_index(); i < n && !is_large; i += THREADS)
        store(&p->executed_out[begin + i], load(&sorted[i]));
}

KERNEL(give_offsets) {
    const struct params *p = PARAMS;
    if (ELEMENT() <= p->n_blocks)
        store(&p->offsets_out[ELEMENT()], load(&p->offsets[ELEMENT()]));
}

/* What the i-th reference of a block leads to, whose elements begin there. */
INLINE int reached_by(const struct params *p, int begin, int i) {
    const int n_slots = (int)p->n_slots;
    const long long element = load(&p->executed_out[begin + i / n_slots]);
    const int point = fetch(&p->map[element * n_slots + i % n_slots]);
    return point < 0 ? NO_POINT : point;
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
    const int block = planned_block(p), begin = load(&p->offsets[block]);
    const int n_elements = load(&p->offsets[block + 1]) - begin, is_large = n_elements > CHUNK / p->n_slots;
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
    if (thread_index() == 0)
        store(&p->values[block], n_distinct);
}

/* Closes the gaps between the points of blocks, whose counts were scanned. */
KERNEL(pack_points) {
    const struct params *p = PARAMS;
    const int block = planned_block(p);
    const long long from = load(&p->offsets[block]) * p->n_slots;
    const int to = load(&p->values[block]), n = load(&p->values[block + 1]) - to;
    for (int i = thread_index(); i < n; i += THREADS)
        store(&p->points_out[to + i], load(&p->points[from + i]));
}
