/* block-colour: the paper's Algorithm 1. What the block's elements read and increment is staged in
 * shared memory; thread colours order the increments inside the block, one launch a block colour
 * those between blocks.
 *
 * STAGE_READS, STAGE_SUMS 1 or 0. OVERLAY 1: the sums take the place of the copies
 * that were read, which needs every element of the block to be computed at once. */
KERNEL(block_colour) {
    const struct params *p = PARAMS;
    char *shared = shared_memory();
    struct sums s;
    sums_clear(&s);
    const int block = fetch(&p->block_list[p->first + block_index()]);
    const int begin = fetch(&p->block_offset[block]), end = fetch(&p->block_offset[block + 1]);
    const int n_colours = fetch(&p->thread_colours[block]);
#if STAGE_READS
    EACH_READ(COPY_IN)
#endif
#if STAGE_SUMS && !OVERLAY
    EACH_SUM(CLEAR)
#endif
    barrier();
    for (int first = begin; first < end; first += THREADS) {
        const int k = first + thread_index();
        const int active = k < end;
        int colour = -1;
        struct element e;
        if (active) {
            const int i = ELEMENT_AT(p, k);
            colour = fetch(&p->thread_colour[k]);
#if !STAGE_READS || !STAGE_SUMS
            find_points(p, &e, i);
#endif
#if STAGE_READS || STAGE_SUMS
            find_local_points(p, &e, k);
#endif
            read_direct(p, &e, i);
#if STAGE_READS
            read_staged(&e, shared);
#else
            read_points(p, &e);
#endif
            compute(&e);
            write_direct(p, &e, i);
            sums_take(&s, &e);
        }
#if STAGE_SUMS && OVERLAY
        barrier();
        EACH_SUM(CLEAR)
        barrier();
#endif
        for (int c = 0; c < n_colours; c++) {
            if (colour == c) {
#if STAGE_SUMS
                EACH_INCREMENT(ADD_SHARED)
#else
#define ADD(set, dat, slot, values)                                                                \
    UNROLL for (int d = 0; d < dat##_DIM; d++) if (IS_POINT(set, e.set##_point[slot]))             \
        plain_add(&p->dat[dat##_AT(e.set##_point[slot], d)], values[d]);
                EACH_INCREMENT(ADD)
#endif
            }
            barrier();
        }
    }
#if STAGE_SUMS
#define STORE_SUM(dat, at, d, value) plain_add(&p->dat[dat##_AT(at, d)], value)
    EACH_SUM(COPY_OUT)
#endif
    sums_give(p, &s);
}
