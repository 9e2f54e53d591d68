/* gather: nothing is incremented through maps, so each thread computes elements of its own, and
 * blocks share nothing.
 *
 * STAGE_READS 0: a block has a group of consecutive elements and reads at points through the caches.
 * STAGE_READS 1: it has a block of the plan, whose points it copies to shared memory first.
 * STAGE_ROWS 1: what lies in rows of several values an element is copied by all threads together,
 * THREADS elements at a time. */

/* What does not wait for copies. */
INLINE void begin_element(const struct params *p, const struct block *b, struct element *e,
                          struct local *local, int k) {
#if STAGE_READS
    fetch_local(p, local, k);
#endif
#if !STAGE_ROWS
    read_own(p, b, e, element_at(p, k));
#endif
    (void)p, (void)b, (void)e, (void)local, (void)k;
}

INLINE void gather_element(const struct params *p, const struct block *b, struct element *e,
                           const struct local *local, int k) {
    const int i = element_at(p, k);
#if STAGE_ROWS
    read_own(p, b, e, i);
#endif
#if STAGE_READS
    find_staged(e, local);
    read_staged(b, e);
#else
    find_own_points(p, b, e, i);
    read_points(p, e);
#endif
    compute(e);
    write_direct(p, e, i);
    (void)b, (void)local;
}

KERNEL(gather) {
    const struct params *p = PARAMS;
    const struct block b = open_block(p, block_index());
    struct sums s;
    sums_clear(&s);
#if STAGE_READS
    stage(p, &b);
#endif
    if (PREFETCH_DISTANCE > 0 && thread_index() == 0 && b.index + PREFETCH_DISTANCE < p->count)
        prefetch(p, b.index + PREFETCH_DISTANCE);
    for (int first = b.begin; first < b.end; first += THREADS) {
        const int k = first + thread_index();
        struct element e UNSET;
        struct local local UNSET;
#if STAGE_ROWS
        if (first > b.begin)
            barrier(); /* all have read the rows of the turn before */
        stage_rows(p, &b, first);
#endif
        if (k < b.end)
            begin_element(p, &b, &e, &local, k);
        if (STAGE_ROWS || (STAGE_READS && first == b.begin)) {
            async_wait();
            barrier();
        }
        if (k < b.end) {
            gather_element(p, &b, &e, &local, k);
            sums_take(&s, &e);
        }
    }
    sums_give(p, &s);
}
