/* point-parallel: one thread a point. It computes every element that increments the point and sums
 * in registers; what the block's elements read may be staged in shared memory first.
 *
 * Own points are staged first, so the place of a thread's point follows from its own number; an
 * entry packs where the element's other points are. All entries of a point lie in a few words, or
 * the next one is fetched while this one is computed. The thread of slot FIRST_SLOT writes what is
 * the element's own.
 *
 * EACH_SLOT 1: code for each slot that the own point may have, so that only what that slot needs is
 * read and computed. APART 1: of the points that blocks own only the own one's values matter, so
 * they are read from memory and none is staged. SUM_ROWS 1: dats in AoS are added to in shared
 * memory and travel as rows. TURNS_MOST: points that a thread may have. After run_staging.h. */
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
        UNROLL for (int d = 0; d < dat##_DIM; d++) of->totals.dat[d] =                             \
            load(&p->dat[dat##_AT(of->point, d)]);

#define LOAD_SHARED_TOTAL(set, dat)                                                                \
    if (dat##_AOS)                                                                                 \
        UNROLL for (int d = 0; d < dat##_DIM; d++) of->totals.dat[d] = load(TOTAL_AT(set, dat, d));

#define STORE_TOTAL(set, dat)                                                                      \
    UNROLL for (int d = 0; d < dat##_DIM; d++) store(TOTAL_AT(set, dat, d), of->totals.dat[d]);

/* Both ends of an exchanged element see themselves as its slot 0. */
#define TAKE(set, dat, slot, values)                                                               \
    if (own_slot == slot) {                                                                        \
        UNROLL for (int d = 0; d < dat##_DIM; d++) totals->dat[d] += values[d];                    \
    }

/* What the threads of a block know of it. */
struct block {
    char *shared;
    int first, n_own;            /* its own points: OWN_AT */
    int own_place;               /* of the first of them among the staged */
    int start, stride, n_rounds; /* of their entries */
    int run, others_place, list; /* of its elements, where these are staged: STORED */
};

struct entry {
    unsigned word[ENTRY_WORDS];
};

/* The entries of a point: all at once where they lie one behind the other, else the next one. */
struct entries {
    unsigned word[POINT_WORDS > 0 ? POINT_WORDS : ENTRY_WORDS];
};

INLINE struct entries fetch_entries(const struct params *p, const struct block *b, int round,
                                    int own) {
    const int n_words = (int)(sizeof(struct entries) / sizeof(unsigned));
    struct entries entries;
    UNROLL for (int w = 0; w < n_words; w++) entries.word[w] =
        fetch(&p->entry[b->start + (round * n_words + w) * b->stride + own]);
    return entries;
}

#if POINT_WORDS > 0
#define NO_ENTRY ((1u << ENTRY_BITS) - 1)
INLINE struct entry entry_of(const struct entries *entries, int round) {
    const int at = round * ENTRY_BITS, used = at % 32;
    struct entry entry;
    entry.word[0] = entries->word[at / 32] >> used;
    if (used + ENTRY_BITS > 32)
        entry.word[0] |= entries->word[at / 32 + 1] << (32 - used);
    entry.word[0] &= NO_ENTRY;
    return entry;
}
#define EACH_ROUND UNROLL
#else
#define NO_ENTRY (~0u)
INLINE struct entry entry_of(const struct entries *entries, int round) {
    struct entry entry;
    UNROLL for (int w = 0; w < ENTRY_WORDS; w++) entry.word[w] = entries->word[w];
    (void)round;
    return entry;
}
#define EACH_ROUND
#endif

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
    read_own_point(&own_##slot, shared, b->own_place + own, slot);

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
#if EXCHANGED || EACH_SLOT || APART
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

#if APART
#define OWN_VALUES_OF(slot) (&of->values)
#define OWN_VALUES (&of->values)
#else
#define OWN_VALUES_OF(slot) (&own_##slot)
#define OWN_VALUES (&own_values)
#endif
/* A point may have fewer entries than its neighbours, and a thread several points. */
#define ROUND_TURN(round) (own / THREADS * b->n_rounds + (round) + 1)
#define ADD_BY_SLOT(slot)                                                                          \
    case slot:                                                                                     \
        TURN(OWN_SLOTS * ROUND_TURN(round) + slot);                                                \
        add_element(p, b, entry.word, own, slot, OWN_VALUES_OF(slot), s, &of->totals);             \
        break;

/* What a thread knows of a point of its own. Where it has two, both are begun before the copies are
 * waited for. */
#define AT_ONCE (TURNS_MOST <= 2 ? TURNS_MOST : 1)
struct own_point {
    int own, point; /* its number among the block's own, where it is stored */
    struct totals totals;
    struct entries entries;
    struct element values; /* APART: what is read of it, in all slots */
};

/* Fetches what does not wait for copies. */
INLINE void begin_point(const struct params *p, const struct block *b, struct own_point *of,
                        int own) {
    of->own = own;
    of->point = 0;
    if (own >= b->n_own)
        return;
    if (b->n_rounds > 0)
        of->entries = fetch_entries(p, b, 0, own);
    of->point = OWN_AT(p, b->first + own);
    EACH_SUM(LOAD_TOTAL)
#if APART
    read_own_ends(p, &of->values, of->point);
#endif
}

INLINE void sum_point(const struct params *p, const struct block *b, struct own_point *of,
                      struct sums *s) {
    const char *shared = b->shared;
    const int own = of->own, point = of->point;
    EACH_SUM(LOAD_SHARED_TOTAL)
#if !APART && (EXCHANGED || !EACH_SLOT)
    struct element own_values;
#endif
#if !APART && EXCHANGED
    read_own_point(&own_values, shared, b->own_place + own, FIRST_SLOT);
#elif !APART && EACH_SLOT
    EACH_OWN_SLOT(READ_OWN_POINT)
#endif
    EACH_ROUND for (int round = 0; round < b->n_rounds; round++) {
        const struct entry entry = entry_of(&of->entries, round);
        TURN(ROUND_TURN(round));
        if (POINT_WORDS == 0 && round + 1 < b->n_rounds)
            of->entries = fetch_entries(p, b, round + 1, own);
        if (entry.word[0] == NO_ENTRY)
            continue;
#if EXCHANGED
        add_element(p, b, entry.word, own, FIRST_SLOT, OWN_VALUES, s, &of->totals);
#elif EACH_SLOT
        switch (ENTRY_SLOT(entry.word)) { EACH_OWN_SLOT(ADD_BY_SLOT) }
#else
        add_element(p, b, entry.word, own, ENTRY_SLOT(entry.word), OWN_VALUES, s, &of->totals);
#endif
    }
    TURN(0);
    EACH_SUM(STORE_TOTAL)
    (void)shared, (void)point;
}

KERNEL(point_parallel) {
    const struct params *p = PARAMS;
    struct sums s;
    sums_clear(&s);
    const int block = block_index();
    struct block b;
    b.shared = shared_memory();
    b.first = OWN_BEGIN(p, block), b.n_own = OWN_END(p, block) - b.first;
    b.own_place = OWN_IN_ORDER ? b.first % 4 : 0;
    b.start = ENTRY_START(p, block), b.stride = (b.n_own + 7) / 8 * 8;
    b.n_rounds = N_ROUNDS(p, block);
    char *shared = b.shared;
    const int first = b.first, n_own = b.n_own;
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
    struct own_point points[AT_ONCE];
    UNROLL for (int t = 0; t < AT_ONCE; t++)
        begin_point(p, &b, &points[t], thread_index() + t * THREADS);
#if STAGE_READS || SUM_ROWS
    async_wait();
    barrier();
#endif
    UNROLL for (int t = 0; t < AT_ONCE; t++)
        if (points[t].own < b.n_own)
            sum_point(p, &b, &points[t], &s);
#if TURNS_MOST > AT_ONCE
    for (int own = thread_index() + AT_ONCE * THREADS; own < b.n_own; own += THREADS) {
        begin_point(p, &b, &points[0], own);
        sum_point(p, &b, &points[0], &s);
    }
#endif
#if SUM_ROWS
    barrier();
    EACH_SUM(STORE_ROWS)
#endif
    sums_give(p, &s);
    (void)shared, (void)first;
}
