/* point-parallel: one thread a point. It computes every element that increments the point and sums
 * in registers; what the block's elements read may be staged in shared memory first.
 *
 * Own points are staged first, so the place of a thread's point follows from its own number; an
 * entry packs where the element's other points are. The next entry is fetched while this one is computed. The
 * thread of slot FIRST_SLOT writes what is the element's own.
 *
 * EACH_SLOT 1: code for each slot that the own point may have, so that only what that slot needs is
 * read and computed. SUM_ROWS 1: dats in AoS are added to in shared memory and travel as rows. */
/* What the block stages of a set: a run of points stored one behind the other, then others by a
 * list (no more than), whose first for each thread is known before any copy is under way; negative
 * where there is none. */
#define FIND_STAGED(set)                                                                           \
    const int set##_begin = set##_RUN_BEGIN(p, block), set##_end = set##_RUN_END(p, block);        \
    const int set##_list = set##_OTHERS_BEGIN(p, block);                                           \
    const int set##_n_others = set##_OTHERS_END(p, block) - set##_list;                            \
    const int set##_other =                                                                        \
        thread_index() < set##_n_others ? fetch(&p->set##_others[set##_list + thread_index()])     \
                                        : -1;
#define FIND_STAGED_SET(set, EACH_DAT) FIND_STAGED(set)

/* Where the run begins among the staged, and where the others do. */
#define RUN_PLACE(set) (set##_begin % 4)
#define OTHERS_PLACE(set) ((RUN_PLACE(set) + set##_end - set##_begin + 3) / 4 * 4)

/* Runs a statement for all values of n points, in the order of memory: `i` the point's number, `d`
 * the component, `point` where it is stored. */
#define EACH_IN_ROWS(dat, n, at, ...)                                                              \
    for (int v = thread_index(); v < (n)*dat##_DIM; v += THREADS) {                                \
        const int i = v / dat##_DIM, d = v % dat##_DIM;                                            \
        const int point = (at);                                                                    \
        __VA_ARGS__;                                                                               \
    }

