/* How the points of blocks come to lie among what a block stages, in the words of simt.h, each by where it is stored: those
 * that the block owns first, or the longest run of points stored one behind the other, and then the others, ascending.
 *
 * offsets [n_blocks + 1]      where the points of blocks begin in the next five
 * points, order               their numbers, none: as they lie here; and where each number is stored, none: at itself
 * own_ranks                   their ranks among those that their block owns, -1: another one does; none: no block owns any
 * staged_at                   where they come to lie
 * others                      those behind the run, at first all that are sorted; n_others [n_blocks] of each block
 * own_offsets [n_blocks + 1]  where the owned points of blocks begin
 * runs [n_blocks][2]          the first of a run, and how many there are */

enum { RUN_ALIGNED = sizeof(struct piece) / sizeof(int) }; /* a run is staged from a multiple of it on */

INLINE int stored_point(const struct params *p, int i) {
    const int point = p->points ? fetch(&p->points[i]) : i;
    return p->order ? fetch(&p->order[point]) : point;
}

/* Ranks of owned points, and how many each block has, to own_offsets. */
KERNEL(rank_own_points) {
    const struct params *p = PARAMS;
    const int first = fetch(&p->offsets[block_index()]), n = fetch(&p->offsets[block_index() + 1]) - first;
    const struct number_set set = open_numbers(n);
    int own[ITEMS];
    UNROLL for (int k = 0; k < ITEMS && k * THREADS < n; k++) {
        const int i = k * THREADS + thread_index();
        own[k] = -1;
        if (i < n && (!p->owners || fetch(&p->owners[fetch(&p->points[first + i])]) == block_index()))
            own[k] = stored_point(p, first + i);
        if (own[k] >= 0)
            put_number(&set, own[k]);
    }
    const int n_own = order_numbers(&set);
    UNROLL for (int k = 0; k < ITEMS && k * THREADS < n; k++) {
        const int i = k * THREADS + thread_index();
        if (i < n)
            store(&p->own_ranks[first + i], own[k] < 0 ? -1 : place_of_number(&set, own[k]));
    }
    if (thread_index() == 0)
        store(&p->own_offsets[block_index()], n_own);
}

/* Where owned points are stored, to own_points; marks [1]: whether one is not at its position there. */
KERNEL(list_own_points) {
    const struct params *p = PARAMS;
    const int end = fetch(&p->offsets[block_index() + 1]), own_first = fetch(&p->own_offsets[block_index()]);
    for (int i = fetch(&p->offsets[block_index()]) + thread_index(); i < end; i += THREADS) {
        const int rank = fetch(&p->own_ranks[i]), stored = stored_point(p, i);
        if (rank < 0)
            continue;
        store(&p->own_points[own_first + rank], stored);
        if (stored != own_first + rank)
            atomic_max(&p->marks[0], 1u);
    }
}

struct stored_run {
    int begin, at, length; /* its first, at which position among those that are sorted */
};

/* The first position, of n sorted ones, behind the run that has the one at `at`. */
INLINE int end_of_run(const int *sorted, int n, int at) {
    const int ahead = load(&sorted[at]) - at;
    int low = at + 1, high = n;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (load(&sorted[middle]) - middle == ahead)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The first of the longest runs; `longest` is room for its length and the inverse of its position. */
INLINE struct stored_run find_run(const int *sorted, int n, unsigned *longest) {
    struct stored_run run = {0, 0, 0};
    if (thread_index() == 0)
        store(longest, 0);
    barrier();
    for (int i = thread_index(); i < n; i += THREADS)
        if (i == 0 || load(&sorted[i - 1]) + 1 != load(&sorted[i]))
            atomic_max(longest, (unsigned)(end_of_run(sorted, n, i) - i) << 16 | (0xffff - i));
    barrier();
    if (n > 0) {
        run.length = (int)(load(longest) >> 16);
        run.at = 0xffff - (int)(load(longest) & 0xffff);
        run.begin = load(&sorted[run.at]);
    }
    barrier(); /* the others are written over those that are sorted */
    return run;
}

INLINE struct stored_run own_run(const struct params *p) {
    const int first = fetch(&p->own_offsets[block_index()]);
    const struct stored_run run = {p->in_order ? first : 0, 0, fetch(&p->own_offsets[block_index() + 1]) - first};
    return run;
}

KERNEL(stage_points) {
    const struct params *p = PARAMS;
    const int first = fetch(&p->offsets[block_index()]), n = fetch(&p->offsets[block_index() + 1]) - first;
    const struct number_set set = open_numbers(n);
    int *const others = p->others + first, by_owner = p->own_ranks != 0;
    int stored[ITEMS];
    UNROLL for (int k = 0; k < ITEMS && k * THREADS < n; k++) {
        const int i = k * THREADS + thread_index();
        stored[k] = i < n && !(by_owner && fetch(&p->own_ranks[first + i]) >= 0) ? stored_point(p, first + i) : -1;
        if (stored[k] >= 0)
            put_number(&set, stored[k]);
    }
    const int n_sorted = order_numbers(&set);
    UNROLL for (int k = 0; k < ITEMS && k * THREADS < n; k++)
        if (stored[k] >= 0)
            store(&others[place_of_number(&set, stored[k])], stored[k]);
    const struct stored_run run = by_owner ? own_run(p) : find_run(others, n_sorted, (unsigned *)set.n_words);
    const int run_at = run.begin % RUN_ALIGNED, n_taken = by_owner ? 0 : run.length; /* of those that are sorted */
    const int end = (run_at + run.length + RUN_ALIGNED - 1) / RUN_ALIGNED * RUN_ALIGNED;
    UNROLL for (int k = 0; k < ITEMS && k * THREADS < n; k++) {
        const int i = k * THREADS + thread_index();
        if (i >= n)
            continue;
        const int at = stored[k] < 0 ? 0 : place_of_number(&set, stored[k]);
        const int other = at < run.at ? at : at - n_taken, is_other = at < run.at || at >= run.at + n_taken;
        if (stored[k] < 0)
            store(&p->staged_at[first + i], run_at + fetch(&p->own_ranks[first + i]));
        else
            store(&p->staged_at[first + i], is_other ? end + other : run_at + at - run.at);
        if (stored[k] >= 0 && is_other)
            store(&others[other], stored[k]);
    }
    if (thread_index() > 0)
        return;
    store(&p->n_others[block_index()], n_sorted - n_taken);
    if (p->runs) {
        store(&p->runs[2 * block_index()], run.begin);
        store(&p->runs[2 * block_index() + 1], run.length);
    }
}

/* The others of blocks come to lie from offsets_out [n_blocks + 1] on, -1 behind a block's last. */
KERNEL(close_lists) {
    const struct params *p = PARAMS;
    const int first = fetch(&p->offsets[block_index()]), n = fetch(&p->n_others[block_index()]);
    const int to = fetch(&p->offsets_out[block_index()]), room = fetch(&p->offsets_out[block_index() + 1]) - to;
    for (int i = thread_index(); i < room; i += THREADS)
        store(&p->points_out[to + i], i < n ? load(&p->others[first + i]) : -1);
}
