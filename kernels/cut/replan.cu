/* Which blocks of a plan are taken over where a part of its elements has changed, in the words of simt.h: those whose
 * elements are all of a block still, and whose points ascend as they did. They are copied; the others are planned anew
 * (plan_blocks.cu).
 *
 * now [n_before]         the number that each has now (recut.cu)
 * same [n_blocks_before] the block that has the elements of each now, and 1; 0: none has
 * kept [n_blocks]        the block before that each is, and 1; 0 of one that is planned anew
 * ranks [n_blocks + 1]   1 of a block planned anew; later how many such blocks come before it */

KERNEL(check_numbers) {
    const struct params *p = PARAMS;
    const long long e = ELEMENT();
    const int was = e < p->n ? fetch(&p->was[e]) : -1;
    if (was >= 0 && was < p->n_before && load(&p->now[was]) != (unsigned)e + 1) /* another one was it, too */
        atomic_max(&p->faults[WRONG_NUMBER], 1u);
}

/* The number of an element before now, and 1; 0 of one that is gone. */
INLINE unsigned number_now(const struct params *p, long long at) {
    return load(&p->now[fetch(&p->executed_before[at])]);
}

INLINE int block_now(const struct params *p, long long at) {
    const unsigned number = number_now(p, at);
    return number ? load(&p->block_of[number - 1]) : -1;
}

/* A thread block a block before. */
KERNEL(match_blocks) {
    const struct params *p = PARAMS;
    unsigned *differs = (unsigned *)shared_memory();
    const int begin = fetch(&p->offsets_before[block_index()]), end = fetch(&p->offsets_before[block_index() + 1]);
    const int block = begin < end ? block_now(p, begin) : -1, is_block = block >= 0 && block < p->n_blocks;
    if (thread_index() == 0)
        store(differs, 0);
    barrier();
    for (int i = begin + thread_index(); is_block && i < end; i += THREADS)
        if (block_now(p, i) != block)
            atomic_max(differs, 1u);
    barrier();
    if (thread_index() == 0) {
        const int is_same = is_block && !load(differs) && load(&p->offsets[block]) == end - begin;
        store(&p->same[block_index()], is_same ? block + 1 : 0);
    }
}

/* The i-th reference of a block before leads there now, and 1; 0: nowhere. */
INLINE unsigned reached_now(const struct params *p, long long begin, int i) {
    const int n_slots = (int)p->n_slots;
    const long long element = (long long)number_now(p, begin + i / n_slots) - 1;
    const int point = fetch(&p->map[element * n_slots + i % n_slots]);
    return point < 0 ? 0 : (unsigned)point + 1;
}

/* The points of a block that is there still go to p->points_now, where they were; it is there no more where its local
 * indices do not find them, or they do not ascend. A thread block a block before. */
KERNEL(follow_points) {
    const struct params *p = PARAMS;
    unsigned *points = (unsigned *)shared_memory(), *differs = points + CHUNK; /* [CHUNK], [1] */
    const long long begin = fetch(&p->offsets_before[block_index()]);
    const int n = (int)((fetch(&p->offsets_before[block_index() + 1]) - begin) * p->n_slots);
    const int first = fetch(&p->point_offsets_before[block_index()]);
    const int n_points = fetch(&p->point_offsets_before[block_index() + 1]) - first;
    const int is_small = n <= CHUNK && n_points <= CHUNK;
    unsigned own[ITEMS];
    int failed = !is_small;
    if (!load(&p->same[block_index()]))
        return;
    for (int i = thread_index(); is_small && i < n_points; i += THREADS)
        store(&points[i], 0);
    if (thread_index() == 0)
        store(differs, 0);
    barrier();
    UNROLL for (int k = 0; k < ITEMS; k++) {
        const int i = k * THREADS + thread_index();
        own[k] = 0;
        if (!is_small || i >= n)
            continue;
        const int place = fetch(&p->local_before[begin * p->n_slots + i]);
        own[k] = reached_now(p, begin, i);
        if ((place == 0xffff) != (own[k] == 0) || (own[k] && place >= n_points)) {
            failed = 1;
            own[k] = 0;
        }
        if (own[k])
            atomic_max(&points[place], own[k]);
    }
    barrier();
    UNROLL for (int k = 0; k < ITEMS; k++)
        if (own[k])
            failed |= load(&points[fetch(&p->local_before[begin * p->n_slots + k * THREADS + thread_index()])]) != own[k];
    for (int i = thread_index(); is_small && i < n_points; i += THREADS) {
        failed |= i > 0 && load(&points[i]) <= load(&points[i - 1]);
        store(&p->points_now[first + i], (int)load(&points[i]) - 1);
    }
    if (failed)
        atomic_max(differs, 1u);
    barrier();
    if (thread_index() == 0 && load(differs))
        store(&p->same[block_index()], 0);
}

KERNEL(keep_blocks) {
    const struct params *p = PARAMS;
    const long long before = ELEMENT();
    const int block = before < p->n_blocks_before ? load(&p->same[before]) : 0;
    if (block)
        store(&p->kept[block - 1], (int)before + 1);
}

KERNEL(choose_blocks) {
    const struct params *p = PARAMS;
    const long long b = ELEMENT();
    if (b < p->n_blocks)
        store(&p->ranks[b], !load(&p->kept[b]));
}

KERNEL(list_chosen) {
    const struct params *p = PARAMS;
    const long long b = ELEMENT();
    if (b < p->n_blocks && !load(&p->kept[b]))
        store(&p->touched_list[load(&p->ranks[b])], (int)b);
}

KERNEL(copy_elements) {
    const struct params *p = PARAMS;
    const int before = load(&p->kept[block_index()]), to = load(&p->offsets[block_index()]);
    const int n = before ? load(&p->offsets[block_index() + 1]) - to : 0;
    const int from = before ? fetch(&p->offsets_before[before - 1]) : 0;
    for (int i = thread_index(); i < n; i += THREADS)
        store(&p->executed_out[to + i], (int)number_now(p, from + i) - 1);
}

/* Beside those of blocks that are planned anew. */
KERNEL(count_points) {
    const struct params *p = PARAMS;
    const int before = ELEMENT() < p->n_blocks ? load(&p->kept[ELEMENT()]) : 0;
    if (before)
        store(&p->values[ELEMENT()],
              fetch(&p->point_offsets_before[before]) - fetch(&p->point_offsets_before[before - 1]));
}

/* Points and local indices of a block that is there still. */
KERNEL(copy_points) {
    const struct params *p = PARAMS;
    const int before = load(&p->kept[block_index()]);
    if (!before)
        return;
    const long long n_slots = p->n_slots, from = fetch(&p->offsets_before[before - 1]) * n_slots;
    const long long to = load(&p->offsets[block_index()]) * n_slots;
    const int n = (int)(load(&p->offsets[block_index() + 1]) * n_slots - to);
    const int was = fetch(&p->point_offsets_before[before - 1]), first = load(&p->values[block_index()]);
    const int n_points = load(&p->values[block_index() + 1]) - first;
    for (int i = thread_index(); i < n_points; i += THREADS)
        store(&p->points_out[first + i], load(&p->points_now[was + i]));
    for (int i = thread_index(); i < n; i += THREADS)
        store(&p->local_index[to + i], fetch(&p->local_before[from + i]));
}
