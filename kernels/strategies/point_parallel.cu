/* point-parallel: one thread a point. It computes every element that increments the point and sums
 * in registers; what the block's elements read may be staged in shared memory first.
 *
 * An entry of a point's list is position * SLOTS + slot. The thread of slot FIRST_SLOT writes what
 * is the element's own. */
#define DECLARE(set, dat)                                                                          \
    dat##_type dat##_total[dat##_DIM];                                                             \
    UNROLL for (int d = 0; d < dat##_DIM; d++) dat##_total[d] = 0;

#define TAKE(set, dat, slot, values)                                                               \
    if (own_slot == slot) {                                                                        \
        UNROLL for (int d = 0; d < dat##_DIM; d++) dat##_total[d] += values[d];                    \
    }

#define GIVE(set, dat)                                                                             \
    UNROLL for (int d = 0; d < dat##_DIM; d++)                                                     \
        plain_add(&p->dat[dat##_AT(point, d)], dat##_total[d]);

KERNEL(point_parallel) {
    const struct params *p = PARAMS;
    struct sums s;
    sums_clear(&s);
    const int block = block_index();
#if STAGE_READS
    char *shared = shared_memory();
    EACH_READ(COPY_IN)
    barrier();
#endif
    const int end = fetch(&p->own_offset[block + 1]);
    for (int own = fetch(&p->own_offset[block]) + thread_index(); own < end; own += THREADS) {
        EACH_SUM(DECLARE)
        const int point = fetch(&p->own[own]);
        const int last = fetch(&p->entry_offset[own + 1]);
        for (int entry = fetch(&p->entry_offset[own]); entry < last; entry++) {
            const int packed = fetch(&p->entry[entry]);
            const int k = packed / OWN_SLOTS, own_slot = packed % OWN_SLOTS;
            const int i = ELEMENT_AT(p, k);
            struct element e;
#if STAGE_READS
            find_local_points(p, &e, k);
            read_direct(p, &e, i);
            read_staged(&e, shared);
#else
            find_points(p, &e, i);
            read_direct(p, &e, i);
            read_points(p, &e);
#endif
            compute(&e);
            if (own_slot == FIRST_SLOT) {
                write_direct(p, &e, i);
                sums_take(&s, &e);
            }
            EACH_INCREMENT(TAKE)
        }
        EACH_SUM(GIVE)
    }
    sums_give(p, &s);
}
