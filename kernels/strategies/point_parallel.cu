/* point-parallel: one thread a point. It computes every element that increments the point and sums
 * in registers; what the block's elements read may be staged in shared memory first.
 *
 * Own points are staged first, so the position of a thread's point follows from its own number; an
 * entry packs where the element's other points are. All entries of a point lie in a few words
 * (POINT_WORDS), or the next one is fetched while this one is computed. The thread of slot FIRST_SLOT
 * writes what is the element's own.
 *
 * EXCHANGED 1: both ends see themselves as slot 0 of the element. EACH_SLOT 1: code for each slot
 * that the own point may have, so that only what that slot needs is read and computed.
 * INDEPENDENT_ENDS 1: of the points that blocks own only the own one's values matter, so they are
 * read from memory and none is staged. SUM_ROWS 1: dats in AoS are added to in shared memory and
 * travel as rows. ADDS_TO_ROWS 1: blocks of a matrix in the own point's row are added to in memory.
 * TURNS_MOST: points that a thread may have.
 *
 * PHASES: where the loop is split, text/phase_points.h runs it phase after phase. */
#if PHASES_LAUNCHED

#define PHASE_KERNEL(phase)                                                                        \
    KERNEL(point_parallel_##phase) {                                                               \
        const struct params *p = PARAMS;                                                           \
        point_phase(p, (int)p->first + block_index(), phase);                                      \
    }
EACH_PHASE(PHASE_KERNEL)

#elif PHASES

KERNEL(point_parallel) {
    const struct params *p = PARAMS;
    point_phases(p, (int)p->first + block_index());
}

#else

/* What is read of the own point is read once: for all its elements, or for those of each slot. */
#define OWN_FIRST (STAGE_READS && (EXCHANGED || EACH_SLOT || INDEPENDENT_ENDS))
#define BY_SLOT (OWN_FIRST && !EXCHANGED && !INDEPENDENT_ENDS)

/* What a thread knows of a point of its own. */
struct own_point {
    int own, point; /* its number among the block's own, where it is stored */
    struct totals totals;
    struct entries entries;
    struct element values[BY_SLOT ? OWN_SLOTS : 1]; /* what is read of it */
};

/* For the emulator's counters: a point may have fewer entries than its neighbours, and a thread
 * several points. */
INLINE int turn_of(const struct block *b, int own, int round) {
    return own / THREADS * b->n_rounds + round + 1;
}

/* Computes the element of an entry and adds what comes to the own point through `own_slot`. */
INLINE void add_element(const struct params *p, const struct block *b, struct own_point *of,
                        const struct entry *entry, int own_slot, struct sums *s) {
    const int i = entry_element(entry);
#if OWN_FIRST
    struct element e = of->values[BY_SLOT ? own_slot : 0];
#else
    struct element e;
#endif
#if STAGE_READS
    find_local(b, &e, entry, of->own, own_slot);
#else
    find_points(p, &e, i);
#endif
#if STAGE_OWN
    read_element(p, b, &e, i);
#else
    read_direct(p, &e, i);
#endif
#if OWN_FIRST
    read_staged_others(b, &e, own_slot);
#elif STAGE_READS
    read_staged(b, &e);
#else
    read_points(p, &e);
#endif
    compute(&e);
    if (own_slot == FIRST_SLOT && !EXCHANGED) {
#if STAGE_OWN
        write_direct(p, &e, stored_element(p, b, i));
#else
        write_direct(p, &e, i);
#endif
        sums_take(s, &e);
    }
    take(&of->totals, &e, own_slot);
#if ADDS_TO_ROWS
#if STAGE_OWN
    find_points(p, &e, stored_element(p, b, i));
#elif STAGE_READS
    find_points(p, &e, i);
#endif
    add_to_rows(p, &e, own_slot);
#endif
    (void)b;
}

/* Does so for one slot, compiled; nothing where the set has none of that number. */
INLINE void add_of_slot(const struct params *p, const struct block *b, struct own_point *of,
                        const struct entry *entry, int slot, struct sums *s) {
    if (slot < OWN_SLOTS)
        add_element(p, b, of, entry, slot, s);
}

/* Fetches what does not wait for copies. */
INLINE void begin_point(const struct params *p, const struct block *b, struct own_point *of,
                        int own) {
    of->own = own;
    of->point = 0;
    if (own >= b->n_own)
        return;
    if (b->n_rounds > 0)
        of->entries = fetch_entries(p, b, 0, own);
    of->point = own_at(p, b->first + own);
    load_totals(p, &of->totals, of->point);
    if (INDEPENDENT_ENDS)
        read_own_ends(p, &of->values[0], of->point);
}

/* Reads the own point's copies. */
INLINE void read_own_point(const struct block *b, struct own_point *of) {
    load_staged_totals(b, &of->totals, of->own);
    if (EXCHANGED && !INDEPENDENT_ENDS)
        read_staged_own(b, &of->values[0], of->own, FIRST_SLOT);
    UNROLL for (int slot = 0; slot < OWN_SLOTS; slot++)
        if (BY_SLOT && OWN_INCREMENTED >> slot & 1)
            read_staged_own(b, &of->values[slot], of->own, slot);
}

INLINE void sum_point(const struct params *p, const struct block *b, struct own_point *of,
                      struct sums *s) {
    read_own_point(b, of);
#if POINT_WORDS > 0
    UNROLL
#endif
    for (int round = 0; round < b->n_rounds; round++) {
        const int own = of->own; /* so that compilers find the address of entries before the loop */
        const struct entry entry = entry_of(&of->entries, round);
        TURN(turn_of(b, own, round));
        if (POINT_WORDS == 0 && round + 1 < b->n_rounds)
            of->entries = fetch_entries(p, b, round + 1, own);
        if (entry.word[0] == NO_ENTRY)
            continue;
        const int own_slot = EXCHANGED ? FIRST_SLOT : entry_slot(&entry);
#if EACH_SLOT && !EXCHANGED
        TURN(OWN_SLOTS * turn_of(b, own, round) + own_slot);
        switch (own_slot) {
        case 0: add_of_slot(p, b, of, &entry, 0, s); break;
        case 1: add_of_slot(p, b, of, &entry, 1, s); break;
        case 2: add_of_slot(p, b, of, &entry, 2, s); break;
        case 3: add_of_slot(p, b, of, &entry, 3, s); break;
        case 4: add_of_slot(p, b, of, &entry, 4, s); break;
        case 5: add_of_slot(p, b, of, &entry, 5, s); break;
        case 6: add_of_slot(p, b, of, &entry, 6, s); break;
        case 7: add_of_slot(p, b, of, &entry, 7, s); break;
        default: add_of_slot(p, b, of, &entry, own_slot, s);
        }
#else
        add_element(p, b, of, &entry, own_slot, s);
#endif
    }
    TURN(0);
    store_totals(p, b, &of->totals, of->own, of->point);
}

/* Where a thread has two points, both are begun before the copies are waited for. */
#define AT_ONCE (TURNS_MOST <= 2 ? TURNS_MOST : 1)

KERNEL(point_parallel) {
    const struct params *p = PARAMS;
    struct block b = open_block(p, (int)p->first + block_index());
    struct own_point points[AT_ONCE];
    struct sums s;
    sums_clear(&s);
    stage(p, &b);
    if (PREFETCH_DISTANCE > 0 && thread_index() == 0 && b.index + PREFETCH_DISTANCE < p->first + p->count)
        prefetch(p, b.index + PREFETCH_DISTANCE);
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
    give_rows(p, &b);
#endif
    sums_give(p, &s);
}

#endif
