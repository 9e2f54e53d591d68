/* slot_sum.h: a block computes its elements and sums their increments in shared memory, one slot
 * after another, or each point its own; text for halo_atomics.cu and owner_block.cu, after
 * staging.h.
 *
 * GATHERED 0: the increments of a block through one slot are of different points, or in colours that
 * are: no atomics and one barrier a slot, where it needs one colour. The sums start from what the
 * points have. GATHERED 1: all increments go to shared memory, and after one barrier a thread sums
 * those of a point by its list (kernels/tables/gather.c), in the same order in every run.
 *
 * Points that only this block increments are stored, the others added to by atomics (BORDER_ATOMICS
 * 1) or left alone (0). Points are staged in the order of storage.
 *
 * STAGE_READS, BORDER_ATOMICS, IS_HOME: as block_sum.h says. */

/* Where the block's points begin in their list, how many, and the thread's first, known before any
 * copy is under way. */
#define FIND_POINTS(set)                                                                           \
    const int set##_first = fetch(&p->set##_point_offset[block]);                                  \
    const int set##_count = fetch(&p->set##_point_offset[block + 1]) - set##_first;                \
    const int set##_mark =                                                                         \
        thread_index() < set##_count ? fetch(&p->set##_points[set##_first + thread_index()]) : 0;

