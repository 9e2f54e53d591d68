/* point-parallel: one thread a point. It computes every element that increments the point and sums
 * in registers; what the block's elements read may be staged in shared memory first.
 *
 * Own points are staged first, so the place of a thread's point is its own number; an entry packs
 * where the element's other points are. The next entry is fetched while this one is computed. The
 * thread of slot FIRST_SLOT writes what is the element's own.
 *
 * EACH_SLOT 1: code for each slot that the own point may have, so that only what that slot needs is
 * read and computed. SUM_ROWS 1: dats in AoS are added to in shared memory and travel as rows. */
/* The others than own points of a set: where their list begins, how many (no more than), and the
 * first that the thread copies, known before any copy is under way; negative where there is none. */
#define FIND_HALO(set, EACH_DAT)                                                                   \
    const int set##_begin = set##_HALO_BEGIN(p, block);                                            \
    const int set##_others = set##_HALO_END(p, block) - set##_begin;                               \
    const int set##_other =                                                                        \
        thread_index() < set##_others ? fetch(&p->set##_halo[set##_begin + thread_index()]) : -1;

/* Runs a statement for all values of n points, in the order of memory: `i` the point's number, `d`
 * the component, `point` where it is stored. */
#define EACH_IN_ROWS(dat, n, at, ...)                                                              \
    for (int v = thread_index(); v < (n)*dat##_DIM; v += THREADS) {                                \
        const int i = v / dat##_DIM, d = v % dat##_DIM;                                            \
        const int point = (at);                                                                    \
        __VA_ARGS__;                                                                               \
    }

