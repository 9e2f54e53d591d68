/* block_sum.h: a block computes its elements and sums their increments in shared memory; text for
 * halo_atomics.cu and owner_block.cu.
 *
 * SUM_BY is how the increments of a block come together:
 *   SUM_BY_SLOTS              one slot of elements after another, a barrier each (more where elements
 *                             have a common point in one slot); sum=mesh-order, too, whose slots come
 *                             in an order, some more than once, that keeps the elements' at a point
 *   SUM_BY_GATHER             all are kept, and after one barrier a thread sums those of a point by
 *                             its list, in the same order in every run
 *   SUM_BY_THREAD_COLOURS     the elements of one colour at a time, a barrier each
 *   SUM_BY_INCREMENT_COLOURS  increment r of every point in round r, a barrier each
 *   SUM_BY_SHARED_ATOMICS
 * MADE_EACH 1: add_by_slot makes them, too, one instance of a part after another.
 * By the first two (EARLY 1) copies are asynchronous, sums start from what points have, and what the
 * next element needs is fetched before it is waited for. Points that only this block increments are
 * stored, the others added to by atomics or, where the block does not own them, left alone. */
#define SUM_BY_SLOTS 0
#define SUM_BY_GATHER 1
#define SUM_BY_THREAD_COLOURS 2
#define SUM_BY_INCREMENT_COLOURS 3
#define SUM_BY_SHARED_ATOMICS 4
#define EARLY (SUM_BY == SUM_BY_SLOTS || SUM_BY == SUM_BY_GATHER)

/* A thread's element, and the words that say where the block has its points. */
struct turn {
    struct element e;
#if EARLY
    struct words words;
#endif
};

/* Fetches what does not wait for copies. */
INLINE void begin_element(const struct params *p, struct turn *t, int k) {
#if EARLY
    fetch_words(p, &t->words, k);
    read_direct(p, &t->e, element_at(p, k));
#else
    (void)p, (void)t, (void)k;
#endif
}

INLINE void find_element(const struct params *p, struct turn *t, int k) {
#if EARLY
    find_local(&t->e, &t->words);
    (void)p, (void)k;
#else
    find_local(p, &t->e, k);
    read_direct(p, &t->e, element_at(p, k));
#endif
}

/* What an element reads at its points. */
INLINE void read_at_points(const struct params *p, const struct block *b, struct element *e,
                           int k) {
#if STAGE_READS
    read_staged(b, e);
    (void)p, (void)k;
#else
    find_points(p, e, element_at(p, k));
    read_points(p, e);
    (void)b;
#endif
}

INLINE void compute_element(const struct params *p, struct element *e, struct sums *s, int k) {
#if MADE_EACH
    compute_terms(e);
#else
    compute(e);
#endif
    if (is_home(p, k)) {
        write_direct(p, e, element_at(p, k));
        sums_take(s, e);
    }
}

/* Adds what the threads' elements increment to the block's sums; `active`: this thread has one. */
INLINE void add_increments(const struct params *p, const struct block *b, struct turn *t, int k,
                           int active) {
#if SUM_BY == SUM_BY_SLOTS
    add_by_slot(b, &t->e, &t->words, active);
    (void)p, (void)k;
#elif SUM_BY == SUM_BY_GATHER
    if (active)
        keep_increments(b, &t->e, k - b->begin);
    (void)p;
#elif SUM_BY == SUM_BY_THREAD_COLOURS
    const int colour = active ? fetch(&p->thread_colour[k]) : -1;
    for (int round = 0; round < b->n_rounds; round++) {
        if (colour == round)
            add_staged(b, &t->e);
        barrier();
    }
#elif SUM_BY == SUM_BY_INCREMENT_COLOURS
    struct rounds rounds UNSET;
    if (active)
        find_rounds(p, &rounds, k);
    for (int round = 0; round < b->n_rounds; round++) {
        if (active)
            add_in_round(b, &t->e, &rounds, round);
        barrier();
    }
#else
    if (active)
        add_staged_atomically(b, &t->e);
    (void)p, (void)k;
#endif
}

INLINE void block_sum(const struct params *p, int index) {
    const struct block b = open_block(p, index);
    int k = b.begin + thread_index();
    struct turn t UNSET;
    struct sums s;
    sums_clear(&s);
    stage(p, &b);
    if (k < b.end)
        begin_element(p, &t, k);
#if EARLY
    if (PREFETCH_DISTANCE > 0 && thread_index() == 0 && index + PREFETCH_DISTANCE < p->first + p->count)
        prefetch(p, index + PREFETCH_DISTANCE);
    async_wait();
#endif
    barrier();
    for (int first = b.begin; first < b.end; first += THREADS) {
        const int active = k < b.end;
        if (active) {
            find_element(p, &t, k);
            read_at_points(p, &b, &t.e, k);
            compute_element(p, &t.e, &s, k);
        }
        add_increments(p, &b, &t, k, active);
        k += THREADS;
        if (k < b.end)
            begin_element(p, &t, k);
    }
#if SUM_BY != SUM_BY_SLOTS
    barrier();
#endif
    give_sums(p, &b);
    sums_give(p, &s);
}
