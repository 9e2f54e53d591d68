/* phase_points.h: a thread a point computes its elements phase after phase and sums in registers;
 * text for point_parallel.cu where a loop is split.
 *
 * Each phase stages what it alone needs of the block's points, as in phase_sum.h, which says what
 * PHASES, PHASES_AHEAD, PHASES_LAUNCHED, PHASE_ADDS and EACH_PHASE are. An element is computed for
 * each of its points, so what phases pass on belongs to an entry of a point: a thread keeps it for
 * all of its entries, TURNS_MOST points of MOST_ROUNDS entries; with launches of their own it waits in
 * memory, at the entry's place. A sum is loaded before the first phase that adds to it and stored
 * behind the last. */
#define ADDS_ROWS(phase) (SUM_ROWS && (PHASE_ADDS >> (phase)&1))
#define STAGES_NEXT(phase) (PHASES_AHEAD && (phase) + 1 < PHASES)

/* Where all points have as many rounds, these are written out and their entries stay with the thread;
 * else the next is fetched while one is computed. */
#define KEPT_WORDS (ROUNDS_ALIKE && POINT_WORDS == 0 ? MOST_ROUNDS : 1)

struct phase_point {
    int own, point; /* its number among the block's own, where it is stored */
    struct totals totals;
    struct entries entries[KEPT_WORDS];
#if !PHASES_LAUNCHED
    struct passed passed[MOST_ROUNDS];
#endif
};

INLINE void begin_point(const struct params *p, const struct block *b, struct phase_point *of,
                        int own) {
    of->own = own;
    of->point = own < b->n_own ? own_at(p, b->first + own) : 0;
    UNROLL for (int k = 0; k < KEPT_WORDS; k++)
        if (ROUNDS_ALIKE && own < b->n_own && b->n_rounds > 0)
            of->entries[k] = fetch_entries(p, b, k, own);
}

/* Fetches what does not wait for copies. */
INLINE void begin_phase(const struct params *p, const struct block *b, struct phase_point *of,
                        int phase) {
    if (of->own >= b->n_own)
        return;
    if (!ROUNDS_ALIKE && b->n_rounds > 0)
        of->entries[0] = fetch_entries(p, b, 0, of->own);
    load_totals(p, &of->totals, of->point, phase);
}

/* Computes a phase of the element of an entry and adds what comes to the own point. */
INLINE void run_entry(const struct params *p, const struct block *b, struct phase_point *of,
                      const struct entry *entry, int round, int phase) {
    const int own_slot = EXCHANGED ? FIRST_SLOT : entry_slot(entry);
    struct element e;
    clear_unstaged(&e);
    find_local(b, &e, entry, of->own, own_slot);
    read_own(p, &e, entry_element(entry), phase);
    read_staged(b, &e, phase);
#if PHASES_LAUNCHED
    read_passed(p, &e, entry_place(b, of->own, round), phase);
    compute_phase(&e, phase);
    pass_on(p, &e, entry_place(b, of->own, round), phase);
#else
    take_passed(&of->passed[round], &e, phase);
    compute_phase(&e, phase);
    keep_passed(&of->passed[round], &e, phase);
#endif
    take(&of->totals, &e, own_slot, phase);
}

INLINE void run_point(const struct params *p, const struct block *b, struct phase_point *of,
                      int phase) {
    if (of->own >= b->n_own)
        return;
    load_staged_totals(b, &of->totals, of->own, phase);
#if ROUNDS_ALIKE
    UNROLL
#endif
    for (int round = 0; round < b->n_rounds; round++) {
        const struct entry entry = entry_of(&of->entries[KEPT_WORDS > 1 ? round : 0], round);
        TURN(of->own / THREADS * b->n_rounds + round + 1);
        if (!ROUNDS_ALIKE && round + 1 < b->n_rounds)
            of->entries[0] = fetch_entries(p, b, round + 1, of->own);
        if (entry.word[0] != NO_ENTRY)
            run_entry(p, b, of, &entry, round, phase);
    }
    TURN(0);
    store_totals(p, b, &of->totals, of->own, of->point, phase);
}

/* A phase of all points of a thread, whose copies are under way. */
INLINE void run_points(const struct params *p, const struct block *b, struct phase_point *points,
                       int phase) {
    UNROLL for (int t = 0; t < TURNS_MOST; t++)
        begin_phase(p, b, &points[t], phase);
    async_wait();
    barrier();
    if (STAGES_NEXT(phase) && !ADDS_ROWS(phase))
        stage(p, b, phase + 1);
    UNROLL for (int t = 0; t < TURNS_MOST; t++)
        run_point(p, b, &points[t], phase);
    if (ADDS_ROWS(phase)) {
        barrier();
        give_rows(p, b, phase);
        if (STAGES_NEXT(phase))
            stage(p, b, phase + 1);
    }
}

INLINE void begin_points(const struct params *p, const struct block *b, struct phase_point *points) {
    UNROLL for (int t = 0; t < TURNS_MOST; t++)
        begin_point(p, b, &points[t], thread_index() + t * THREADS);
}

#if PHASES_LAUNCHED

INLINE void point_phase(const struct params *p, int index, int phase) {
    struct block b = open_block(p, index);
    struct phase_point points[TURNS_MOST] UNSET;
    find_staged(p, &b);
    stage(p, &b, phase);
    begin_points(p, &b, points);
    run_points(p, &b, points, phase);
}

#else

INLINE void run_phase(const struct params *p, const struct block *b, struct phase_point *points,
                      int phase) {
    if (!PHASES_AHEAD && phase > 0) {
        barrier(); /* the copies of the phase before have been read */
        stage(p, b, phase);
    }
    run_points(p, b, points, phase);
}

INLINE void point_phases(const struct params *p, int index) {
    struct block b = open_block(p, index);
    struct phase_point points[TURNS_MOST] UNSET;
    find_staged(p, &b);
    stage(p, &b, 0);
    begin_points(p, &b, points);
#define RUN_PHASE(phase) run_phase(p, &b, points, phase);
    EACH_PHASE(RUN_PHASE)
}

#endif
