/* block_sum.h: a block computes its elements and sums their increments in shared memory; text for
 * halo_atomics.cu and owner_block.cu, after staging.h.
 *
 * STAGE_READS 1 or 0. SUM_BY is how increments of one block come together:
 *   SUM_BY_THREAD_COLOURS     the elements of one colour at a time, a barrier each
 *   SUM_BY_INCREMENT_COLOURS  increment r of every point in round r, a barrier each
 *   SUM_BY_GATHER             all to shared memory, then each value of a point sums its list: the
 *                             same order in every run
 *   SUM_BY_SHARED_ATOMICS
 * BORDER_ATOMICS 1: points that other blocks increment, too, are stored by atomics; 0: the block
 * leaves points that it does not own alone.
 * IS_HOME(p, k): whether this block, of all that execute an element, writes its own values. */
#define SUM_BY_THREAD_COLOURS 0
#define SUM_BY_INCREMENT_COLOURS 1
#define SUM_BY_GATHER 2
#define SUM_BY_SHARED_ATOMICS 3

#define ADD_IN_ROUND(set, dat, slot, values)                                                       \
    if (rounds.set[slot] == round)                                                                 \
    ADD_SHARED(set, dat, slot, values)

#define ADD_ATOMICALLY(set, dat, slot, values)                                                     \
    UNROLL for (int d = 0; d < dat##_DIM; d++) if (IS_POINT(set, e.set##_local[slot]))             \
        atomic_add(SHARED_SUM(set, dat, e.set##_local[slot], d), values[d]);

#define INCREMENT_OF(dat, slot, d, element)                                                        \
    (&((dat##_type *)(shared + SUM_START +                                                         \
                      dat##_INCREMENTS))[((slot)*dat##_DIM + (d)) * MOST_EXECUTED + (element)])

#define KEEP(set, dat, slot, values)                                                               \
    UNROLL for (int d = 0; d < dat##_DIM; d++)                                                     \
        store(INCREMENT_OF(dat, slot, d, k - begin), values[d]);

/* The sum of the increments of value d of staged point i. */
#define GATHERED(set, dat, i, d)                                                                   \
    const int last = fetch(&p->set##_list_offset[first_point + (i) + 1]);                          \
    dat##_type sum = 0;                                                                            \
    for (int entry = fetch(&p->set##_list_offset[first_point + (i)]); entry < last; entry++) {     \
        const int packed = fetch(&p->set##_list[entry]);                                           \
        if (dat##_SLOTS >> (packed / MOST_EXECUTED) & 1)                                           \
            sum += load(INCREMENT_OF(dat, packed / MOST_EXECUTED, d, packed % MOST_EXECUTED));     \
    }

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
#if SUM_BY == SUM_BY_GATHER
#define GIVE(set, dat)                                                                             \
    EACH_MARKED_VALUE(set, dat, GATHERED(set, dat, i, d) STORE_SUM(dat, mark, d, sum))
#else
#define GIVE(set, dat) COPY_OUT(set, dat)
#endif

INLINE void block_sum(const struct params *p, int block, char *shared) {
    struct sums s;
    sums_clear(&s);
    const int begin = fetch(&p->block_offset[block]), end = fetch(&p->block_offset[block + 1]);
#if STAGE_READS
    EACH_READ(COPY_IN)
#endif
#if SUM_BY != SUM_BY_GATHER
    EACH_SUM(CLEAR)
#endif
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
#if SUM_BY == SUM_BY_GATHER
        if (active) {
            EACH_INCREMENT(KEEP)
        }
#elif SUM_BY == SUM_BY_SHARED_ATOMICS
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