#define MARK_OF(set, i)                                                                            \
    ((i) == thread_index() ? set##_mark : fetch(&p->set##_points[set##_first + (i)]))

#define STORED_AT(mark) ((mark) < 0 ? ~(mark) : (mark))

#define COPY_READ_COLUMNS(set, dat)                                                                \
    if (!dat##_AOS)                                                                                \
        UNROLL for (int d = 0; d < dat##_DIM; d++)                                                 \
            async_copy(SHARED_READ(set, dat, i, d), &p->dat[dat##_AT(STORED_AT(mark), d)]);

/* A sum starts from what its point has, or from nothing. */
#define START_SUM_COLUMNS(set, dat)                                                                \
    if (!dat##_AOS && set##_INCREMENTS(p, set##_first + i)) {                                      \
        if (mark >= 0)                                                                             \
            UNROLL for (int d = 0; d < dat##_DIM; d++)                                             \
                async_copy(SHARED_SUM(set, dat, i, d), &p->dat[dat##_AT(mark, d)]);                \
        else                                                                                       \
            UNROLL for (int d = 0; d < dat##_DIM; d++) store(SHARED_SUM(set, dat, i, d), 0);       \
    }

/* Runs a statement for all values of the block's points, in the order of memory. */
#define EACH_IN_ROWS(set, dat, ...)                                                                \
    TURNS(v, thread_index(), set##_count * dat##_DIM, THREADS) {                                   \
        const int i = v / dat##_DIM, d = v % dat##_DIM;                                            \
        const int mark = fetch(&p->set##_points[set##_first + i]);                                 \
        __VA_ARGS__                                                                                \
    }

#define COPY_READ_ROWS(set, dat)                                                                   \
    if (dat##_AOS)                                                                                 \
    EACH_IN_ROWS(set, dat,                                                                         \
                 async_copy(SHARED_READ(set, dat, i, d), &p->dat[dat##_AT(STORED_AT(mark), d)]);)

#define START_SUM_ROWS(set, dat)                                                                   \
    if (dat##_AOS)                                                                                 \
        EACH_IN_ROWS(set, dat, if (!set##_INCREMENTS(p, set##_first + i)) continue;                \
                     if (mark >= 0)                                                                \
                         async_copy(SHARED_SUM(set, dat, i, d), &p->dat[dat##_AT(mark, d)]);       \
                     else store(SHARED_SUM(set, dat, i, d), 0);)

#if STAGE_READS
#define EACH_READ_OF(EACH_DAT, X) EACH_DAT(X)
#else
#define EACH_READ_OF(EACH_DAT, X)
#endif

#if GATHERED
#define EACH_SUM_OF(EACH_DAT, X)
#else
#define EACH_SUM_OF(EACH_DAT, X) EACH_DAT(X)
#endif

#define STAGE(set)                                                                                 \
    TURNS(i, thread_index(), set##_count, THREADS) {                                               \
        const int mark = MARK_OF(set, i);                                                          \
        EACH_READ_OF(EACH_##set##_READ, COPY_READ_COLUMNS)                                         \
        EACH_SUM_OF(EACH_##set##_SUM, START_SUM_COLUMNS)(void) mark;                               \
    }                                                                                              \
    EACH_READ_OF(EACH_##set##_READ, COPY_READ_ROWS)                                                \
    EACH_SUM_OF(EACH_##set##_SUM, START_SUM_ROWS)

/* Where the thread's element finds its points, and in which colours it increments them. */
struct local_words {
    unsigned word[LOCAL_WORDS];
};

INLINE void fetch_local_words(const struct params *p, struct local_words *local, int k) {
    UNROLL for (int w = 0; w < LOCAL_WORDS; w++) local->word[w] =
        fetch(&p->local_word[w * LOCAL_STRIDE + k]);
}

#define FIND_LOCAL(set, slot) e.set##_local[slot] = set##_PLACE_##slot(local.word);

/* The place is taken out of its word again: that costs less than a register. */
#define ADD_IN_PHASE(set, dat, slot, values)                                                       \
    if (slot == phase && set##_COLOUR_##slot(local.word) == colour) {                              \
        const int place = set##_PLACE_##slot(local.word);                                          \
        if (IS_POINT(set, place))                                                                  \
            UNROLL for (int d = 0; d < dat##_DIM; d++)                                             \
                plain_add(SHARED_SUM(set, dat, place, d), values[d]);                              \
    }

#define ADD_SLOT(slot_, n_colours)                                                                 \
    for (int colour = 0; colour < n_colours; colour++) {                                           \
        const int phase = slot_;                                                                   \
        if (active) {                                                                              \
            EACH_INCREMENT(ADD_IN_PHASE)                                                           \
        }                                                                                          \
        barrier();                                                                                 \
    }

#if GATHERED
/* Where the increments lie that points gather: [slot][dim][element of the block]. */
#define INCREMENT_OF(dat, slot, d, element)                                                        \
    (&((dat##_type *)(shared + dat##_INCREMENTS))                                                  \
         [((dat##_OPPOSITE ? 0 : (slot)) * dat##_DIM + (d)) * MOST_EXECUTED + (element)])

#define KEEP(set, dat, slot, values)                                                               \
    if (!dat##_OPPOSITE || slot == 0)                                                              \
        UNROLL for (int d = 0; d < dat##_DIM; d++)                                                 \
            store(INCREMENT_OF(dat, slot, d, k - begin), values[d]);

/* Adds to sum[n] the increments of components from d on of the point at place i. */
#define GATHER(set, dat, sum, d, n)                                                                \
    for (int round = 0; round < set##_ROUNDS; round++) {                                           \
        const int entry = fetch(&p->set##_gather[set##_GATHER_AT(block, round, i)]);               \
        if (entry == 0xffff)                                                                       \
            continue;                                                                              \
        const int slot = entry / MOST_EXECUTED, element = entry % MOST_EXECUTED;                   \
        UNROLL for (int c = 0; c < (n); c++) {                                                     \
            const dat##_type value = load(INCREMENT_OF(dat, slot, (d) + c, element));              \
            (sum)[c] += dat##_OPPOSITE && slot == 1 ? -value : value;                              \
        }                                                                                          \
    }

#if BORDER_ATOMICS
#define GIVE_GATHERED(dat, d, sum)                                                                 \
    if (mark >= 0)                                                                                 \
        store(&p->dat[dat##_AT(mark, d)], sum);                                                    \
    else                                                                                           \
        atomic_add(&p->dat[dat##_AT(~mark, d)], sum);
#else
#define GIVE_GATHERED(dat, d, sum)                                                                 \
    if (mark >= 0)                                                                                 \
        store(&p->dat[dat##_AT(mark, d)], sum);
#endif

#define GATHER_VALUES(set, dat, first, n)                                                          \
    {                                                                                              \
        dat##_type sum[n];                                                                         \
        UNROLL for (int c = 0; c < (n); c++) sum[c] =                                              \
            mark >= 0 ? load(&p->dat[dat##_AT(mark, (first) + c)]) : 0;                            \
        GATHER(set, dat, sum, first, n)                                                            \
        UNROLL for (int c = 0; c < (n); c++) {                                                     \
            GIVE_GATHERED(dat, (first) + c, sum[c])                                                \
        }                                                                                          \
    }

#define GIVE_DAT(set, dat)                                                                         \
    if (dat##_AOS) {                                                                               \
        EACH_IN_ROWS(set, dat,                                                                     \
                     if (set##_INCREMENTS(p, set##_first + i)) GATHER_VALUES(set, dat, d, 1))      \
    } else {                                                                                       \
        for (int i = thread_index(); i < set##_count; i += THREADS) {                              \
            const int mark = MARK_OF(set, i);                                                      \
            if (set##_INCREMENTS(p, set##_first + i))                                              \
                GATHER_VALUES(set, dat, 0, dat##_DIM)                                              \
        }                                                                                          \
    }

#define GIVE_POINTS(set) EACH_##set##_SUM(GIVE_DAT)
#else
#if BORDER_ATOMICS
#define GIVE_SHARED(set, dat)                                                                      \
    {                                                                                              \
        const dat##_type sum = load(SHARED_SUM(set, dat, i, d));                                   \
        if (mark >= 0)                                                                             \
            store(&p->dat[dat##_AT(mark, d)], sum);                                                \
        else                                                                                       \
            atomic_add(&p->dat[dat##_AT(~mark, d)], sum);                                          \
    }
#else
#define GIVE_SHARED(set, dat)                                                                      \
    if (mark >= 0)                                                                                 \
        store(&p->dat[dat##_AT(mark, d)], load(SHARED_SUM(set, dat, i, d)));
#endif

#define GIVE_COLUMNS(set, dat)                                                                     \
    if (!dat##_AOS && set##_INCREMENTS(p, set##_first + i))                                        \
        UNROLL for (int d = 0; d < dat##_DIM; d++) {                                               \
            GIVE_SHARED(set, dat)                                                                  \
        }

#define GIVE_ROWS(set, dat)                                                                        \
    if (dat##_AOS)                                                                                 \
    EACH_IN_ROWS(set, dat, if (set##_INCREMENTS(p, set##_first + i)){GIVE_SHARED(set, dat)})

#define GIVE_POINTS(set)                                                                           \
    TURNS(i, thread_index(), set##_count, THREADS) {                                               \
        const int mark = MARK_OF(set, i);                                                          \
        EACH_##set##_SUM(GIVE_COLUMNS)(void) mark;                                                 \
    }                                                                                              \
    EACH_##set##_SUM(GIVE_ROWS)
#endif

#if AHEAD > 0
#define BRING_POINTS(set)                                                                          \
    bring_words(p->set##_points, fetch(&p->set##_point_offset[ahead]),                             \
                fetch(&p->set##_point_offset[ahead + 1]));

INLINE void bring_block(const struct params *p, int ahead) {
    const int begin = fetch(&p->block_offset[ahead]), end = fetch(&p->block_offset[ahead + 1]);
    EACH_SET(BRING_POINTS)
    UNROLL for (int w = 0; w < LOCAL_WORDS; w++)
        bring_words(p->local_word + w * LOCAL_STRIDE, begin, end);
    bring_elements(p, ahead, begin, end);
}
#endif

INLINE void block_sum(const struct params *p, int block, char *shared) {
    struct sums s;
    sums_clear(&s);
    const int begin = fetch(&p->block_offset[block]), end = fetch(&p->block_offset[block + 1]);
    EACH_SET(FIND_POINTS)
    EACH_SET(STAGE)
    int k = begin + thread_index();
    struct element e;
    struct local_words local;
    if (k < end) {
        fetch_local_words(p, &local, k);
        read_direct(p, &e, ELEMENT_AT(p, k));
    }
#if AHEAD > 0
    if (thread_index() == 0 && block + AHEAD < p->count)
        bring_block(p, block + AHEAD);
#endif
    async_wait();
    barrier();
    for (int first = begin; first < end; first += THREADS) {
        const int active = k < end;
        if (active) {
            EACH_LOCAL(FIND_LOCAL)
#if STAGE_READS
            read_staged(&e, shared);
#else
            find_points(p, &e, ELEMENT_AT(p, k));
            read_points(p, &e);
#endif
            compute(&e);
            if (IS_HOME(p, k)) {
                write_direct(p, &e, ELEMENT_AT(p, k));
                sums_take(&s, &e);
            }
        }
#if GATHERED
        if (active) {
            EACH_INCREMENT(KEEP)
        }
#else
        EACH_PHASE(ADD_SLOT)
#endif
        k += THREADS;
        if (k < end) {
            fetch_local_words(p, &local, k);
            read_direct(p, &e, ELEMENT_AT(p, k));
        }
    }
#if GATHERED
    barrier();
#endif
    EACH_SET(GIVE_POINTS)
    sums_give(p, &s);
}
