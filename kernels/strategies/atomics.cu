/* atomics: a thread computes ELEMENTS elements, one after the other, in the order of the plan, and
 * fetches meanwhile where the points of the next are; increments go straight to global memory.
 *
 * TOGETHER 1: the lanes of a warp put their increments together first (warp_sum.h), one slot at a
 * time, through ROW_BYTES of shared memory a lane where they travel there. MADE_EACH 1: they make them
 * on the way, too, one instance of a part after another. */
KERNEL(atomics) {
    const struct params *p = PARAMS;
    struct sums s;
    sums_clear(&s);
    int k = block_index() * THREADS * ELEMENTS + thread_index(), next_i = 0;
    struct element next UNSET;
    if (k < N_POSITIONS) {
        next_i = element_at(p, k);
        find_points(p, &next, next_i);
    }
#if ROW_BYTES > 0
    char *rows = shared_memory() + thread_index() / WARP * WARP * ROW_BYTES;
#else
    char *rows = 0;
#endif
    ONE_BY_ONE for (int turn = 0; turn < ELEMENTS; turn++) {
        const int active = k < N_POSITIONS, i = next_i;
        struct element e = next;
        k += THREADS;
        if (turn + 1 < ELEMENTS && k < N_POSITIONS) {
            next_i = element_at(p, k);
            find_points(p, &next, next_i);
        }
        if (active) {
            read_direct(p, &e, i);
            read_points(p, &e);
#if MADE_EACH
            compute_terms(&e);
#else
            compute(&e);
#endif
            write_direct(p, &e, i);
            sums_take(&s, &e);
        }
        if (TOGETHER)
            add_together(p, &e, active, turn, rows);
        else
            add_atomically(p, &e, active, turn);
    }
    sums_give(p, &s);
    wait_given();
}
