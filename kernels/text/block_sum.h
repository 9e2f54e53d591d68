/* block_sum.h: a block computes its elements and sums their increments in shared memory; text for
 * halo_atomics.cu and owner_block.cu, after staging.h.
 *
 * STAGE_READS 1 or 0. SUM_BY is how increments of one block come together:
 *   SUM_BY_THREAD_COLOURS     the elements of one colour at a time, a barrier each
 *   SUM_BY_INCREMENT_COLOURS  increment r of every point in round r, a barrier each
 *   SUM_BY_SHARED_ATOMICS
 * BORDER_ATOMICS 1: points that other blocks increment, too, are stored by atomics; 0: the block
 * leaves points that it does not own alone.
 * IS_HOME(p, k): whether this block, of all that execute an element, writes its own values. */
#define SUM_BY_THREAD_COLOURS 0
#define SUM_BY_INCREMENT_COLOURS 1
#define SUM_BY_SHARED_ATOMICS 3

#define ADD_IN_ROUND(set, dat, slot, values)                                                       \
    if (rounds.set[slot] == round)                                                                 \
    ADD_SHARED(set, dat, slot, values)

#define ADD_ATOMICALLY(set, dat, slot, values)                                                     \
    UNROLL for (int d = 0; d < dat##_DIM; d++) if (IS_POINT(set, e.set##_local[slot]))             \
        atomic_add(SHARED_SUM(set, dat, e.set##_local[slot], d), values[d]);

/* What a block does with a sum: the mark is negative where the point is not this block's alone. */
#if BORDER_ATOMICS
#define STORE_SUM(dat, mark, d, value)                                                             \
    if ((mark) >= 0)                                                                               \
        plain_add(&p->dat[dat##_AT(mark, d)], value);                                              \
    else                                                                                           \
        atomic_add(&p->dat[dat##_AT(~(mark), d)], value)
#else
#define STORE_SUM(dat, mark, d, value)                                                             \
    if ((mark) >= 0)                                                                               \
    plain_add(&p->dat[dat##_AT(mark, d)], value)
#endif
#define GIVE(set, dat) COPY_OUT(set, dat)

INLINE void block_sum(const struct params *p, int block, char *shared) {
    struct sums s;
    sums_clear(&s);
    const int begin = fetch(&p->block_offset[block]), end = fetch(&p->block_offset[block + 1]);
#if STAGE_READS
    EACH_READ(COPY_IN)
#endif
    EACH_SUM(CLEAR)
#if SUM_BY == SUM_BY_THREAD_COLOURS
    const int n_rounds = fetch(&p->thread_colours[block]);
#elif SUM_BY == SUM_BY_INCREMENT_COLOURS
    const int n_rounds = fetch(&p->n_rounds[block]);
#endif
    barrier();
    for (int first = begin; first < end; first += THREADS) {
        const int k = first + thread_index();
        const int active = k < end;
        struct element e;
        if (active) {
            const int i = ELEMENT_AT(p, k);
#if !STAGE_READS
            find_points(p, &e, i);
#endif
            find_local_points(p, &e, k);
            read_direct(p, &e, i);
#if STAGE_READS
            read_staged(&e, shared);
#else
            read_points(p, &e);
#endif
            compute(&e);
            if (IS_HOME(p, k)) {
                write_direct(p, &e, i);
                sums_take(&s, &e);
            }
        }
#if SUM_BY == SUM_BY_SHARED_ATOMICS
        if (active) {
            EACH_INCREMENT(ADD_ATOMICALLY)
        }
#elif SUM_BY == SUM_BY_THREAD_COLOURS
        const int own_round = active ? fetch(&p->thread_colour[k]) : -1;
        for (int round = 0; round < n_rounds; round++) {
            if (own_round == round) {
                EACH_INCREMENT(ADD_SHARED)
            }
            barrier();
        }
#else
        struct rounds rounds;
        if (active)
            find_rounds(p, &rounds, k);
        for (int round = 0; round < n_rounds; round++) {
            if (active) {
                EACH_INCREMENT(ADD_IN_ROUND)
            }
            barrier();
        }
#endif
    }
    barrier();
    EACH_SUM(GIVE)
    sums_give(p, &s);
}