#define COPY_VALUE(set, dat, place)                                                                \
    async_copy(SHARED_READ(set, dat, place, d), &p->dat[dat##_AT(point, d)])

#define COPY_COLUMNS(set, dat)                                                                     \
    if (!dat##_AOS)                                                                                \
        UNROLL for (int d = 0; d < dat##_DIM; d++) COPY_VALUE(set, dat, place);

#define COPY_OWN_ROWS(set, dat)                                                                    \
    if (dat##_AOS)                                                                                 \
    EACH_IN_ROWS(dat, n_own, OWN_AT(p, first + i), COPY_VALUE(set, dat, i))

#define COPY_OTHER_ROWS(set, dat)                                                                  \
    if (dat##_AOS)                                                                                 \
    EACH_IN_ROWS(dat, set##_others, fetch(&p->set##_halo[set##_begin + i]),                        \
                 if (point >= 0) COPY_VALUE(set, dat, before + i))

#define COPY_OWN(set, EACH_DAT)                                                                    \
    if (set##_OWNED) {                                                                             \
        for (int place = thread_index(); place < n_own; place += THREADS) {                        \
            const int point = OWN_AT(p, first + place);                                            \
            EACH_DAT(COPY_COLUMNS)                                                                 \
            (void)point;                                                                           \
        }                                                                                          \
        EACH_DAT(COPY_OWN_ROWS)                                                                    \
    }

#define COPY_OTHERS(set, EACH_DAT)                                                                 \
    {                                                                                              \
        const int before = set##_OWNED ? n_own : 0;                                                \
        for (int i = thread_index(); i < set##_others; i += THREADS) {                             \
            const int place = before + i;                                                          \
            const int point =                                                                      \
                i == thread_index() ? set##_other : fetch(&p->set##_halo[set##_begin + i]);        \
            if (point < 0)                                                                         \
                break;                                                                             \
            EACH_DAT(COPY_COLUMNS)                                                                 \
            (void)place;                                                                           \
        }                                                                                          \
        EACH_DAT(COPY_OTHER_ROWS)                                                                  \
    }

#if STAGE_OWN
#define SHARED_OWN(dat, i, d) (&((dat##_type *)(shared + dat##_OWN))[(d)*ELEMENTS_STAGED + (i)])

/* Elements that the block stages: those that no block before it executes, then the others. */
#define FIND_ELEMENTS                                                                              \
    b.home = fetch(&p->home_offset[block]), b.away = fetch(&p->away_offset[block]);                \
    b.n_home = fetch(&p->home_offset[block + 1]) - b.home;                                         \
    b.n_away = fetch(&p->away_offset[block + 1]) - b.away;

#define COPY_OWN_VALUE(dat) async_copy(SHARED_OWN(dat, place, d), &p->dat[dat##_AT(point, d)])

#define COPY_ELEMENT_COLUMNS(dat)                                                                  \
    if (!dat##_AOS)                                                                                \
        UNROLL for (int d = 0; d < dat##_DIM; d++) COPY_OWN_VALUE(dat);

#define COPY_HOME_ROWS(dat)                                                                        \
    if (dat##_AOS)                                                                                 \
    EACH_IN_ROWS(dat, b.n_home, HOME_AT(p, b.home + i), const int place = i; COPY_OWN_VALUE(dat))

#define COPY_AWAY_ROWS(dat)                                                                        \
    if (dat##_AOS)                                                                                 \
    EACH_IN_ROWS(dat, b.n_away, fetch(&p->away[b.away + i]), const int place = b.n_home + i;       \
                 COPY_OWN_VALUE(dat))

#define COPY_ELEMENTS                                                                              \
    for (int place = thread_index(); place < b.n_home; place += THREADS) {                         \
        const int point = HOME_AT(p, b.home + place);                                              \
        EACH_OWN_READ(COPY_ELEMENT_COLUMNS)                                                        \
        (void)point;                                                                               \
    }                                                                                              \
    for (int i = thread_index(); i < b.n_away; i += THREADS) {                                     \
        const int point = fetch(&p->away[b.away + i]), place = b.n_home + i;                       \
        EACH_OWN_READ(COPY_ELEMENT_COLUMNS)                                                        \
        (void)point, (void)place;                                                                  \
    }                                                                                              \
    EACH_OWN_READ(COPY_HOME_ROWS)                                                                  \
    EACH_OWN_READ(COPY_AWAY_ROWS)

/* Where a staged element is stored. */
#define STORED(b, place)                                                                           \
    ((place) < (b)->n_home ? HOME_AT(p, (b)->home + (place))                                       \
                           : fetch(&p->away[(b)->away + (place) - (b)->n_home]))
#endif

#define COPY_SUM(set, dat)                                                                         \
    if (dat##_AOS)                                                                                 \
    EACH_IN_ROWS(dat, n_own, OWN_AT(p, first + i),                                                 \
                 async_copy(SHARED_SUM(set, dat, i, d), &p->dat[dat##_AT(point, d)]))

#define STORE_ROWS(set, dat)                                                                       \
    if (dat##_AOS)                                                                                 \
    EACH_IN_ROWS(dat, n_own, OWN_AT(p, first + i),                                                 \
                 store(&p->dat[dat##_AT(point, d)], load(SHARED_SUM(set, dat, i, d))))

/* What a thread sums of its point. */
#define TOTAL(set, dat) dat##_type dat[dat##_DIM];
struct totals {
    EACH_SUM(TOTAL)
};

#define TOTAL_AT(set, dat, d)                                                                      \
    (dat##_AOS ? SHARED_SUM(set, dat, own, d) : &p->dat[dat##_AT(point, d)])

/* A sum starts from what the point has: fetched early from memory, or lying in shared memory. */
#define LOAD_TOTAL(set, dat)                                                                       \
    if (!dat##_AOS)                                                                                \
        UNROLL for (int d = 0; d < dat##_DIM; d++) totals.dat[d] = load(TOTAL_AT(set, dat, d));

#define LOAD_SHARED_TOTAL(set, dat)                                                                \
    if (dat##_AOS)                                                                                 \
        UNROLL for (int d = 0; d < dat##_DIM; d++) totals.dat[d] = load(TOTAL_AT(set, dat, d));

#define STORE_TOTAL(set, dat)                                                                      \
    UNROLL for (int d = 0; d < dat##_DIM; d++) store(TOTAL_AT(set, dat, d), totals.dat[d]);

/* Both ends of an exchanged element see themselves as its slot 0. */
#define TAKE(set, dat, slot, values)                                                               \
    if (own_slot == slot) {                                                                        \
        UNROLL for (int d = 0; d < dat##_DIM; d++) totals->dat[d] += values[d];                    \
    }

/* What the threads of a block know of it. */
struct block {
    char *shared;
    int home, n_home, away, n_away; /* of its elements, where these are staged */
};

struct entry {
    unsigned word[ENTRY_WORDS];
};

INLINE struct entry fetch_entry(const struct params *p, int start, int stride, int round, int own) {
    struct entry entry;
    UNROLL for (int w = 0; w < ENTRY_WORDS; w++) entry.word[w] =
        fetch(&p->entry[start + (round * ENTRY_WORDS + w) * stride + own]);
    return entry;
}

#define FIND_OWN_SET(set, slot, below, above, bits)                                                \
    e.set##_local[slot] = slot == own_slot  ? own                                                  \
                          : slot < own_slot ? BITS_AT(word, below, bits)                           \
                                            : BITS_AT(word, above, bits);                          \
    if (set##_PADDED && slot != own_slot && e.set##_local[slot] == (1 << (bits)) - 1)              \
        e.set##_local[slot] = -1;

/* Of an exchanged element, slot 0 is the own point, the same for all its elements. */
#define FIND_OWN(set, slot, below, above, bits) own_values.set##_local[slot] = own;

#define FIND_OTHER_SET(set, slot, at, bits)                                                        \
    e.set##_local[slot] = BITS_AT(word, at, bits);                                                 \
    if (set##_PADDED && e.set##_local[slot] == (1 << (bits)) - 1)                                  \
        e.set##_local[slot] = -1;

/* Computes the element of an entry and adds what comes to the own point through `own_slot`. */
INLINE void add_element(const struct params *p, const struct block *b, const unsigned *word,
                        int own, int own_slot, const struct element *own_values, struct sums *s,
                        struct totals *totals) {
    struct element e = *own_values;
    const int i = ENTRY_ELEMENT(word);
    const char *shared = b->shared;
#if STAGE_READS
    EACH_OWN_LOCAL(FIND_OWN_SET)
    EACH_OTHER_LOCAL(FIND_OTHER_SET)
#if STAGE_OWN
    read_own(p, &e, i, shared);
#else
    read_direct(p, &e, i);
#endif
#if EXCHANGED
    read_staged_others(&e, shared);
#else
    read_staged(&e, shared);
#endif
#else
    find_points(p, &e, i);
    read_direct(p, &e, i);
    read_points(p, &e);
#endif
    compute(&e);
    if (own_slot == FIRST_SLOT && !EXCHANGED) {
#if STAGE_OWN
        write_direct(p, &e, STORED(b, i));
#else
        write_direct(p, &e, i);
#endif
        sums_take(s, &e);
    }
    EACH_INCREMENT(TAKE)
    (void)shared, (void)own, (void)totals, (void)s;
}

#define ADD_BY_SLOT(slot)                                                                          \
    case slot:                                                                                     \
        add_element(p, &b, entry.word, own, slot, &own_values, &s, &totals);                       \
        break;

KERNEL(point_parallel) {
    const struct params *p = PARAMS;
    struct sums s;
    sums_clear(&s);
    const int block = block_index();
    const int first = OWN_BEGIN(p, block), n_own = OWN_END(p, block) - first;
    const int start = ENTRY_START(p, block), n_rounds = N_ROUNDS(p, block);
    const int stride = (n_own + 7) / 8 * 8;
    char *shared = shared_memory();
    struct block b;
    b.shared = shared;
    struct totals totals;
    struct entry next;
    int own = thread_index(), point = 0;
    if (own < n_own && n_rounds > 0)
        next = fetch_entry(p, start, stride, 0, own);
#if STAGE_READS
    EACH_STAGED_SET(FIND_HALO)
#if STAGE_OWN
    FIND_ELEMENTS
#endif
    EACH_STAGED_SET(COPY_OWN)
#if STAGE_OWN
    COPY_ELEMENTS
#endif
    EACH_STAGED_SET(COPY_OTHERS)
#endif
#if SUM_ROWS
    EACH_SUM(COPY_SUM)
#endif
    if (own < n_own) {
        point = OWN_AT(p, first + own);
        EACH_SUM(LOAD_TOTAL)
    }
#if STAGE_READS || SUM_ROWS
    async_wait();
    barrier();
#endif
    while (own < n_own) {
        EACH_SUM(LOAD_SHARED_TOTAL)
        struct element own_values;
#if EXCHANGED
        EACH_OWN_LOCAL(FIND_OWN)
        read_staged_own(&own_values, shared);
#endif
        for (int round = 0; round < n_rounds; round++) {
            const struct entry entry = next;
            if (round + 1 < n_rounds)
                next = fetch_entry(p, start, stride, round + 1, own);
            else if (own + THREADS < n_own)
                next = fetch_entry(p, start, stride, 0, own + THREADS);
            if (entry.word[0] == ~0u)
                continue;
#if EXCHANGED
            add_element(p, &b, entry.word, own, FIRST_SLOT, &own_values, &s, &totals);
#elif EACH_SLOT
            switch (ENTRY_SLOT(entry.word)) { EACH_OWN_SLOT(ADD_BY_SLOT) }
#else
            add_element(p, &b, entry.word, own, ENTRY_SLOT(entry.word), &own_values, &s,
                        &totals);
#endif
        }
        EACH_SUM(STORE_TOTAL)
        own += THREADS;
        if (own < n_own) {
            point = OWN_AT(p, first + own);
            EACH_SUM(LOAD_TOTAL)
        }
    }
#if SUM_ROWS
    barrier();
    EACH_SUM(STORE_ROWS)
#endif
    sums_give(p, &s);
    (void)point;
}