/* Copies a run of one dat: columns in pieces of 16 bytes, from and to multiples of 4 elements. */
#define COPY_RUN(set, dat, SHARED)                                                                 \
    if (dat##_AOS) {                                                                               \
        EACH_IN_ROWS(dat, set##_end - set##_begin, set##_begin + i,                                \
                     async_copy(SHARED(set, dat, RUN_PLACE(set) + i, d),                           \
                                &p->dat[dat##_AT(point, d)]))                                      \
    } else {                                                                                       \
        const int in_piece = 16 / (int)sizeof(dat##_type), from = set##_begin - RUN_PLACE(set);    \
        for (int i = thread_index() * in_piece; i < set##_end - from; i += THREADS * in_piece)     \
            UNROLL for (int d = 0; d < dat##_DIM; d++)                                             \
                async_copy((struct piece *)SHARED(set, dat, i, d),                                 \
                           (const struct piece *)&p->dat[dat##_AT(from + i, d)]);                  \
    }

#define COPY_OTHER_COLUMNS(set, dat, SHARED)                                                       \
    if (!dat##_AOS)                                                                                \
        UNROLL for (int d = 0; d < dat##_DIM; d++)                                                 \
            async_copy(SHARED(set, dat, place, d), &p->dat[dat##_AT(point, d)]);

#define COPY_OTHER_ROWS(set, dat, SHARED)                                                          \
    if (dat##_AOS)                                                                                 \
        EACH_IN_ROWS(dat, set##_n_others, fetch(&p->set##_others[set##_list + i]),                 \
                     if (point >= 0) async_copy(SHARED(set, dat, OTHERS_PLACE(set) + i, d),        \
                                                &p->dat[dat##_AT(point, d)]))

#define READ_RUN(set, dat) COPY_RUN(set, dat, SHARED_READ)
#define READ_OTHER_COLUMNS(set, dat) COPY_OTHER_COLUMNS(set, dat, SHARED_READ)
#define READ_OTHER_ROWS(set, dat) COPY_OTHER_ROWS(set, dat, SHARED_READ)

/* Own points that are not stored one behind the other. */
#define READ_LISTED(set, dat)                                                                      \
    EACH_IN_ROWS(dat, n_own, OWN_AT(p, first + i),                                                 \
                 async_copy(SHARED_READ(set, dat, i, d), &p->dat[dat##_AT(point, d)]))

#define STAGE_RUN(set, EACH_DAT)                                                                   \
    if (set##_OWNED && !OWN_IN_ORDER) {                                                            \
        EACH_DAT(READ_LISTED)                                                                      \
    } else {                                                                                       \
        EACH_DAT(READ_RUN)                                                                         \
    }

#define STAGE_OTHERS(set, EACH_COLUMNS, EACH_ROWS)                                                 \
    for (int i = thread_index(); i < set##_n_others; i += THREADS) {                               \
        const int place = OTHERS_PLACE(set) + i;                                                   \
        const int point =                                                                          \
            i == thread_index() ? set##_other : fetch(&p->set##_others[set##_list + i]);           \
        if (point < 0)                                                                             \
            break;                                                                                 \
        EACH_COLUMNS                                                                               \
        (void)place;                                                                               \
    }                                                                                              \
    EACH_ROWS
#define STAGE_OTHERS_OF(set, EACH_DAT)                                                             \
    STAGE_OTHERS(set, EACH_DAT(READ_OTHER_COLUMNS), EACH_DAT(READ_OTHER_ROWS))

/* Elements' own values, the same way: they are the set `own`. */
#if STAGE_OWN
#define SHARED_OWN(set, dat, i, d) (&((dat##_type *)(shared + dat##_OWN))[(d)*ELEMENTS_STAGED + (i)])
#define READ_OWN_RUN(dat) COPY_RUN(own, dat, SHARED_OWN)
#define READ_OWN_COLUMNS(dat) COPY_OTHER_COLUMNS(own, dat, SHARED_OWN)
#define READ_OWN_ROWS(dat) COPY_OTHER_ROWS(own, dat, SHARED_OWN)

/* Where a staged element is stored. */
#define STORED(b, place)                                                                           \
    ((place) < (b)->others_place ? (b)->run + (place)                                              \
                                 : fetch(&p->own_others[(b)->list + (place) - (b)->others_place]))
#endif

/* What block `ahead` will read. */
#if AHEAD > 0
#define BRING_READ(set, dat) BRING(dat, begin, end)
#define BRING_SUM(set, dat) BRING(dat, first, last)
#define BRING_OWN(dat) BRING(dat, begin, end)
#define BRING_STAGED(set, EACH_DAT_OF)                                                             \
    {                                                                                              \
        const int begin = set##_RUN_BEGIN(p, ahead), end = set##_RUN_END(p, ahead);                \
        EACH_DAT_OF                                                                                \
        bring_words(p->set##_others, set##_OTHERS_BEGIN(p, ahead), set##_OTHERS_END(p, ahead));    \
        (void)begin, (void)end;                                                                    \
    }
#define BRING_SET(set, EACH_DAT)                                                                   \
    if (!set##_OWNED || OWN_IN_ORDER)                                                              \
        BRING_STAGED(set, EACH_DAT(BRING_READ))

INLINE void bring_block(const struct params *p, int ahead) {
    const int first = OWN_BEGIN(p, ahead), last = OWN_END(p, ahead);
    bring_words(p->entry, ENTRY_START(p, ahead), ENTRY_END(p, ahead));
#if STAGE_READS
    EACH_STAGED_SET(BRING_SET)
#if STAGE_OWN
    BRING_STAGED(own, EACH_OWN_READ(BRING_OWN))
#endif
#endif
    if (OWN_IN_ORDER) {
        EACH_SUM(BRING_SUM)
    }
    (void)first, (void)last;
}
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
    int own_place; /* of its first own point among the staged */
    int run, others_place, list; /* of its elements, where these are staged: STORED */
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
    e.set##_local[slot] = slot == own_slot  ? b->own_place + own                                   \
                          : slot < own_slot ? BITS_AT(word, below, bits)                           \
                                            : BITS_AT(word, above, bits);                          \
    if (set##_PADDED && slot != own_slot && e.set##_local[slot] == (1 << (bits)) - 1)              \
        e.set##_local[slot] = -1;

/* What is read of the own point is the same for all elements in which it has one slot. */
#define FIND_OWN(set, slot, below, above, bits) e->set##_local[slot] = place;
INLINE void read_own_point(struct element *e, const char *shared, int place, int slot) {
#if STAGE_READS
    EACH_OWN_LOCAL(FIND_OWN)
    read_staged_own(e, shared, slot);
#endif
    (void)e, (void)shared, (void)place, (void)slot;
}
#define READ_OWN_POINT(slot)                                                                       \
    struct element own_##slot;                                                                     \
    read_own_point(&own_##slot, shared, b.own_place + own, slot);

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
#if EXCHANGED || EACH_SLOT
    read_staged_others(&e, shared, own_slot);
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
        add_element(p, &b, entry.word, own, slot, &own_##slot, &s, &totals);                       \
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
    b.own_place = OWN_IN_ORDER ? first % 4 : 0;
    struct totals totals;
    struct entry next;
    int own = thread_index(), point = 0;
    if (own < n_own && n_rounds > 0)
        next = fetch_entry(p, start, stride, 0, own);
#if STAGE_READS
    EACH_STAGED_SET(FIND_STAGED_SET)
    EACH_STAGED_SET(STAGE_RUN)
#if STAGE_OWN
    FIND_STAGED(own)
    b.run = own_begin - RUN_PLACE(own), b.others_place = OTHERS_PLACE(own), b.list = own_list;
    EACH_OWN_READ(READ_OWN_RUN)
    STAGE_OTHERS(own, EACH_OWN_READ(READ_OWN_COLUMNS), EACH_OWN_READ(READ_OWN_ROWS))
#endif
    EACH_STAGED_SET(STAGE_OTHERS_OF)
#endif
#if SUM_ROWS
    EACH_SUM(COPY_SUM)
#endif
#if AHEAD > 0
    if (thread_index() == 0 && block + AHEAD < p->count)
        bring_block(p, block + AHEAD);
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
#if EXCHANGED || !EACH_SLOT
        struct element own_values;
#endif
#if EXCHANGED
        read_own_point(&own_values, shared, b.own_place + own, FIRST_SLOT);
#elif EACH_SLOT
        EACH_OWN_SLOT(READ_OWN_POINT)
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
